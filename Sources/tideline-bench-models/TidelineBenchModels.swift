import ArgumentParser
import BenchSupport

/// `tideline-bench-models <suite>`: measures what AutoModel promises.
@main
struct TidelineBenchModels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-bench-models",
        abstract: "Measure AutoModel beside GRDB records and SQL written by hand.",
        discussion: "Build with -c release: figures of a debug build mean nothing.",
        subcommands: [Run<ModelSuites>.self, Compare.self, Probe<ModelSuites>.self],
        defaultSubcommand: Run<ModelSuites>.self)
}

enum ModelSuites: SuiteList {
    static let all: [any Suite.Type] = [AutoModelSuite.self, MigrationSuite.self]
}
