package import Foundation

/// The measurements of one subject, under a name for the command line.
///
/// A suite is added by writing a type and naming it in its program's ``SuiteList/all``.
package protocol Suite: Sendable {
    /// What is typed to run it.
    static var name: String { get }
    /// What it measures, in a line.
    static var abstract: String { get }

    init()

    /// Takes every measurement and adds it to `report`, which prints it at once.
    func run(_ options: SuiteOptions, into report: inout Report) async throws

    /// Does one thing in this process, which was started for it alone, and returns a number: memory
    /// is measured so, because a process that did other things before tells nothing about it.
    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double
}

extension Suite {
    package func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        throw BenchError("the suite \(Self.name) has no probe \(name)")
    }

    /// Runs ``probe(_:_:)`` in a process of its own.
    package func probeApart(_ name: String, _ options: SuiteOptions) throws -> Double {
        let arguments = ["probe", Self.name, name] + options.arguments
        let output = try Program(path: "/proc/self/exe").run(arguments)
        guard let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("the probe \(name) answered no number: \(output.prefix(200))")
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

/// What the command line says to a suite.
package struct SuiteOptions {
    /// The folder of files for checking that are not part of the project.
    package var fixtures: String?
    /// The `tideline` to measure; `nil`: the one beside this program.
    package var program: String?
    /// How often each measurement is taken; the median counts.
    package var runs: Int

    /// The same, for another process of this program.
    package var arguments: [String] {
        (fixtures.map { ["--fixtures", $0] } ?? []) + (program.map { ["--program", $0] } ?? [])
            + ["--runs", String(runs)]
    }

    /// A file of the fixtures.
    package func fixture(_ path: String) throws -> URL {
        guard let fixtures else {
            throw BenchError("name the folder of the fixtures: --fixtures, or TIDELINE_FIXTURES")
        }
        let url = URL(filePath: fixtures).appending(path: path)
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw BenchError("\(url.path) is not there")
        }
        return url
    }
}

/// A measurement that could not be taken.
package struct BenchError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
