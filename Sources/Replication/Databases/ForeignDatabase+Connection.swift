package import GRDB
import GRDBSQLite

extension ForeignDatabase {
    /// Whether this SQLite accepts URIs as file names, which opening a file as immutable requires.
    /// The builds of Debian and Ubuntu do.
    static let readsInPlace = sqlite3_compileoption_used("USE_URI") == 1

    /// A connection for untrusted files.
    struct Connection {
        private let database: DatabaseQueue
        private let budget: Budget
        /// The disk space that an unlinked copy uses.
        let storedByteCount: Int64

        /// Opens the file itself. SQLite takes no lock, reads no journal, and creates no files.
        init(immutable path: String, byteCount: Int64, _ limits: Limits) throws {
            try self.init(path, "immutable=1", byteCount: byteCount, limits)
        }

        /// Opens a private copy, which SQLite writes to during recovery. After this initializer
        /// returns, the copy's files may be unlinked.
        init(
            copying copy: borrowing PrivateCopy, byteCount: Int64, _ limits: Limits
        ) throws {
            let budget = Budget(byteCount: byteCount, limits)
            database = try DatabaseQueue(
                path: copy.path,
                configuration: Self.untrusted(byteCount: byteCount, budget, limits))
            self.budget = budget
            storedByteCount = copy.storedByteCount
            try database.read { _ = try $0.execute(sql: "SELECT count(*) FROM sqlite_master") }
        }

        /// Opens a database that another program has open in write-ahead mode, concurrently with
        /// that program.
        ///
        /// The index of the write-ahead log is only read. If no process maintains the index, SQLite
        /// builds one in memory.
        init(live path: String, byteCount: Int64, _ limits: Limits) throws {
            try self.init(path, "readonly_shm=1", byteCount: byteCount, limits)
        }

        private init(
            _ path: String, _ parameter: String, byteCount: Int64, _ limits: Limits
        ) throws {
            let budget = Budget(byteCount: byteCount, limits)
            var configuration = Self.untrusted(byteCount: byteCount, budget, limits)
            configuration.readonly = true
            database = try DatabaseQueue(
                path: "file:\(Self.escaped(path))?mode=ro&\(parameter)",
                configuration: configuration)
            self.budget = budget
            storedByteCount = 0
        }

        func read<Value>(_ limits: Limits, _ body: (Database) throws -> Value) throws -> Value {
            var value: Value?
            return try withExtendedLifetime(budget) {
                do {
                    return try database.read { database in
                        budget.renew(limits)
                        try database.execute(sql: Self.trust(limits))
                        let read = try body(database)
                        value = read
                        return read
                    }
                } catch {
                    try database.read { $0.forgetPages() }
                    // In a damaged file, SQLite fails to commit even a read-only transaction.
                    guard let value else { throw error }
                    return value
                }
            }
        }

        /// Returns the SQL that sets whether a connection trusts the schema. The last reader of a
        /// cached connection may have used another setting.
        private static func trust(_ limits: Limits) -> String {
            "PRAGMA trusted_schema = \(limits.trustsSchema ? "ON" : "OFF")"
        }

        private static func untrusted(
            byteCount: Int64, _ budget: Budget, _ limits: Limits
        ) -> Configuration {
            var configuration = Configuration()
            configuration.label = "Tideline.foreign"
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { db in
                // No stored value is longer than the file. The limit also applies to values that a
                // schema computes.
                let longest = CInt(clamping: min(byteCount, 1 << 30) + 1_048_576)
                sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, longest)
                sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
                budget.apply(to: db)
                // If another process truncated a mapped file, this process would crash.
                try db.execute(
                    sql: """
                        \(trust(limits)); PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0
                        """)
            }
            return configuration
        }

        /// Returns a path with the escapes that SQLite's URI file names require.
        static func escaped(_ path: String) -> String {
            var result = ""
            for byte in path.utf8 {
                switch byte {
                case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    let digits = String(byte, radix: 16)
                    result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
                }
            }
            return result
        }
    }

    /// A limit on the work of a read, which stops statements that would not finish. The budget must
    /// outlive its connection.
    ///
    /// `@unchecked`: SQLite only calls back on the connection's own serial queue.
    package final class Budget: @unchecked Sendable {
        private static let step: CInt = 100_000
        private let byteCount: Int64
        private var steps = 0
        private var isCancelled: (@Sendable () -> Bool)?

        package init(byteCount: Int64, _ limits: Limits) {
            self.byteCount = byteCount
            renew(limits)
        }

        /// Resets the budget for another read.
        func renew(_ limits: Limits) {
            let (extra, overflow) = Int(byteCount)
                .multipliedReportingOverflow(by: max(0, limits.instructionsPerByte))
            steps = 200 + (overflow ? .max / 2 : extra) / Int(Self.step)
            isCancelled = limits.isCancelled
        }

        package func apply(to db: Database) {
            sqlite3_progress_handler(
                db.sqliteConnection, Self.step,
                { context in
                    guard let context else { return 0 }
                    let budget = Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
                    budget.steps -= 1
                    return budget.steps < 0 || budget.isCancelled?() == true ? 1 : 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}
