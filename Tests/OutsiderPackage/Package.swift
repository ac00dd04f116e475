// swift-tools-version: 6.1
import PackageDescription

// Programs of somebody else, which see only what the products make public: one that adopts the
// server catalog and tests itself with the catalog's test support, and one that keeps its objects
// with AutoModel, the README's sample.
//
// `swift test --package-path Tests/OutsiderPackage`
// `swift run --package-path Tests/OutsiderPackage outsider-models`
let package = Package(
    name: "outsider",
    dependencies: [.package(name: "tideline", path: "../..")],
    targets: [
        .target(
            name: "Outsider",
            dependencies: [.product(name: "ServerCatalog", package: "tideline")]),
        .executableTarget(
            name: "outsider-models",
            dependencies: [.product(name: "AutoModel", package: "tideline")]),
        .testTarget(
            name: "OutsiderTests",
            dependencies: [
                "Outsider", .product(name: "ServerCatalogTesting", package: "tideline"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
