import BenchSupport
import Foundation
import TestSupport

/// `tideline diff` of two tables of a million rows with a thousand differences, compared with two
/// `EXCEPT` queries in the sqlite3 program.
struct TableDifferenceMeasurement {
    private static let count = 1_000_000

    func run(_ options: SuiteOptions, into report: inout Report) throws {
        let program = Program(path: try ScreenSuite.program(options))
        let folder = try TemporaryFolder()
        let (from, to) = (folder.appending("from.db"), folder.appending("to.db"))
        try Self.fill(from)
        try FileManager.default.copyItem(atPath: from, toPath: to)
        try Self.change(to)
        let script = URL(filePath: folder.appending("except.sql"))
        try Data(
            """
            ATTACH '\(to)' AS other;
            SELECT * FROM main.visit EXCEPT SELECT * FROM other.visit;
            SELECT * FROM other.visit EXCEPT SELECT * FROM main.visit;
            """.utf8
        ).write(to: script)
        let queries = try Stopwatch.median(runs: options.runs) {
            _ = try Program(named: "sqlite3").run(["-readonly", from], input: script)
        }
        let (time, output) = try Stopwatch.median(runs: options.runs) {
            // The exit code is 1 because there are differences.
            try program.run(["diff", from, to, "--json"], status: 1)
        }
        let lines = output.utf8.count { $0 == UInt8(ascii: "\n") }
        guard lines == 1_000 else { throw BenchError("\(lines) differences, not 1,000") }
        report.add(
            "difference of two tables of 1,000,000 rows, compared with two EXCEPT queries", time,
            baseline: queries.time, limit: 1.5)
    }

    private static func fill(_ path: String) throws {
        try runSQL(
            """
            PRAGMA synchronous = OFF;
            CREATE TABLE visit (id INTEGER PRIMARY KEY, time INTEGER, url TEXT, title TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
                INSERT INTO visit SELECT i, (i * 2654435761) % 4294967296,
                    'https://example.org/pages/' || i, 'page ' || i FROM n;
            """, at: path, isTransaction: false)
    }

    /// Changes 800 rows, deletes 100 and adds 100.
    private static func change(_ path: String) throws {
        try runSQL(
            """
            PRAGMA synchronous = OFF;
            UPDATE visit SET title = title || '!' WHERE id % 1250 = 0;
            DELETE FROM visit WHERE id % 10000 = 1;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
                INSERT INTO visit SELECT \(count) + i, i, 'https://example.org/new', 'new' FROM n;
            """, at: path, isTransaction: false)
    }
}
