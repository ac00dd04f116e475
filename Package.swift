// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// The libraries: a target depends only on those above it in this file.
// Each library is a product that a program can use alone.

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let arguments = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")
// Networking, for `DocumentSyncNIO` and what stands on it: `swift run tideline` builds none of it.
let networking =
    ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket"].map {
        Target.Dependency.product(name: $0, package: "swift-nio")
    } + [.product(name: "NIOSSL", package: "swift-nio-ssl")]

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Set by Packaging/install, which knows it; a build from a checkout names no commit.
let commit = Context.environment["TIDELINE_COMMIT"] ?? ""
let buildSettings: [CSetting] =
    !commit.isEmpty && commit.allSatisfy { $0.isASCII && ($0.isHexDigit || $0 == "+") }
    ? [.define("TIDELINE_COMMIT", to: "\"\(commit)\"")] : []

/// A module of swift-syntax.
func syntax(_ name: String) -> Target.Dependency {
    .product(name: name, package: "swift-syntax")
}

func library(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, on dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, on dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name), "TestSupport"] + dependencies,
        swiftSettings: settings)
}

let package = Package(
    name: "tideline",
    products: [
        .library(name: "Replication", targets: ["Replication"]),
        .library(name: "KeyValueStore", targets: ["KeyValueStore"]),
        .library(name: "EntityStore", targets: ["EntityStore"]),
        .library(name: "Automerge", targets: ["Automerge", "AutomergeUtilities"]),
        .library(name: "DocumentStore", targets: ["DocumentStore"]),
        .library(name: "DocumentSync", targets: ["DocumentSync"]),
        .library(name: "DocumentSyncNIO", targets: ["DocumentSyncNIO"]),
        .library(name: "ServerCatalog", targets: ["ServerCatalog"]),
        .library(name: "ServerCatalogGRDB", targets: ["ServerCatalogGRDB"]),
        .library(name: "ServerCatalogTesting", targets: ["ServerCatalogTesting"]),
        .library(name: "Tables", targets: ["Tables"]),
        .library(name: "AutoModel", targets: ["AutoModel"]),
        .library(name: "AutoModelSync", targets: ["AutoModelSync"]),
        .library(name: "TidelineCore", targets: ["TidelineCore"]),
        .executable(name: "tideline", targets: ["tideline"]),
        .executable(name: "tideline-sync", targets: ["tideline-sync"]),
        .executable(name: "tideline-bench", targets: ["tideline-bench"]),
        .executable(name: "tideline-bench-models", targets: ["tideline-bench-models"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // Only the macros of AutoModel use this. Building tideline doesn't build it.
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CLibdeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(
            name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CWideCharacters"),
        .systemLibrary(name: "CSwiftRuntime"),
        .target(name: "CBuildInformation", cSettings: buildSettings),
        .systemLibrary(name: "CSQLiteSettings"),
        .systemLibrary(name: "CNcurses", providers: [.apt(["libncurses-dev"])]),

        library("LosslessJSON"),
        library("Replication", on: ["LosslessJSON", grdb]),
        library("KeyValueStore", on: ["LosslessJSON", "Replication", grdb, heap]),
        library("EntityStore", on: ["LosslessJSON", "Replication", grdb]),
        library("Automerge", on: ["CLibcrypto", "CLibdeflate", "CZlib"]),
        library("AutomergeUtilities", on: ["Automerge"]),
        library("DocumentStore", on: ["Automerge", "CLibcrypto", "Replication", grdb]),
        library("DocumentSync", on: ["Automerge", "DocumentStore", "Replication"]),
        library("DocumentSyncNIO", on: ["DocumentSync", "Replication"] + networking),
        library("ServerCatalog", on: ["LosslessJSON"]),
        library("ServerCatalogGRDB", on: ["Replication", "ServerCatalog", grdb, sqlite]),
        .target(name: "CCatalogTestHook"),
        library(
            "ServerCatalogTesting",
            on: ["CCatalogTestHook", "ServerCatalog", "ServerCatalogGRDB"]),

        library(
            "AutoModelExpansion",
            on: [
                syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacros"),
                syntax("SwiftDiagnostics"), syntax("SwiftParser"),
            ]),
        .macro(
            name: "AutoModelMacros",
            dependencies: [
                "AutoModelExpansion", syntax("SwiftSyntaxMacros"), syntax("SwiftCompilerPlugin"),
            ],
            swiftSettings: settings),
        library(
            "AutoModel", on: ["AutoModelMacros", "CSwiftRuntime", "Replication", grdb, sqlite]),
        library("AutoModelSync", on: ["AutoModel", "EntityStore", "Replication"]),

        library(
            "Tables",
            on: [
                "CSQLiteSettings", "CZlib", "KeyValueStore", "LosslessJSON", "Replication", grdb,
                sqlite,
            ]),

        library(
            "TidelineCore",
            on: [
                "CWideCharacters", "LosslessJSON", "Replication", "KeyValueStore", "EntityStore",
                "Automerge", "DocumentStore", "ServerCatalog", "ServerCatalogGRDB", "Tables", grdb,
            ]),
        .target(
            name: "TidelineUI",
            dependencies: ["TidelineCore", .product(name: "Yams", package: "Yams")],
            resources: [
                "deuteranopia", "dracula", "gruvbox", "high-contrast", "tide-dark", "tide-light",
            ].map { .embedInCode("Themes/Shipped/\($0).yaml") },
            swiftSettings: settings),
        library("TidelineTerminal", on: ["CNcurses", "TidelineCore", "TidelineUI"]),
        // Code that the programs with commands share.
        library(
            "CommandSupport",
            on: [
                "DocumentStore", "KeyValueStore", "Replication", "TidelineCore", "TidelineUI",
                arguments, grdb,
            ]),
        program(
            "tideline-sync",
            on: [
                "Automerge", "CommandSupport", "DocumentStore", "DocumentSync", "DocumentSyncNIO",
                "Replication", "TidelineCore", arguments,
            ]),
        program(
            "tideline",
            on: [
                "CBuildInformation", "CommandSupport", "DocumentStore", "EntityStore",
                "KeyValueStore", "LosslessJSON", "Replication", "ServerCatalog",
                "ServerCatalogGRDB", "Tables", "TidelineCore", "TidelineUI", "TidelineTerminal",
                arguments, grdb,
            ]),
        // Code that the benchmark programs share.
        library("BenchSupport", on: [arguments]),
        .executableTarget(
            name: "tideline-bench",
            dependencies: [
                "BenchSupport", "TidelineCore", "TidelineUI", "KeyValueStore", "EntityStore",
                "Automerge", "DocumentStore", "DocumentSync", "ServerCatalog",
                "ServerCatalogGRDB", "Tables", "TestSupport", arguments, grdb,
            ],
            resources: [
                .embedInCode("Suites/automerge.py"), .embedInCode("Suites/loro.py"),
            ],
            swiftSettings: settings),

        // Separate from tideline-bench, because it needs swift-syntax.
        program("tideline-bench-models", on: ["AutoModel", "BenchSupport", arguments, grdb]),

        .target(
            name: "TestSupport",
            dependencies: ["Replication", grdb],
            path: "Tests/TestSupport", swiftSettings: settings),
        // A store that uses only Replication's public interface.
        .target(
            name: "GrowOnlySet", dependencies: ["Replication", grdb], path: "Tests/GrowOnlySet",
            swiftSettings: settings),
        .executableTarget(
            name: "crash-writer", dependencies: ["GrowOnlySet", "Replication", grdb],
            path: "Tests/crash-writer", swiftSettings: settings),
        tests(of: "LosslessJSON"),
        tests(of: "Replication", on: [grdb, "GrowOnlySet", "crash-writer"]),
        tests(of: "KeyValueStore", on: [grdb]),
        tests(of: "EntityStore", on: [grdb]),
        tests(of: "Automerge", on: ["AutomergeUtilities", "CLibcrypto"]),
        tests(of: "DocumentSync", on: ["Automerge", "DocumentStore", "Replication"]),
        tests(
            of: "DocumentSyncNIO",
            on: ["Automerge", "DocumentStore", "DocumentSync", "Replication"]),
        .executableTarget(
            name: "document-writer", dependencies: ["Automerge", "DocumentStore", "Replication"],
            path: "Tests/document-writer", swiftSettings: settings),
        tests(of: "DocumentStore", on: ["Automerge", "document-writer", grdb]),
        .executableTarget(
            name: "catalog-importer", dependencies: ["ServerCatalog", "ServerCatalogGRDB", grdb],
            path: "Tests/CatalogImporter", swiftSettings: settings),
        tests(
            of: "ServerCatalog",
            on: ["ServerCatalogGRDB", "ServerCatalogTesting", "catalog-importer", grdb]),
        // Core Data stores with their models.
        .target(
            name: "CoreDataSamples",
            dependencies: ["KeyValueStore", "Replication", "TestSupport", grdb],
            path: "Tests/CoreDataSamples", swiftSettings: settings),
        tests(of: "Tables", on: ["CoreDataSamples", "KeyValueStore", "Replication", grdb]),
        .testTarget(
            name: "AutoModelExpansionTests",
            dependencies: [
                "AutoModelExpansion", syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"),
                syntax("SwiftSyntaxMacros"),
                syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftParser"),
                syntax("SwiftDiagnostics"),
            ],
            exclude: ["Snapshots"], swiftSettings: settings),
        .executableTarget(
            name: "automodel-writer", dependencies: ["AutoModel"], path: "Tests/automodel-writer",
            swiftSettings: settings),
        tests(of: "AutoModel", on: ["automodel-writer", grdb]),
        .executableTarget(
            name: "sync-writer", dependencies: ["AutoModel", "AutoModelSync", "Replication"],
            path: "Tests/sync-writer", swiftSettings: settings),
        tests(
            of: "AutoModelSync", on: ["AutoModel", "EntityStore", "Replication", "sync-writer"]),
        tests(
            of: "TidelineCore",
            on: [
                "Automerge", "CoreDataSamples", "DocumentStore", "EntityStore", "GrowOnlySet",
                "KeyValueStore", "ServerCatalog", "ServerCatalogGRDB", grdb,
            ]),
        // A program for tests that need a terminal in another process.
        .executableTarget(
            name: "TerminalFixture", dependencies: ["TidelineTerminal", "TidelineUI"],
            path: "Tests/TerminalFixture", swiftSettings: settings),
        tests(of: "TidelineUI", on: ["Automerge", "TidelineCore"]),
        tests(of: "TidelineTerminal", on: ["TidelineUI", "TerminalFixture"]),
        tests(
            of: "tideline",
            on: [
                "Automerge", "CoreDataSamples", "DocumentStore", "Replication", "ServerCatalog",
                "ServerCatalogGRDB", "TidelineCore", "TidelineUI", "sync-writer", "tideline-sync",
                grdb,
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// `TIDELINE_TESTS="Tables EntityStore"` keeps only the tests of these targets in the package, so
// that `swift build --product tidelinePackageTests` builds only what they need.
if let names = Context.environment["TIDELINE_TESTS"]?.split(separator: " ") {
    let kept = Set(names.map { "\($0)Tests" })
    package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}
