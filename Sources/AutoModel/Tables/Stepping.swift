import GRDB
import GRDBSQLite

extension Database {
    /// Returns a cached statement with its arguments bound.
    func prepared(_ sql: String, _ arguments: [SQLValue] = []) throws -> ColumnStatement {
        let statement = ColumnStatement(try cachedStatement(sql: sql))
        statement.clear()
        let wanted = Int(sqlite3_bind_parameter_count(statement.handle))
        guard wanted == arguments.count else {
            throw AutoModelError(
                .sql, "\(wanted) arguments are needed, but there are \(arguments.count): \(sql)")
        }
        do {
            for (index, argument) in arguments.enumerated() {
                try statement.bind(argument, Int32(index + 1))
            }
        } catch let error as InvalidValue {
            throw AutoModelError(.invalidValue, "a query can't run: \(error.reason)", cause: error)
        }
        return statement
    }

    /// Runs a statement without caching it, and calls `body` for each row.
    func each(once sql: String, _ body: (ColumnStatement) throws -> Void) throws {
        let made = try makeStatement(sql: sql)
        let statement = ColumnStatement(made)
        try withExtendedLifetime(made) { while try step(statement) { try body(statement) } }
    }

    func run(once sql: String) throws { try each(once: sql) { _ in } }

    func ids(once sql: String) throws -> [Int64] {
        var ids: [Int64] = []
        try each(once: sql) { ids.append(try $0.integer(0)) }
        return ids
    }

    /// Runs a cached statement, and calls `body` for each row.
    func each(
        _ sql: String, _ arguments: [SQLValue] = [], _ body: (ColumnStatement) throws -> Void
    ) throws {
        let statement = try prepared(sql, arguments)
        defer { statement.clear() }
        while try step(statement) { try body(statement) }
    }

    /// Steps a statement to its next row.
    ///
    /// - Returns: `false` after the last row.
    func step(_ statement: ColumnStatement) throws -> Bool {
        switch sqlite3_step(statement.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let connection = sqlite3_db_handle(statement.handle)
            let extended = sqlite3_extended_errcode(connection)
            throw DatabaseError(
                resultCode: ResultCode(rawValue: extended == 0 ? code : extended),
                message: String(cString: sqlite3_errmsg(connection)),
                sql: String(cString: sqlite3_sql(statement.handle)))
        }
    }

    /// Runs a statement to its end and resets it, so that it can run again with other values.
    func run(_ statement: ColumnStatement) throws {
        defer { sqlite3_reset(statement.handle) }
        while try step(statement) {}
    }

    func run(_ sql: String, _ arguments: [SQLValue] = []) throws {
        let statement = try prepared(sql, arguments)
        defer { statement.clear() }
        while try step(statement) {}
    }

    func ids(_ sql: String, _ arguments: [SQLValue] = []) throws -> [Int64] {
        var ids: [Int64] = []
        try each(sql, arguments) { ids.append(try $0.integer(0)) }
        return ids
    }

    func value(_ sql: String, _ arguments: [SQLValue] = []) throws -> SQLValue? {
        var value: SQLValue?
        let statement = try prepared(sql, arguments)
        defer { statement.clear() }
        if try step(statement) { value = statement.value(0) }
        return value
    }
}

extension Array where Element == Int64 {
    /// Slices that are short enough for one statement.
    var batches: [ArraySlice<Int64>] {
        stride(from: 0, to: count, by: 500).map { self[$0..<Swift.min($0 + 500, count)] }
    }
}

extension Collection where Element == Int64 {
    /// The numbers as an SQL list for `IN`.
    var sqlList: String { "(\(map(String.init).joined(separator: ",")))" }
}
