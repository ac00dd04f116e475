public import GRDB
import GRDBSQLite

/// A person's own SQL, run so that it can read and nothing else.
///
/// SQLite itself sees to that: the connection is read-only, `query_only` and defensive, attaches
/// nothing, and an authorizer refuses whatever is not reading, before it runs.
public struct ReadOnlyQuery: Sendable, Hashable {
    /// One statement.
    public let sql: String

    /// A query of one statement; what is wrong with it is told when it is run.
    public init(_ sql: String) { self.sql = sql }

    /// A step of how SQLite answers a query.
    public struct PlanStep: Hashable, Sendable {
        /// How deep it is inside other steps.
        public let depth: Int
        /// As SQLite words it: `SEARCH visits USING INDEX …`.
        public let detail: String
    }

    /// Runs the query, row by row.
    ///
    /// - Parameters:
    ///   - begin: Gets the names of the columns, before the first row.
    ///   - row: Gets each row; `false` ends the query.
    /// - Throws: ``TablesError``, `.usage`, for a statement that does not only read; `DatabaseError`
    ///   for one that is wrong; what `row` throws.
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

    /// How SQLite would answer it. Nothing of the query runs.
    ///
    /// - Throws: As ``run(_:begin:row:)``.
    public func plan(_ db: Database) throws -> [PlanStep] {
        var depths: [Int64: Int] = [:]
        var steps: [PlanStep] = []
        try guarded(db, "EXPLAIN QUERY PLAN \(sql)") { stepper in
            while try stepper.step() {
                let depth = stepper.integer(1).flatMap { depths[$0] }.map { $0 + 1 } ?? 0
                if let id = stepper.integer(0) { depths[id] = depth }
                guard case .text(let detail) = stepper.value(3) else { continue }
                steps.append(PlanStep(depth: depth, detail: detail))
            }
        }
        return steps
    }

    private func guarded(
        _ db: Database, _ sql: String, _ body: (RowStepper) throws -> Void
    ) throws {
        guard let connection = db.sqliteConnection else { return }
        sqlite3_set_authorizer(connection, Self.authorizer, nil)
        defer { sqlite3_set_authorizer(connection, nil, nil) }
        try db.acceptingQuotedText {
            let statement = try makeStatement(db, sql)
            try body(try RowStepper(statement, db, StatementArguments()))
        }
    }

    private func makeStatement(_ db: Database, _ sql: String) throws -> Statement {
        let statement: Statement
        do {
            try db.requireColumns(quotedIn: self.sql, of: sql)
            statement = try db.makeStatement(sql: sql)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_AUTH {
            throw TablesError(
                .usage, "only statements that read are run here, and this one does more",
                wayOut: "Rows are written with: tideline tables set, insert, delete")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
            throw TablesError(
                .usage, "there is more than one statement here", wayOut: "Run them one by one.")
        }
        guard statement.isReadonly else {
            throw TablesError(.usage, "only statements that read are run here, and this one writes")
        }
        try statement.requireNoParameters()
        return statement
    }

    /// Lets a statement read tables and call functions that do no more than compute.
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
                // These change something when they are given a value.
                return second == nil && telling.contains(name) ? SQLITE_OK : SQLITE_DENY
            case SQLITE_UPDATE:
                // Asked while the module of a virtual table declares its columns; a statement that
                // really writes there is refused for not being read-only.
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
    private static let telling: Set<String> = [
        "application_id", "auto_vacuum", "data_version", "encoding", "freelist_count",
        "journal_mode", "page_count", "page_size", "schema_version", "user_version",
    ]
}

extension Statement {
    /// Refuses a statement with places for values that nobody gives.
    func requireNoParameters() throws(TablesError) {
        guard sqlite3_bind_parameter_count(sqliteStatement) > 0 else { return }
        throw TablesError(
            .usage, "it has parameters, such as ?, and nothing gives them values",
            wayOut: "Write the values themselves.")
    }
}
