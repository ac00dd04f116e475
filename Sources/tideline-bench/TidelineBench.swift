import ArgumentParser

/// `tideline-bench <suite>`: measures what the figures of the project promise.
@main
struct TidelineBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tideline-bench",
        abstract: "Measure each figure beside the plain thing that is its limit.",
        discussion: """
            A ratio compares two times of one run on one machine; it is what a limit holds for. \
            Build with -c release: figures of a debug build mean nothing.
            """,
        subcommands: [Run.self, Compare.self, Probe.self],
        defaultSubcommand: Run.self)
}
