// swift-tools-version: 6.1
import PackageDescription

// Third-party programs, which see only the public API of the products. One adopts the server
// catalog and tests itself with the catalog's test support; one provides the catalog as a
// dependency; one is the README's example; two store their objects with AutoModel and are samples
// of the documentation; five port the examples of the projects that the libraries follow. The
// programs compile without warnings. The tests use the other stores as their users do.
//
//     swift test --package-path Tests/OutsiderPackage
//     swift run --package-path Tests/OutsiderPackage outsider-models
//
// With OUTSIDER_REFUSED in the environment, the package also has a target that doesn't compile.

/// A program of these products, in which each warning is an error.
func program(_ name: String, _ libraries: String...) -> Target { program(name, libraries) }

func program(_ name: String, _ libraries: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: libraries.map { .product(name: $0, package: "tideline") },
        swiftSettings: [.unsafeFlags(["-warnings-as-errors"])])
}

/// A program that ports the examples of another project.
func port(of project: String, _ libraries: String...) -> Target {
    program("port-\(project)", libraries)
}

let package = Package(
    name: "outsider",
    dependencies: [.package(name: "tideline", path: "../.."), .package(path: "StandIn")],
    targets: [
        .target(
            name: "Outsider",
            dependencies: [.product(name: "ServerCatalog", package: "tideline")]),
        .executableTarget(
            name: "outsider-dependencies",
            dependencies: [
                .product(name: "Dependencies", package: "StandIn"),
                .product(name: "ServerCatalog", package: "tideline"),
                .product(name: "ServerCatalogGRDB", package: "tideline"),
            ]),
        program("outsider-notes", "KeyValueStore"),
        program("outsider-models", "AutoModel"),
        program("outsider-sync", "AutoModel", "AutoModelSync", "Replication"),
        port(of: "parstore", "KeyValueStore", "Replication"),
        port(of: "datastore", "EntityStore", "Replication"),
        port(of: "persistence", "ServerCatalog", "ServerCatalogGRDB"),
        port(of: "automergestore", "Automerge", "DocumentStore", "Replication"),
        port(of: "autodb", "AutoModel"),
        .testTarget(
            name: "OutsiderTests",
            dependencies: [
                "Outsider", .product(name: "ServerCatalogTesting", package: "tideline"),
                .product(name: "ServerCatalogGRDB", package: "tideline"),
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

if Context.environment["OUTSIDER_REFUSED"] != nil {
    package.targets.append(
        .target(
            name: "Refused", dependencies: [.product(name: "AutoModel", package: "tideline")]))
}
