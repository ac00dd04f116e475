import GRDB
import Replication

/// The keys of which a tideline-2 log's rows are not a chain, in its table `fork (key)`.
///
/// A device's own rows on a key each know the one before. They do not where a device wrote in two
/// copies at once (a restored backup, a cloned machine, two processes in one instant) and the rows
/// came together in one log. The table is made with the first such key. For a key in it, what rows
/// name counts row by row: a row that names nothing knew nothing.
struct ForkTable {
    private let select: Stepper

    /// Whether a log has such keys.
    static func isThere(in database: Database) throws -> Bool {
        try database.ordinaryColumns(of: "fork")?.contains("key") ?? false
    }

    /// - Precondition: The table is there.
    init(_ database: Database) throws {
        select = try Stepper(database, "SELECT 1 FROM fork WHERE key = ?")
    }

    func contains(_ key: UnsafeBufferPointer<UInt8>) throws -> Bool {
        select.bind(1, text: key)
        defer { select.reset() }
        return try select.step()
    }

    /// Calls `body` with each key.
    static func forEach(
        in database: Database, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws {
        guard try isThere(in: database) else { return }
        let keys = try Stepper(database, "SELECT key FROM fork")
        while try keys.step() {
            if let key = keys.text(0) { body(key) }
        }
    }

    /// Enters keys, for good.
    static func insert(_ keys: some Collection<[UInt8]>, into database: Database) throws {
        guard !keys.isEmpty else { return }
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS fork (key TEXT NOT NULL PRIMARY KEY) WITHOUT ROWID
                """)
        let insert = try Stepper(database, "INSERT OR IGNORE INTO fork (key) VALUES (?)")
        for key in keys {
            try key.withUnsafeBufferPointer {
                insert.bind(1, text: $0)
                try insert.run()
            }
        }
    }
}
