import GRDB
import GRDBSQLite

/// Replacements for missing collations and functions of a file, for the duration of a read.
///
/// The replacement of a collation ignores case, which is close to most collations.
/// The replacement of a function returns `NULL`. Writes and integrity checks don't use the
/// replacements.
final class StandIns {
    private let connection: OpaquePointer?
    private let db: Database
    private var names: [String] = []
    private let functions: StandInFunctions?

    /// Registers every missing collation and function on a connection until ``remove()``.
    init(_ db: Database) {
        connection = db.sqliteConnection
        self.db = db
        // If the schema has an error, the caller gets it when it reads the schema.
        functions = try? StandInFunctions(db)
        functions?.register(db)
        guard let connection else { return }
        sqlite3_collation_needed(
            connection, Unmanaged.passUnretained(self).toOpaque()
        ) { context, connection, _, name in
            // For a UTF-16 file, SQLite also requests its own collations here, before it converts
            // texts to UTF-8 for them.
            guard let context, let name,
                !StandIns.knownCollations.contains(String(cString: name).lowercased())
            else { return }
            let code = sqlite3_create_collation_v2(
                connection, name, SQLITE_UTF8, nil,
                { _, leftCount, left, rightCount, right in
                    StandIns.compare(
                        UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
                        UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
                }, nil)
            guard code == SQLITE_OK else { return }
            Unmanaged<StandIns>.fromOpaque(context).takeUnretainedValue()
                .names.append(String(cString: name))
        }
    }

    /// Unregisters the replacements.
    func remove() {
        guard let connection else { return }
        functions?.unregister(db)
        sqlite3_collation_needed(connection, nil, nil)
        for name in names {
            sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, nil, nil)
        }
        names = []
    }

    private static func compare(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> CInt {
        let isASCII = left.allSatisfy { $0 < 0x80 } && right.allSatisfy { $0 < 0x80 }
        let order =
            isASCII
            ? order(left.lazy.map(lowercased), right.lazy.map(lowercased))
            : order(
                String(decoding: left, as: UTF8.self).lowercased().utf8,
                String(decoding: right, as: UTF8.self).lowercased().utf8)
        return order
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte + 32 : byte
    }

    private static func order(
        _ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>
    ) -> CInt {
        var right = right.makeIterator()
        for byte in left {
            guard let other = right.next() else { return 1 }
            if byte != other { return byte < other ? -1 : 1 }
        }
        return right.next() == nil ? 0 : -1
    }

    /// The collations that every connection has, in lower case.
    static let knownCollations: Set<String> = {
        let names = try? DatabaseQueue().read { db in
            try String.fetchAll(db, sql: "SELECT lower(name) FROM pragma_collation_list")
        }
        return Set(names ?? ["binary", "nocase", "rtrim"])
    }()
}

extension Database {
    /// Returns the collation of a column; `nil` if it can't be determined.
    func collation(of column: String, in table: String) -> String? {
        var name: UnsafePointer<CChar>?
        let code = sqlite3_table_column_metadata(
            sqliteConnection, "main", table, column, nil, &name, nil, nil, nil)
        return code == SQLITE_OK ? name.map { String(cString: $0) } : nil
    }
}
