import BenchSupport
import Glibc
import KeyValueStore
import Replication

/// Costs that grow with the number of rows.
struct RowsSuite: OpenedStoreSuite {
    static let name = "rows"
    static let abstract = "100,000 to 10,000,000 rows of 100,000 keys, and rows of PARStore 1."

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        let files = try KeyValueFiles()
        defer { files.remove() }
        let older = try files.makeLargePackage(format: .parstore1)
        Glibc.sync()
        let plain = try files.timeOfNewestRows(older, .parstore1, runs: options.runs)
        let own = try Stopwatch.median(runs: options.runs) {
            try KeyValueFiles.store(older, nil).count
        }
        report.add("open 1000000 rows of PARStore 1", own.time, baseline: plain, limit: 1)
        files.removePackage(older.name)
        var million: Duration?
        for count in [100_000, 1_000_000, 10_000_000] {
            let package = try files.makeLargePackage(rows: count)
            // Pending writes to disk would affect the measurement.
            Glibc.sync()
            let live = Double(try KeyValueFiles.store(package, nil).liveByteCount) / 1e6
            let own = try Stopwatch.median(runs: options.runs) {
                try KeyValueFiles.store(package, nil).count
            }
            let isLimited = count > 1_000_000
            report.add(
                "open \(count) rows", own.time, baseline: million, limit: isLimited ? 1.3 : nil)
            if count == 1_000_000 { million = own.time }
            let memory = try memory(of: package, options)
            report.add("memory of \(count) rows", memory, "MB", baseline: live)
            files.removePackage(package.name)
        }
    }
}
