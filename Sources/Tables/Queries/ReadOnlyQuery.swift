import Foundation
public import GRDB
import GRDBSQLite
import Replication

/// A user's SQL statement, run so that it can only read.
///
/// SQLite enforces this. The connection is read-only, `query_only` and defensive, and attaches no
/// databases. Before the statement runs, an authorizer rejects all operations except reading.
public struct ReadOnlyQuery: Sendable, Hashable {
    /// The statement.
    public let sql: String

    /// Creates a query of one statement. Errors are reported when it runs.
    public init(_ sql: String) { self.sql = sql }

    /// A step of SQLite's query plan.
    public struct PlanStep: Hashable, Sendable {
        /// The nesting depth.
        public let depth: Int
        /// SQLite's description, such as `SEARCH visits USING INDEX …`.
        public let detail: String
    }

    /// Runs the query, row by row.
    ///
    /// - Parameters:
    ///   - begin: Receives the column names before the first row.
    ///   - row: Receives each row; returning `false` ends the query.
    /// - Throws: ``TablesError``, `.usage`, for a statement that doesn't only read; `DatabaseError`
    ///   for an invalid statement; errors of `row`.
    public func run(
        _ db: Database, begin: ([String]) throws -> Void = { _ in },
        row: ([TableValue]) throws -> Bool
    ) throws {
        try guarded(db, sql) { stepper in
            try begin(stepper.columnNames)
            let columns = 0..<stepper.columnCount
            while try stepper.step() {
                guard try row(stepper.values(columns)) else { return }
            }
        }
    }

    /// Returns SQLite's query plan without running the query.
    ///
    /// - Throws: As ``run(_:begin:row:)``.
    public func plan(_ db: Database) throws -> [PlanStep] {
        var depths: [Int64: Int] = [:]
        var steps: [PlanStep] = []
        try guarded(db, "EXPLAIN QUERY PLAN \(sql)") { stepper in
            while try stepper.step() {
                let depth = stepper.integer(1).flatMap { depths[$0] }.map { $0 + 1 } ?? 0
                if let id = stepper.integer(0) { depths[id] = depth }
                guard let detail = stepper.text(3) else { continue }
                steps.append(PlanStep(depth: depth, detail: detail))
            }
        }
        return steps
    }

    /// Returns the missing functions that the query's views and generated columns call. In the
    /// query's results, these functions return `NULL`.
    ///
    /// - Throws: `DatabaseError` if the schema can't be read.
    public func missingFunctions(_ db: Database) throws -> [String] {
        guard let connection = db.sqliteConnection else { return [] }
        try Self.connectVirtualTables(db)
        sqlite3_set_authorizer(connection, Self.authorizer, nil)
        defer { sqlite3_set_authorizer(connection, nil, nil) }
        return try db.missingFunctions(neededBy: sql)
    }

    /// Returns the missing collations that the query needs, also for an index that it uses. In the
    /// query's results, text is compared case-insensitively instead.
    ///
    /// - Throws: As ``run(_:begin:row:)`` for a statement that doesn't only read; errors of the
    ///   file.
    public func missingCollations(in file: TableFile) throws -> [String] {
        guard !checksFile else { return [] }
        // SQLite reports a missing collation only on a connection without replacements.
        return try file.read(standsIn: false) { db in
            let functions = try StandInFunctions(db)
            functions.register(db)
            var found: [DatabaseCollation] = []
            // Later reads can use the same connection.
            defer {
                functions.unregister(db)
                for collation in found { db.remove(collation: collation) }
            }
            while true {
                do {
                    try guarded(db, sql) { _ in }
                    return found.map(\.name)
                } catch let error as DatabaseError {
                    // Running the query reports any other error.
                    guard let missing = error.message.flatMap(MissingExtension.init),
                        missing.kind == .collation,
                        !found.contains(where: { $0.name == missing.name })
                    else { return found.map(\.name) }
                    let collation = DatabaseCollation(missing.name) { _, _ in .orderedSame }
                    db.add(collation: collation)
                    found.append(collation)
                }
            }
        }.0
    }

