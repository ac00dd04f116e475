import BenchSupport
import Foundation
import GRDB
import Replication
import Tables
import TestSupport

/// Measurements of whole columns and files of rows, compared with the sqlite3 program.
extension TablesSuite {
    private static let importedCount = 1_000_000

    /// Measures the profile of a column without an index.
    func measureProfile(_ path: String, _ report: inout Report) throws {
        let file = TableFile(path)
        let tables = try file.read { try DatabaseTables($0) }.0
        guard let table = tables.table("visit"), let column = table.column("title") else {
            throw BenchError("the table is missing")
        }
        let profile = try Stopwatch.median(runs: 1) {
            try file.read(instructionsPerByte: .max) {
                try ColumnProfile($0, of: column, in: table)
            }.0
        }
        let plain = try PlainSQLite(URL(filePath: path)).time(
            of: ["SELECT title, count(*) FROM visit GROUP BY title"], times: 1, runs: 1)
        report.add(
            "profile of a column, compared with grouping by sqlite3", profile.time, baseline: plain,
            limit: 1.2)
    }

    /// Measures the import of a CSV file into a new table.
    func measureImport(_ options: SuiteOptions, _ report: inout Report) throws {
        let folder = try TemporaryFolder()
        let source = folder.appending("rows.csv")
        var text = "id,title,total,note\n"
        for number in 1...Self.importedCount {
            text += "\(number),page \(number),\(Double(number % 1000) / 8),\"a, b\"\n"
        }
        try Data(text.utf8).write(to: URL(filePath: source))
        let script = folder.appending("import.sql")
        try Data(".mode csv\n.import --skip 1 \(source) t\n".utf8).write(to: URL(filePath: script))

        func database() throws -> String {
            let path = folder.appending("\(UUID()).db")
            let queue = try DatabaseQueue(path: path)
            try queue.write {
                let columns = "id INTEGER PRIMARY KEY, title TEXT, total REAL, note TEXT"
                try $0.execute(sql: "CREATE TABLE t (\(columns))")
            }
            try queue.close()
            return path
        }
        let own = try Stopwatch.median(runs: options.runs, prepare: database) { path in
            try TableWriter(TableFile(path)).insert(
                TableImport(.csv) { try WholeFile.forEachPiece(of: source, $0) }, into: "t"
            ).count
        }
        guard own.output == Self.importedCount else { throw BenchError("rows are missing") }
        let plain = try Stopwatch.median(runs: options.runs, prepare: database) { path in
            _ = try Program(named: "sqlite3").run([path], input: URL(filePath: script))
        }
        report.add(
            "import of 1,000,000 CSV rows, compared with sqlite3's .import", own.time,
            baseline: plain.time,
            limit: 1.2)
    }
}
