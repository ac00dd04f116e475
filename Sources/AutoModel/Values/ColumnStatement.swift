import Foundation
import GRDB
import GRDBSQLite
import Replication

/// A statement for binding and reading values.
///
/// Use a statement only while its connection is held.
public struct ColumnStatement {
    let handle: OpaquePointer

    init(_ statement: Statement) { handle = statement.sqliteStatement }
    private init(_ handle: OpaquePointer) { self.handle = handle }

    /// A placeholder for a binder that only collects references.
    static var none: ColumnStatement { ColumnStatement(OpaquePointer(bitPattern: -1)!) }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    @usableFromInline func isNull(_ index: Int32) -> Bool {
        sqlite3_column_type(handle, index) == SQLITE_NULL
    }

    @usableFromInline func value(_ index: Int32) -> SQLValue {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT: .text(text(index))
        case SQLITE_BLOB: .blob(data(index))
        default: .null
        }
    }

    @usableFromInline func integer(_ index: Int32) throws -> Int64 {
        guard sqlite3_column_type(handle, index) == SQLITE_INTEGER else {
            throw unfit(index, "an integer")
        }
        return sqlite3_column_int64(handle, index)
    }

    func number(_ index: Int32) throws -> Double {
        let type = sqlite3_column_type(handle, index)
        guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else { throw unfit(index, "a number") }
        return sqlite3_column_double(handle, index)
    }

    func string(_ index: Int32) throws -> String {
        guard sqlite3_column_type(handle, index) == SQLITE_TEXT else {
            throw unfit(index, "text")
        }
        return text(index)
    }

    func bytes(_ index: Int32) throws -> Data {
        guard sqlite3_column_type(handle, index) == SQLITE_BLOB else {
            throw unfit(index, "a blob")
        }
        return data(index)
    }

    private func text(_ index: Int32) -> String {
        guard let start = sqlite3_column_text(handle, index) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func data(_ index: Int32) -> Data {
        guard let start = sqlite3_column_blob(handle, index) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, index)))
    }

    private func unfit(_ index: Int32, _ wanted: String) -> InvalidValue {
        InvalidValue("it holds \(value(index).literal.prefix(40)), which isn't \(wanted)")
    }

    @usableFromInline func bind(_ value: SQLValue, _ index: Int32) throws {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): try bind(number, index)
        case .text(let text): try bind(text, index)
        case .blob(let data): try bind(data, index)
        }
    }

    @usableFromInline func bind(_ number: Int64, _ index: Int32) {
        sqlite3_bind_int64(handle, index, number)
    }

    func bind(_ number: Double, _ index: Int32) throws {
        // SQLite would store NULL instead.
        guard !number.isNaN else { throw InvalidValue("NaN can't be stored") }
        sqlite3_bind_double(handle, index, number)
    }

    func bind(_ text: String, _ index: Int32) throws {
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // SQLite reads a null pointer as NULL. The pointer of an empty text is null, so
                // pass another address.
                withUnsafePointer(to: CChar(0)) { none in
                    sqlite3_bind_text64(
                        handle, index, characters.baseAddress ?? none, UInt64(characters.count),
                        Stepper.transient, UInt8(SQLITE_UTF8))
                }
            }
        }
        guard code == SQLITE_OK else { throw InvalidValue("it is too long") }
    }

    func bind(_ data: Data, _ index: Int32) throws {
        let code = data.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(handle, index, 0)
            }
            return sqlite3_bind_blob64(
                handle, index, start, UInt64(bytes.count), Stepper.transient)
        }
        guard code == SQLITE_OK else { throw InvalidValue("it is too long") }
    }

    /// Resets the statement for the next values.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}
