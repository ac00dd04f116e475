// swift-tools-version: 6.1
import PackageDescription

// Third-party programs, which see only the public API of the products. One adopts the server
// catalog and tests itself with the catalog's test support; two store their objects with AutoModel
// and are samples of the documentation; five port the examples of the projects that the libraries
// follow. The tests use the other stores as their users do.
//
//     swift test --package-path Tests/OutsiderPackage
//     swift run --package-path Tests/OutsiderPackage outsider-models

/// A program that ports the examples of another project.
func port(of project: String, _ libraries: String...) -> Target {
    .executableTarget(
        name: "port-\(project)",
        dependencies: libraries.map { .product(name: $0, package: "tideline") })
}

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
        .executableTarget(
            name: "outsider-sync",
            dependencies: [
                .product(name: "AutoModel", package: "tideline"),
                .product(name: "AutoModelSync", package: "tideline"),
                .product(name: "Replication", package: "tideline"),
            ]),
        port(of: "parstore", "KeyValueStore", "Replication"),
        port(of: "datastore", "EntityStore", "Replication"),
        port(of: "persistence", "ServerCatalog", "ServerCatalogGRDB"),
        port(of: "automergestore", "Automerge", "DocumentStore", "Replication"),
        port(of: "autodb", "AutoModel"),
        .testTarget(
            name: "OutsiderTests",
            dependencies: [
                "Outsider", .product(name: "ServerCatalogTesting", package: "tideline"),
                .product(name: "KeyValueStore", package: "tideline"),
                .product(name: "EntityStore", package: "tideline"),
                .product(name: "DocumentStore", package: "tideline"),
                .product(name: "DocumentSync", package: "tideline"),
                .product(name: "Automerge", package: "tideline"),
                .product(name: "AutoModel", package: "tideline"),
                .product(name: "Replication", package: "tideline"),
                .product(name: "Tables", package: "tideline"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
