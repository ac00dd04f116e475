import BenchSupport
import Foundation
import GRDB

/// Queries by the sqlite3 program, as the lower bound of a query's cost.
struct PlainSQLite {
    private let file: URL

    init(_ file: URL) { self.file = file }

    /// A statement with bound values. Literal values could make SQLite choose a different plan.
    struct Query {
        fileprivate let sql: String
        fileprivate let arguments: [String]

        init(_ request: SQLRequest<some Any>, _ db: Database) throws {
            let statement = try request.makePreparedRequest(db).statement
            sql = PlainSQLite.withoutBitAggregates(statement.sql)
            let marks = statement.sql.filter { $0 == "?" }.map { _ in "quote(?)" }
            guard !marks.isEmpty else {
                arguments = []
                return
            }
            // GRDB exposes the values only through SQLite, so select them.
            let row = try Row.fetchOne(
                db, sql: "SELECT \(marks.joined(separator: ", "))",
                arguments: statement.arguments)
            arguments = row?.databaseValues.compactMap(String.fromDatabaseValue) ?? []
        }
    }

    /// Measures `query`, run `times` times by one process, without the process's start-up time.
    ///
    /// The rows are formatted as text and discarded.
    func time(of query: Query, times: Int, runs: Int) throws -> Duration {
        let parameters = query.arguments.enumerated().map { index, value in
            ".parameter set ?\(index + 1) \"\(value)\"\n"
        }
        let start = ".output /dev/null\n.parameter init\n" + parameters.joined()
        let empty = try time(of: start, runs: runs)
        let full = try time(
            of: start + String(repeating: query.sql + ";\n", count: times), runs: runs)
        return max(.zero, full - empty) / times
    }

    /// Measures statements that have no parameters.
    func time(of statements: [String], times: Int, runs: Int) throws -> Duration {
        let once = statements.map { Self.withoutBitAggregates($0) + ";\n" }.joined()
        let start = ".output /dev/null\n"
        let empty = try time(of: start, runs: runs)
        let full = try time(of: start + String(repeating: once, count: times), runs: runs)
        return max(.zero, full - empty) / times
    }

    private func time(of script: String, runs: Int) throws -> Duration {
        let file = file.appendingPathExtension("sql")
        try Data((script + "SELECT 1 FROM sqlite_master;\n").utf8).write(to: file)
        return try Stopwatch.median(runs: runs) {
            _ = try Program(named: "sqlite3").run(["-readonly", self.file.path], input: file)
        }.time
    }

    /// Measures the insertion of all rows of tables into an empty file, in one transaction.
    ///
    /// - Parameters:
    ///   - folder: Receives the empty file.
    ///   - makeEmpty: Creates the empty file. Not timed.
    func timeOfInserting(
        _ tables: String, in folder: BenchFolder, runs: Int, makeEmpty: (URL) throws -> Void
    ) throws -> Duration {
        let sqlite = Program(named: "sqlite3")
        let text = """
            PRAGMA synchronous = FULL; PRAGMA journal_mode = TRUNCATE;
            BEGIN;
            \(try sqlite.run([file.path, ".dump --data-only \(tables)"]))
            COMMIT;
            """
        let script = folder.url.appending(path: "insert.sql")
        try Data(text.utf8).write(to: script)
        let copy = folder.url.appending(path: "plain.db")
        return try Stopwatch.median(
            runs: runs,
            prepare: {
                try? FileManager.default.removeItem(at: copy)
                try makeEmpty(copy)
            },
            work: { _ = try sqlite.run([copy.path], input: script) }
        ).time
    }

    /// The sqlite3 program lacks BIT_OR and BIT_AND, so combine the six relevant bits one by one.
    static func withoutBitAggregates(_ sql: String) -> String {
        var result = ""
        var rest = Substring(sql)
        while let call = rest.firstRange(of: /BIT_(?:OR|AND)\(/) {
            result += rest[..<call.lowerBound]
            let aggregate = rest[call].contains("OR") ? "MAX" : "MIN"
            var depth = 1
            var end = call.upperBound
            while depth > 0, end < rest.endIndex {
                if rest[end] == "(" { depth += 1 }
                if rest[end] == ")" { depth -= 1 }
                end = rest.index(after: end)
            }
            let value = rest[call.upperBound..<rest.index(before: end)]
            let bits = (0..<6).map { "\(aggregate)(\(value) & \(1 << $0))" }
            result += "(\(bits.joined(separator: " | ")))"
            rest = rest[end...]
        }
        return result + rest
    }
}
