import BenchSupport
import Foundation

/// The baseline of ``ReadingSuite``: the Python package automerge reads the same documents. The
/// package wraps the reference implementation in Rust.
struct AutomergeReference {
    /// The processor time for reading all files.
    let time: Duration
    /// The memory that the documents take, in megabytes.
    let memory: Double

    private static let script = String(decoding: PackageResources.automerge_py, as: UTF8.self)

    /// Whether `python3` in PATH has the package.
    static var isAvailable: Bool {
        let output = try? Program(named: "python3").run([
            "-c", "from automerge import core; print(1)",
        ])
        return output?.hasPrefix("1") == true
    }

    /// Loads the files, and reads the text `text` of each.
    init(reading files: [URL], text: Bool, _ options: SuiteOptions) throws {
        let output = try Program(named: "python3").run(
            ["-c", Self.script, String(options.runs), text ? "text" : "load"] + files.map(\.path))
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else {
            throw BenchError("automerge did not print two numbers: \(output.prefix(200))")
        }
        (time, memory) = (.seconds(numbers[0]), numbers[1])
    }
}