    /// Whether the query can check the integrity of the file. In that case, missing collations and
    /// functions must not be replaced, because the replacements don't match the indexes in the
    /// file.
    public var checksFile: Bool {
        ["integrity_check", "quick_check", "foreign_key_check"].contains {
            sql.range(of: $0, options: .caseInsensitive) != nil
        }
    }

    private func guarded(
        _ db: Database, _ sql: String, _ body: (RowStepper) throws -> Void
    ) throws {
        guard let connection = db.sqliteConnection else { return }
        try Self.connectVirtualTables(db)
        sqlite3_set_authorizer(connection, Self.authorizer, nil)
        defer { sqlite3_set_authorizer(connection, nil, nil) }
        try db.acceptingQuotedText {
            let statement = try makeStatement(db, sql)
            try body(try RowStepper(statement, db, StatementArguments()))
        }
    }

    /// Connects the virtual tables. Otherwise, SQLite connects one when a statement first uses it.
    /// Some modules then prepare statements that write, as R-trees do for their internal tables,
    /// and the authorizer would reject these statements.
    private static func connectVirtualTables(_ db: Database) throws {
        let stepper = try RowStepper(
            db, "SELECT name FROM sqlite_master WHERE sql LIKE 'create virtual %' LIMIT 1000")
        while try stepper.step() {
            guard let name = stepper.text(0) else { continue }
            // If a table can't be connected, the statement that uses it reports the error.
            _ = try? db.makeStatement(sql: "SELECT 1 FROM \(SQLName.quoted(name))")
        }
    }

    private func makeStatement(_ db: Database, _ sql: String) throws -> Statement {
        let statement: Statement
        do {
            try db.requireNames(in: self.sql, of: sql)
            statement = try db.makeStatement(sql: sql)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_AUTH {
            throw TablesError(
                .usage, "only statements that read can be run",
                suggestion: Suggestion("to change rows, edit the table", .editRows))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            throw TablesError(
                .usage, "there is more than one statement", suggestion: "run them one at a time")
        }
        guard statement.isReadonly else {
            throw TablesError(
                .usage, "only statements that read can be run; this statement writes")
        }
        try statement.requireNoParameters()
        return statement
    }

    /// The callback that permits a statement to read tables, and to call functions without side
    /// effects.
    private static let authorizer:
        @convention(c) (
            UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            UnsafePointer<CChar>?, UnsafePointer<CChar>?
        ) -> CInt = { _, action, first, second, _, _ in
            switch action {
            case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: return SQLITE_OK
            case SQLITE_FUNCTION:
                let name = second.map { String(cString: $0) }?.lowercased() ?? ""
                return forbiddenFunctions.contains(name) ? SQLITE_DENY : SQLITE_OK
            case SQLITE_PRAGMA:
                let name = first.map { String(cString: $0) }?.lowercased() ?? ""
                if describing.contains(name) { return SQLITE_OK }
                // With a value, these pragmas change a setting.
                return second == nil && settings.contains(name) ? SQLITE_OK : SQLITE_DENY
            case SQLITE_UPDATE:
                // SQLite requests this while the module of a virtual table declares its columns. A
                // statement that really writes to the schema is rejected elsewhere, because it
                // isn't read-only.
                return first.map { String(cString: $0) } == "sqlite_master"
                    ? SQLITE_OK : SQLITE_DENY
            default: return SQLITE_DENY
            }
        }

    private static let forbiddenFunctions: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit",
    ]
    private static let describing: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
        "foreign_key_list", "foreign_key_check", "function_list", "module_list", "pragma_list",
        "collation_list", "compile_options", "database_list", "integrity_check", "quick_check",
    ]
    private static let settings: Set<String> = [
        "application_id", "auto_vacuum", "data_version", "encoding", "freelist_count",
        "journal_mode", "page_count", "page_size", "schema_version", "user_version",
    ]
}

extension Statement {
    /// Rejects a statement with parameters, because the caller has no values for them.
    func requireNoParameters() throws(TablesError) {
        guard sqlite3_bind_parameter_count(sqliteStatement) > 0 else { return }
        throw TablesError(
            .usage, "it has parameters, such as ?, but no values can be bound to them",
            suggestion: "write the values in the query itself")
    }
}
