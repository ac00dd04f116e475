import CSQLiteSettings
import Foundation
import GRDB
import GRDBSQLite

/// Running what the schema of another program's file says.
extension Database {
    /// Refuses what a schema could use to reach beyond its file.
    func defend() {
        guard let connection = sqliteConnection else { return }
        tideline_defend(connection)
    }

    /// Runs `body` while a word in double quotes that names nothing is text, as it is by SQLite's
    /// default. Views and triggers of other programs rely on that.
    ///
    /// Statements must be both prepared and stepped in `body`.
    func acceptingQuotedText<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard let connection = sqliteConnection else { return try body() }
        let before = tideline_accept_quoted_text(connection, 1)
        defer { _ = tideline_accept_quoted_text(connection, before) }
        return try body()
    }

    /// Checks that no word in double quotes of the user's own SQL names nothing: there it is a
    /// misspelled column, not text.
    ///
    /// - Parameters:
    ///   - sql: The statement.
    ///   - own: The part of it that the user wrote.
    /// - Throws: `DatabaseError` for such a word. Other errors are left to the statement itself.
    func requireColumns(quotedIn own: String, of sql: String) throws {
        guard let connection = sqliteConnection else { return }
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
    /// The name after `no such column:`, without what newer versions of SQLite add.
    fileprivate var missingColumn: String? {
        let beginning = "no such column: "
        guard let message, message.hasPrefix(beginning) else { return nil }
        let rest = message.dropFirst(beginning.count)
        guard rest.hasPrefix("\""), let end = rest.range(of: "\" - should this be")?.lowerBound
        else { return String(rest) }
        return String(rest[rest.index(after: rest.startIndex)..<end])
    }
}
