public import GRDB
import GRDBSQLite

extension Database {
    /// The lowest limit that ``limitingLength(to:_:)`` sets, in bytes. A row with a long value
    /// needs room for its other columns: a key of up to a mebibyte and lists of causal parents.
    package static let leastLength = 2 << 20

    /// Runs `body` with a limit on the length of any text or blob: `longest` bytes, but at least
    /// two mebibytes.
    ///
    /// - Throws: `DatabaseError`, `SQLITE_TOOBIG`, if `body` loads a longer value.
    public func limitingLength<Result>(
        to longest: Int, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, -1)
        let limit = min(before, CInt(clamping: max(longest, Self.leastLength)))
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, limit)
        defer { sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, before) }
        return try body()
    }

    /// Makes SQLite check every page again on its next use. SQLite checks a page only when it loads
    /// it into memory. After it has reported damage once, it treats the page as sound while the
    /// page stays in memory.
    package func forgetPages() { sqlite3_db_release_memory(sqliteConnection) }

    /// Refuses a database whose schema would run code on a write. No database of this library has a
    /// trigger.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable`.
    package func refuseTriggers() throws {
        let found = try Row.fetchOne(
            self, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1")
        guard let found else { return }
        throw ReplicationError(
            .unreadable,
            "it has a trigger, \((found.text("name") ?? "").quoted), which would run "
                + "on every write")
    }
}
