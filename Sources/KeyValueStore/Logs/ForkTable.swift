import GRDB
import Replication

/// Keys of a tideline-2 log of which a device's newest row does not say all, so that who looks for
/// heads looks at all rows: a table with one column.
///
/// In `fork (key)` stand keys of which the rows are no chain.
///
/// A device's own rows on a key each know the one before. They do not where a device wrote in two
/// copies at once (a restored backup, a cloned machine, two processes in one instant) and the rows
/// came together in one log. The table is made with the first such key. For a key in it, what rows
/// name counts row by row: a row that names nothing knew nothing.
///
/// In `retraction (key)` stand keys of which a row takes others back. The rest of its rows are the
/// chain that they were.
struct ForkTable {
    enum Kind: String, CaseIterable {
        case fork, retraction
    }

    private let select: [Stepper]

    /// Whether a log has such keys.
    static func isThere(_ kind: Kind, in database: Database) throws -> Bool {
        try database.ordinaryColumns(of: kind.rawValue)?.contains("key") ?? false
    }

    /// Finds keys in those of the tables that are there.
    ///
    /// - Returns: `nil` where none is.
    init?(_ kinds: [Kind] = Kind.allCases, in database: Database) throws {
        select = try kinds.filter { try Self.isThere($0, in: database) }.map {
            try Stepper(database, "SELECT 1 FROM \($0.rawValue) WHERE key = ?")
        }
        if select.isEmpty { return nil }
    }

    func contains(_ key: UnsafeBufferPointer<UInt8>) throws -> Bool {
        try select.contains { select in
            select.bind(1, text: key)
            defer { select.reset() }
            return try select.step()
        }
    }

    /// Calls `body` with each key of either kind.
    static func forEach(
        in database: Database, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) throws {
        for kind in Kind.allCases where try isThere(kind, in: database) {
            let keys = try Stepper(database, "SELECT key FROM \(kind.rawValue)")
            while try keys.step() {
                if let key = keys.text(0) { body(key) }
            }
        }
    }

    /// Enters keys, for good.
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
            try key.withUnsafeBufferPointer {
                insert.bind(1, text: $0)
                try insert.run()
            }
        }
    }
}
