import AutoModel
import BenchSupport
import GRDB

/// Migrations of a table with 1,000,000 rows, compared with hand-written SQL.
struct MigrationSuite: Suite {
    static let name = "migration"
    static let abstract = "1,000,000 rows: change a column's type, drop it, make it required."

    private static let count = 1_000_000
    private static let limit = 1.3

    func run(_ options: SuiteOptions, into report: inout Report) async throws {
        try compare("a column changes its type", Retyped.Row.self, options, &report) {
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
                size TEXT NOT NULL DEFAULT '', note TEXT);
            INSERT INTO new SELECT id, name, CAST(size AS TEXT), note FROM Row;
            """
        }
        try compare("a column is dropped", Fewer.Row.self, options, &report) {
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
                size INTEGER NOT NULL DEFAULT 0);
            INSERT INTO new SELECT id, name, size FROM Row;
            """
        }
        try compare("a column becomes required", Stricter.Row.self, options, &report) {
            """
            CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT '',
                size INTEGER NOT NULL DEFAULT 0, note TEXT NOT NULL DEFAULT '');
            INSERT INTO new SELECT id, name, size, coalesce(note, '') FROM Row;
            """
        }
    }

    private func compare(
        _ name: String, _ model: any AutoRecord.Type, _ options: SuiteOptions,
        _ report: inout Report, _ sql: () -> String
    ) throws {
        let own = try Stopwatch.median(
            runs: options.runs, prepare: prepared,
            work: { file in
                let database = try AutoDatabase.open(at: file.path, models: model)
                try database.close()
                file.remove()
            })
        let statements = sql() + "DROP TABLE Row; ALTER TABLE new RENAME TO Row;"
        let plain = try Stopwatch.median(
            runs: options.runs, prepare: prepared,
            work: { file in
                let queue = try file.plain()
                try queue.write { try $0.execute(sql: statements) }
                try queue.close()
                file.remove()
            })
        report.add(name, own.time, baseline: plain.time, limit: Self.limit)
    }

    private func prepared() throws -> TrackFile {
        let file = try TrackFile()
        try AutoDatabase.open(at: file.path, models: Before.Row.self).close()
        let queue = try file.plain()
        try queue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
                    INSERT INTO Row (id, name, size, note) SELECT i, 'the name of ' || i, i * 7, '' FROM n
                    """)
        }
        try queue.close()
        return file
    }
}

private enum Before {
    @AutoModel final class Row {
        var name = ""
        var size = 0
        var note: String?
    }
}

private enum Retyped {
    @AutoModel final class Row {
        var name = ""
        var size = ""
        var note: String?
    }
}

private enum Fewer {
    @AutoModel final class Row {
        var name = ""
        var size = 0
        static var schema: ModelSchema<Row> { ModelSchema().removed("note") }
    }
}

private enum Stricter {
    @AutoModel final class Row {
        var name = ""
        var size = 0
        var note = ""
    }
}
