// swift-tools-version: 6.1
import PackageDescription

// A program of somebody else that keeps its objects with AutoModel: the README's sample.
//
// `swift run --package-path Tests/OutsiderModels`
let package = Package(
    name: "outsider-models",
    dependencies: [.package(name: "tideline", path: "../..")],
    targets: [
        .executableTarget(
            name: "outsider-models",
            dependencies: [.product(name: "AutoModel", package: "tideline")])
    ],
    swiftLanguageModes: [.v6]
)
