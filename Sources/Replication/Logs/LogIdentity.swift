public import Foundation
public import GRDB

/// The identity that a log file stores in its table `meta(key TEXT PRIMARY KEY, value)`, under the
/// keys `format`, `identity`, and `device`.
///
/// The identity is created with the file and never changes. A file with a different identity is a
/// different log, even if the ids match (data rule 5).
public struct LogIdentity: Hashable, Sendable {
    /// The name and version of the row format, which each store defines ("tideline-2").
    public let format: String
    /// The file's unique identifier, the same in every copy of it.
    public let identity: UUID
    /// The device that writes the file. The file keeps this value if it is copied into another
    /// device's folder.
    public let device: DeviceID

    /// Creates the identity for a new file of `device`, with a new identifier unless one is given.
    public init(format: String, identity: UUID = UUID(), device: DeviceID) {
        self.format = format
        self.identity = identity
        self.device = device
    }

    /// Creates the table `meta` and inserts this identity. Call this in a new file's first
    /// transaction.
    ///
    /// - Throws: GRDB's `DatabaseError`, also if the file already has a table `meta`.
    public func insert(into db: Database) throws {
        try db.execute(
            sql: "CREATE TABLE meta (key TEXT NOT NULL PRIMARY KEY, value) WITHOUT ROWID")
        try db.execute(
            sql:
                "INSERT INTO meta (key, value) VALUES ('format', ?), ('identity', ?), ('device', ?)",
            arguments: [format, identity.uuidString, device.name])
    }

    /// Returns the file's identity, or `nil` if it has no table `meta`.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable` if the table lacks a key or has an invalid
    ///   value.
    public static func fetch(from db: Database) throws -> LogIdentity? {
        guard let columns = try db.ordinaryColumns(of: "meta") else { return nil }
        guard columns.contains("key"), columns.contains("value") else {
            throw ReplicationError(.unreadable, "the table \"meta\" has unexpected columns")
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

extension Database {
    /// Returns the UUID that Core Data assigned to the file when it created it, if any.
    ///
    /// - Throws: As ``ordinaryColumns(of:)``.
    package func coreDataIdentity() throws -> UUID? {
        guard try ordinaryColumns(of: "Z_METADATA")?.contains("Z_UUID") == true else { return nil }
        let text = try String.fetchOne(
            self,
            sql: """
                SELECT Z_UUID FROM Z_METADATA
                WHERE typeof(Z_UUID) = 'text' AND length(Z_UUID) < 100 LIMIT 1
                """)
        return text.flatMap(UUID.init(uuidString:))
    }
}
