import BenchSupport
import Foundation
import KeyValueStore
import Replication

/// `tideline diff`, `extract` and `devices --seen` on a package of a million rows, compared with
/// listing its keys and values.
struct StoreDifferenceMeasurement {
    private static let changes = 1_000

    func run(_ options: SuiteOptions, into report: inout Report) throws {
        let program = Program(path: try ScreenSuite.program(options))
        let files = try KeyValueFiles()
        defer { files.remove() }
        let package = try files.makeLargePackage()
        let copy = package.path + ".copy"
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        let store = try KeyValueFiles.store(StorePackage(opening: copy), "dora")
        for number in 0..<Self.changes {
            try store.set(.integer(Int64(number)), forKey: KeyValueFiles.key(number * 100))
        }
        try store.save()
        try store.close()

        let list = try Stopwatch.median(runs: options.runs) {
            try program.runAlone(["kv", "list", package.path, "--json"])
        }
        let (time, output) = try Stopwatch.median(runs: options.runs) {
            // The exit code is 1 because there are differences.
            try program.run(["diff", package.path, copy, "--json"], status: 1)
        }
        let lines = output.utf8.count { $0 == UInt8(ascii: "\n") }
        guard lines == Self.changes else {
            throw BenchError("\(lines) differences, not \(Self.changes)")
        }
        report.add(
            "difference of two packages of 1,000,000 rows, compared with listing both", time,
            baseline: list.time * 2)
        let small = package.path + ".small"
        let extract = try Stopwatch.median(runs: options.runs) {
            try? FileManager.default.removeItem(atPath: small)
            try program.runAlone([
                "extract", package.path, "--prefix", "note/10000", "--output", small, "--redact",
            ])
        }
        report.add(
            "extract of 10 keys of 1,000,000 rows, compared with listing all", extract.time,
            baseline: list.time)
        let seen = try Stopwatch.median(runs: options.runs) {
            try program.runAlone(["devices", package.path, "--seen", "--json"])
        }
        report.add(
            "devices --seen of 1,000,000 rows, compared with listing all", seen.time,
            baseline: list.time)
    }
}
