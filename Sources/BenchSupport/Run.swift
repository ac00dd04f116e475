package import ArgumentParser
import Foundation

/// The options shared by a suite and its probes.
package struct SuiteArguments: ParsableArguments {
    @Option(help: "The folder with test fixtures. Default: $TIDELINE_FIXTURES.")
    package var fixtures: String?

    @Option(help: "The tideline program to measure. Default: the one next to this program.")
    package var program: String?

    @Option(help: "The number of runs per measurement. The median is reported.")
    package var runs = 3

    package init() {}

    package func validate() throws {
        guard (1...1000).contains(runs) else {
            throw ValidationError("--runs must be a number from 1 to 1000")
        }
    }

    package var options: SuiteOptions {
        SuiteOptions(
            fixtures: fixtures ?? ProcessInfo.processInfo.environment["TIDELINE_FIXTURES"],
            program: program, runs: runs)
    }
}

/// `<suite>…`: runs suites and prints their measurements.
package struct Run<Suites: SuiteList>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "run", abstract: "Run suites (the default).",
            discussion: Suites.all.map { "  \($0.name): \($0.abstract)" }
                .joined(separator: "\n"))
    }

    @Argument(help: "Suites to run. Default: all of them.")
    package var suites: [String] = []

    @Flag(help: "Print JSON for 'diff' instead of a table.")
    package var json = false

    @OptionGroup var shared: SuiteArguments

    package init() {}

    package func validate() throws {
        for name in suites where Suites.named(name) == nil {
            let known = Suites.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("unknown suite '\(name)'; the suites are: \(known)")
        }
    }

    package func run() async throws {
        let chosen = suites.isEmpty ? Suites.all : suites.compactMap(Suites.named)
        var report = Report(printsTable: !json)
        for suite in chosen {
            report.begin(suite.name)
            try await suite.init().run(shared.options, into: &report)
        }
        if json { print(try report.json()) }
        if report.measurements.contains(where: { $0.verdict == .missed }) { throw ExitCode(1) }
    }
}

/// `probe`: takes one measurement in a separate process, for use by the suites.
package struct Probe<Suites: SuiteList>: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "probe", abstract: "Print one number of a suite.", shouldDisplay: false)
    }

    @Argument var suite: String
    @Argument var name: String
    @OptionGroup var shared: SuiteArguments

    package init() {}

    package func run() async throws {
        guard let type = Suites.named(suite) else {
            throw ValidationError("unknown suite '\(suite)'")
        }
        print(try await type.init().probe(name, shared.options))
    }
}
