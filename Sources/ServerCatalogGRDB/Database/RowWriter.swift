import GRDB
import GRDBSQLite

/// A statement that runs many times with different values, bypassing GRDB's arguments.
///
/// An import binds a million values, and boxing one costs more than SQLite needs to store it.
/// Callers must notify GRDB's observers afterward with `Database.notifyChanges(in:)`.
final class RowWriter {
    /// Binds values to the parameters of a statement, in order.
    struct Values {
        fileprivate let handle: OpaquePointer
        fileprivate var index: Int32 = 0
        fileprivate var code = SQLITE_OK

        fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

        mutating func add(_ text: String?) {
            guard var text else { return addNull() }
            index += 1
            // -1 is SQLITE_TRANSIENT: SQLite makes a copy.
            let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            let result = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(
                        handle, index, $0.baseAddress, Int32(clamping: $0.count), copied)
                }
            }
            // A null pointer would bind NULL instead of an empty text.
            note(text.isEmpty ? sqlite3_bind_text(handle, index, "", 0, copied) : result)
        }

        mutating func add(_ number: Int?) {
            guard let number else { return addNull() }
            index += 1
            note(sqlite3_bind_int64(handle, index, Int64(number)))
        }

        mutating func add(_ number: Double) {
            index += 1
            note(sqlite3_bind_double(handle, index, number))
        }

        private mutating func addNull() {
            index += 1
            note(sqlite3_bind_null(handle, index))
        }

        private mutating func note(_ result: Int32) { if code == SQLITE_OK { code = result } }
    }

    private let statement: Statement
    private let handle: OpaquePointer
    private let connection: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        statement = try db.makeStatement(sql: sql)
        handle = statement.sqliteStatement
        guard let connection = db.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE)
        }
        self.connection = connection
    }

    /// Runs the statement with the values that `bind` adds, one for each parameter.
    ///
    /// - Returns: The number of changed rows.
    @discardableResult
    func run(_ bind: (inout Values) -> Void) throws -> Int {
        var values = Values(handle)
        bind(&values)
        guard values.code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: values.code))
        }
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else {
            let error = DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
                message: String(cString: sqlite3_errmsg(connection)))
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
        return Int(sqlite3_changes(connection))
    }
}
