// swift-tools-version: 6.1
import PackageDescription

// A program of somebody else that adopts the server catalog, and tests itself with the catalog's
// test support. It sees only what the products make public.
//
// `swift test --package-path Tests/OutsiderPackage`
let package = Package(
    name: "outsider",
    dependencies: [.package(name: "tideline", path: "../..")],
    targets: [
        .target(
            name: "Outsider",
            dependencies: [.product(name: "ServerCatalog", package: "tideline")]),
        .testTarget(
            name: "OutsiderTests",
            dependencies: [
                "Outsider", .product(name: "ServerCatalogTesting", package: "tideline"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
