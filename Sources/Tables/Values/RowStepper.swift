import Foundation
import GRDB
import GRDBSQLite

/// Steps a prepared statement by hand and reads columns as they are stored, texts with NUL in them
/// and texts that are not UTF-8 included.
struct RowStepper {
    private let statement: Statement
    private let handle: OpaquePointer
    private let connection: OpaquePointer?

    init(_ database: Database, _ sql: String, _ arguments: [DatabaseValue] = []) throws {
        try self.init(
            try database.makeStatement(sql: sql), database, StatementArguments(arguments))
    }

    init(_ statement: Statement, _ database: Database, _ arguments: StatementArguments) throws {
        self.statement = statement
        handle = statement.sqliteStatement
        connection = database.sqliteConnection
        try statement.setArguments(arguments)
    }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    /// Moves to the next row.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let message = connection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
            let code = connection.map(sqlite3_extended_errcode) ?? SQLITE_ERROR
            sqlite3_reset(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }

    func integer(_ column: Int) -> Int64? {
        sqlite3_column_type(handle, CInt(column)) == SQLITE_INTEGER
            ? sqlite3_column_int64(handle, CInt(column)) : nil
    }

    /// The value of a column of the row that it stands at.
    func value(_ column: Int) -> TableValue {
        let column = CInt(column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { return .text("") }
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(
                String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, column) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column))))
        default: return .null
        }
    }

    func values(_ columns: Range<Int>) -> [TableValue] { columns.map(value) }
}
