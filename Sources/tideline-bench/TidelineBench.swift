import ArgumentParser
import BenchSupport
import Replication

/// `tideline-bench <suite>`: measures the project's performance goals.
@main
struct TidelineBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-bench",
        abstract: "Measure the performance, and compare each figure with its limit.",
        discussion: """
            A ratio compares two times from the same run on the same machine. Most limits apply to \
            ratios. Build with -c release: figures of a debug build are meaningless.

            AutoModel is measured by a separate program, tideline-bench-models: its macros need \
            swift-syntax, which takes minutes to build.
            """,
        subcommands: [Run<Suites>.self, ReportDiff.self, Probe<Suites>.self],
        defaultSubcommand: Run<Suites>.self)

    static func main() async {
        // Use the same allocator settings as the programs whose memory is measured.
        AllocatorMemory.returnLargeBuffers()
        await main(nil)
    }
}

/// All suites that don't need macros.
enum Suites: SuiteList {
    static let all: [any Suite.Type] = [
        KeyValueSuite.self, ScaleSuite.self, RowsSuite.self, KillSuite.self, ScreenSuite.self,
        EntitySuite.self, CatalogSuite.self, AutomergeSuite.self, ReadingSuite.self,
        DocumentSuite.self, TablesSuite.self, BlobsSuite.self, CompareSuite.self,
    ]
}
