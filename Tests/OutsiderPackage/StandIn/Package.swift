// swift-tools-version: 6.1
import PackageDescription

// A stand-in for swift-dependencies. It is a separate package, because `@retroactive` doesn't apply
// to protocols of the same package.

let package = Package(
    name: "StandIn",
    products: [.library(name: "Dependencies", targets: ["Dependencies"])],
    targets: [.target(name: "Dependencies")],
    swiftLanguageModes: [.v6]
)
