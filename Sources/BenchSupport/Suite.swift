package import Foundation

/// The measurements of one subject, with a name for the command line.
///
/// To add a suite, write a type and list it in its program's ``SuiteList/all``.
package protocol Suite: Sendable {
    /// The name on the command line.
    static var name: String { get }
    /// A one-line description.
    static var abstract: String { get }

    init()

    /// Takes all measurements and adds each to `report`, which prints it immediately.
    func run(_ options: SuiteOptions, into report: inout Report) async throws

    /// Takes one measurement in a process started only for it, and returns a number. Memory is
    /// measured this way, because earlier work in the same process would distort the result.
    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double
}

extension Suite {
    package func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        throw Self.noProbe(name)
    }

    package static func noProbe(_ name: String) -> BenchError {
        BenchError("the suite \(Self.name) has no probe \(name)")
    }

    /// Returns the path that follows a prefix in the name of a probe.
    package static func path(ofProbe name: String, _ prefix: String) throws -> String {
        guard name.hasPrefix(prefix) else { throw noProbe(name) }
        return String(name.dropFirst(prefix.count))
    }

    /// Runs ``probe(_:_:)`` in a separate process.
    package func probeApart(_ name: String, _ options: SuiteOptions) throws -> Double {
        let arguments = ["probe", Self.name, name] + options.arguments
        let output = try Program(path: "/proc/self/exe").run(arguments)
        guard let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("the probe \(name) did not print a number: \(output.prefix(200))")
        }
        return value
    }
}

/// The suites of a program.
package protocol SuiteList {
    static var all: [any Suite.Type] { get }
}

extension SuiteList {
    static func named(_ name: String) -> (any Suite.Type)? { all.first { $0.name == name } }
}

/// The command-line options of a suite.
package struct SuiteOptions {
    /// The folder with test fixtures, which isn't part of the project.
    package var fixtures: String?
    /// The `tideline` program to measure; `nil` for the one next to this program.
    package var program: String?
    /// The number of runs per measurement. The median of the runs is reported.
    package var runs: Int

    /// The options as arguments for another process of this program.
    package var arguments: [String] {
        (fixtures.map { ["--fixtures", $0] } ?? []) + (program.map { ["--program", $0] } ?? [])
            + ["--runs", String(runs)]
    }

    /// Returns the URL of a fixture file.
    package func fixture(_ path: String) throws -> URL {
        guard let fixtures else {
            throw BenchError("set the folder with test fixtures: --fixtures, or TIDELINE_FIXTURES")
        }
        let url = URL(filePath: fixtures).appending(path: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw BenchError("\(url.path) does not exist")
        }
        return url
    }
}

/// A measurement that could not be taken.
package struct BenchError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
