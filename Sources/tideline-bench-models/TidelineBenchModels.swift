import ArgumentParser
import BenchSupport

/// `tideline-bench-models <suite>`: measures the performance goals of AutoModel.
@main
struct TidelineBenchModels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-bench-models",
        abstract: "Measure AutoModel against GRDB records and hand-written SQL.",
        discussion: "Build with -c release: figures of a debug build are meaningless.",
        subcommands: [Run<ModelSuites>.self, ReportDiff.self, Probe<ModelSuites>.self],
        defaultSubcommand: Run<ModelSuites>.self)
}

enum ModelSuites: SuiteList {
    static let all: [any Suite.Type] = [AutoModelSuite.self, MigrationSuite.self]
}
