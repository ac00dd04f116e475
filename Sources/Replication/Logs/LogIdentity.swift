public import Foundation
public import GRDB

/// What a log file says about itself, in its table `meta(key TEXT PRIMARY KEY, value)`: the keys
/// `format`, `identity` and `device`.
///
/// The identity is made when the file is created and never changes. A file with another one is
/// another log, whatever its ids say (data rule 5).
public struct LogIdentity: Hashable, Sendable {
    /// The name and version of the form of its rows, as each store defines it ("tideline-2").
    public let format: String
    /// The file's own number, the same in every copy of it.
    public let identity: UUID
    /// The device that writes the file. A file copied into another device's folder still tells.
    public let device: DeviceID

    /// The identity for a new file of `device`; it gets a number of its own unless one is given.
    public init(format: String, identity: UUID = UUID(), device: DeviceID) {
        self.format = format
        self.identity = identity
        self.device = device
    }

    /// Creates the table `meta` and writes this into it. For a new file's first transaction.
    ///
    /// - Throws: A `DatabaseError` of GRDB's, also where the file has a table `meta` already.
    public func insert(into db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value) WITHOUT ROWID")
        try db.execute(
            sql:
                "INSERT INTO meta (key, value) VALUES ('format', ?), ('identity', ?), ('device', ?)",
            arguments: [format, identity.uuidString, device.name])
    }

    /// What the file says, or `nil` where it has no table `meta`.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable` for a table that lacks a key or says nonsense.
    public static func fetch(from db: Database) throws -> LogIdentity? {
        guard let columns = try db.ordinaryColumns(of: "meta") else { return nil }
        guard columns.contains("key"), columns.contains("value") else {
            throw ReplicationError(.unreadable, "the table \"meta\" has other columns")
        }
        func text(_ key: String) throws -> String {
            let sql = """
                SELECT value FROM meta
                WHERE key = ? AND typeof(value) = 'text' AND length(value) <= 1024
                """
            guard let value = try String.fetchOne(db, sql: sql, arguments: [key]) else {
                throw ReplicationError(.unreadable, "the table \"meta\" lacks \"\(key)\"")
            }
            return value
        }
        guard let identity = UUID(uuidString: try text("identity")) else {
            throw ReplicationError(.unreadable, "the file's identity is not a UUID")
        }
        return LogIdentity(
            format: try text("format"), identity: identity, device: try DeviceID(text("device")))
    }
}
