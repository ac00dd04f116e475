import GRDB
import Replication

/// The tables and columns of each log format, so that history queries use the same statements for
/// all formats.
struct LogForm: Sendable {
    let format: LogFormat
    let table: String
    let id: String
    let timestamp: String
    let key: String
    let value: String
    let parentTimestamp: String
    /// The column with all parents, which PARStore 1 lacks.
    let parents: String?

    static let tideline2 = LogForm(
        format: .tideline2, table: "log", id: "id", timestamp: "timestamp", key: "key",
        value: "value", parentTimestamp: "parentTimestamp", parents: "parents")

    static let parstore1 = LogForm(
        format: .parstore1, table: "ZLOG", id: "Z_PK", timestamp: "ZTIMESTAMP", key: "ZKEY",
        value: "ZBLOB", parentTimestamp: "ZPARENTTIMESTAMP", parents: nil)

    /// "Tide" in ASCII.
    static let applicationID = 0x5469_6465
    static let version = 2

    /// Returns the format of the open database.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, or `.unreadable` for a database that is not a
    ///   log.
    static func detect(_ database: Database, path: String) throws -> LogForm {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        if application == applicationID {
            let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            guard version <= Self.version else {
                throw ReplicationError(
                    .newerFormat,
                    "\(path) has version \(version) of the format; this program supports \(Self.version)"
                )
            }
            try tideline2.check(
                database, path,
                ["id", "timestamp", "key", "value", "parentTimestamp", "parents"])
            try check(database, path, "latest", ["key", "id", "timestamp", "known"])
            try check(database, path, "writer", ["ref", "name"])
            try check(database, path, "meta", ["key", "value"])
            return .tideline2
        }
        guard try database.ordinaryColumns(of: parstore1.table) != nil else {
            // SQLite creates the file before the first transaction creates the tables.
            let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
            throw isEmpty
                ? ReplicationError(.incomplete, "\(path) has no tables yet")
                : ReplicationError(.unreadable, "\(path) is not a store's log")
        }
        try parstore1.check(
            database, path, ["Z_PK", "ZTIMESTAMP", "ZKEY", "ZBLOB", "ZPARENTTIMESTAMP"])
        return .parstore1
    }

    private func check(_ database: Database, _ path: String, _ columns: [String]) throws {
        try Self.check(database, path, table, columns)
    }

    private static func check(
        _ database: Database, _ path: String, _ table: String, _ columns: [String]
    ) throws {
        let present = try database.ordinaryColumns(of: table) ?? []
        for column in columns where !present.contains(column) {
            throw ReplicationError(
                .unreadable, "\(path) is not a store's log: \(table) lacks \(column)")
        }
    }
}
