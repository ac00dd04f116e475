import BenchSupport
import Foundation

/// The time in which the Python package loro applies the trace, as the baseline of the suite's
/// ratios.
enum LoroBaseline {
    private static let script = String(decoding: PackageResources.loro_py, as: UTF8.self)

    /// Requires `python3` with the package `loro` in PATH.
    static func measure(_ options: SuiteOptions) throws -> Duration {
        let trace = try options.fixture("automerge/edits.json")
        let output = try Program(named: "python3")
            .run(["-c", script, trace.path, String(options.runs)])
        guard let seconds = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("loro did not print a number: \(output.prefix(200))")
        }
        return .seconds(seconds)
    }
}
