import GRDB
import Replication

/// A table of a tideline-2 log that lists exceptional keys. To find the heads of such a key, all of
/// its rows must be read, not only each device's newest row. The table has one column.
///
/// `fork (key)` contains keys whose rows are not a chain.
///
/// Normally, each row of a device has seen the device's previous row of the key. This isn't the
/// case if a device wrote in two copies at once (a restored backup, a cloned machine, two processes
/// at the same instant) and the rows were combined in one log. The table is created with the first
/// exceptional key. For keys in the table, the parents are evaluated row by row: a row without
/// parents had seen nothing.
///
/// `retraction (key)` contains keys with a row that reverts others. Their other rows are still a
/// chain.
struct ForkTable {
    enum Kind: String, CaseIterable {
        case fork, retraction
    }

    private let select: [Stepper]

    /// Returns whether a log has a table of this kind.
    static func exists(_ kind: Kind, in database: Database) throws -> Bool {
        try database.ordinaryColumns(of: kind.rawValue)?.contains("key") ?? false
    }

    /// Prepares look-ups in the existing tables.
    ///
    /// - Returns: `nil` if none exists.
    init?(_ kinds: [Kind] = Kind.allCases, in database: Database) throws {
        select = try kinds.filter { try Self.exists($0, in: database) }.map {
            try Stepper(database, "SELECT 1 FROM \($0.rawValue) WHERE key = ?")
        }
        if select.isEmpty { return nil }
    }

    func contains(_ key: [UInt8]) throws -> Bool {
        try select.contains { select in
            select.bind(1, copying: key)
            defer { select.reset() }
            return try select.step()
        }
    }

    /// Calls `body` with each key of either kind.
    static func forEach(
        in database: Database, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws {
        for kind in Kind.allCases where try exists(kind, in: database) {
            let keys = try Stepper(database, "SELECT key FROM \(kind.rawValue)")
            while try keys.step() {
                if let key = keys.text(0) { body(key) }
            }
        }
    }

    /// Adds keys, and creates the table if necessary.
    static func insert(
        _ keys: some Collection<[UInt8]>, as kind: Kind, into database: Database
    ) throws {
        guard !keys.isEmpty else { return }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(kind.rawValue) (key TEXT NOT NULL PRIMARY KEY)
                WITHOUT ROWID
                """)
        let insert = try Stepper(
            database, "INSERT OR IGNORE INTO \(kind.rawValue) (key) VALUES (?)")
        for key in keys {
            insert.bind(1, copying: key)
            try insert.run()
        }
    }
}
