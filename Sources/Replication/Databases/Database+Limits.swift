public import GRDB
import GRDBSQLite

extension Database {
    /// What stands in a row beside a long value needs room: a key of a mebibyte, lists of causes.
    package static let leastLength = 2 << 20

    /// Runs `body` with no text and no blob being loaded that has more bytes than `longest`, or
    /// two mebibytes where that is more.
    ///
    /// - Throws: `DatabaseError`, `SQLITE_TOOBIG`, where `body` comes upon one.
    public func limitingLength<Result>(
        to longest: Int, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, -1)
        let limit = min(before, CInt(clamping: max(longest, Self.leastLength)))
        sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, limit)
        defer { sqlite3_limit(sqliteConnection, SQLITE_LIMIT_LENGTH, before) }
        return try body()
    }

    /// Makes the next look at each page find again what is wrong with it: SQLite checks a page when it
    /// comes into memory, says so once, and takes it for sound as long as it stays there.
    package func forgetPages() { sqlite3_db_release_memory(sqliteConnection) }

    /// Refuses a database in which a write would run what its schema says: none of this library's
    /// has a trigger.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable`.
    package func refuseTriggers() throws {
        let found = try Row.fetchOne(
            self, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger' LIMIT 1")
        guard let found else { return }
        throw ReplicationError(
            .unreadable,
            "it has a trigger, \((found.text("name") ?? "").quoted), which would act on "
                + "what is written")
    }
}
