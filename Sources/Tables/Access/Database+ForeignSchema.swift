import CSQLiteSettings
import Foundation
import GRDB
import GRDBSQLite

/// Handling of schemas from other programs.
extension Database {
    /// Disables schema features that could reach beyond the database file.
    func defend() {
        guard let connection = sqliteConnection else { return }
        tideline_defend(connection)
    }

    /// Runs `body` while SQLite reads unknown names in double quotes as strings, which is its
    /// default. Views and triggers of other programs rely on this behavior.
    ///
    /// Statements must be both prepared and stepped in `body`.
    func acceptingQuotedText<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let connection = sqliteConnection else { return try body() }
        let before = tideline_accept_quoted_text(connection, 1)
        defer { _ = tideline_accept_quoted_text(connection, before) }
        return try body()
    }

    /// Returns the missing functions that a statement calls, directly or through views and
    /// generated columns.
    ///
    /// - Throws: `DatabaseError` if the schema can't be read.
    func missingFunctions(neededBy sql: String) throws -> [String] {
        let functions = try StandInFunctions(self)
        guard !functions.isEmpty else { return [] }
        return functions.without(self) {
            acceptingQuotedText { functions.missing(neededBy: [sql], self) }
        }
    }

    /// Checks that every function and double-quoted name in the user's own SQL exists. Otherwise a
    /// misspelled column would be read as a string, and a missing function of the file as `NULL`.
    ///
    /// - Parameters:
    ///   - own: The part of the statement that the user wrote.
    ///   - sql: The statement.
    /// - Throws: `DatabaseError` for an unknown name or function. Other errors are left to the
    ///   statement itself.
    func requireNames(in own: String, of sql: String) throws {
        guard let connection = sqliteConnection else { return }
        let mentioned = SQLMentions(own).functions
        let missing = try missingFunctions(neededBy: sql).first { name in
            mentioned.contains { SQLName.areSame($0.name, name) }
        }
        if let missing {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such function: \(missing)")
        }
        let before = tideline_accept_quoted_text(connection, 0)
        defer { _ = tideline_accept_quoted_text(connection, before) }
        do {
            _ = try makeStatement(sql: sql)
        } catch let error as DatabaseError {
            guard let word = error.missingColumn, own.contains(SQLName.quoted(word)) else { return }
            throw error
        }
    }
}

extension DatabaseError {
    /// The name after `no such column:`, without the hint that newer versions of SQLite append.
    fileprivate var missingColumn: String? {
        let beginning = "no such column: "
        guard let message, message.hasPrefix(beginning) else { return nil }
        let rest = message.dropFirst(beginning.count)
        guard rest.hasPrefix("\""), let end = rest.range(of: "\" - should this be")?.lowerBound
        else { return String(rest) }
        return String(rest[rest.index(after: rest.startIndex)..<end])
    }
}
