package import GRDB
package import GRDBSQLite

/// A stepper through the rows of one prepared statement, for loops over very many rows.
///
/// Columns are read in their stored form. A value that doesn't have the requested type is `nil` and
/// never converted, because the declarations in a foreign file aren't reliable.
package struct Stepper {
    private let statement: Statement
    package let handle: OpaquePointer
    private let connection: OpaquePointer?

    package init(_ database: Database, _ sql: String) throws {
        self.init(try database.makeStatement(sql: sql), in: database)
    }

    package init(_ statement: Statement, in database: Database) {
        self.statement = statement
        handle = statement.sqliteStatement
        connection = database.sqliteConnection
    }

    /// Moves to the next row.
    @inlinable package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Runs a statement that returns no rows, and resets it.
    @inlinable package func run() throws {
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE else { throw failure(code) }
        sqlite3_reset(handle)
    }

    @usableFromInline func failure(_ code: CInt) -> DatabaseError {
        let message = connection.flatMap(sqlite3_errmsg).map { String(cString: $0) }
        let extended = connection.map(sqlite3_extended_errcode) ?? code
        sqlite3_reset(handle)
        return DatabaseError(resultCode: ResultCode(rawValue: extended), message: message)
    }

    @inlinable package func reset() { sqlite3_reset(handle) }

    // MARK: Columns

    @inlinable package func integer(_ column: CInt) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
            ? sqlite3_column_int64(handle, column) : nil
    }

    /// Returns the time in the column; `nil` if the column isn't an integer or isn't a valid time
    /// of a row.
    @inlinable package func timestamp(_ column: CInt) -> Int64? {
        integer(column).flatMap { Timestamp.isRecordable($0) ? $0 : nil }
    }

    /// Returns whether the column holds a valid value of a log: bytes, or null for a deletion.
    @inlinable package func isValue(_ column: CInt) -> Bool {
        let type = sqlite3_column_type(handle, column)
        return type == SQLITE_BLOB || type == SQLITE_NULL
    }

    /// Returns the bytes of a text, valid until the next step.
    @inlinable package func text(_ column: CInt) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT else { return nil }
        let start = sqlite3_column_text(handle, column)
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns the bytes of a blob, valid until the next step. The result is also `nil` for an
    /// empty blob, which means a deletion in every log format.
    @inlinable package func blob(_ column: CInt) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB,
            let start = sqlite3_column_blob(handle, column)
        else { return nil }
        return UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self),
            count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// Returns the number in a floating-point column.
    @inlinable package func double(_ column: CInt) -> Double? {
        sqlite3_column_type(handle, column) == SQLITE_FLOAT
            ? sqlite3_column_double(handle, column) : nil
    }

    @inlinable package func isNull(_ column: CInt) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    // MARK: Parameters, counted from 1

    /// The argument that makes SQLite copy the bound value.
    package static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    @inlinable package func bind(_ parameter: CInt, double value: Double) {
        sqlite3_bind_double(handle, parameter, value)
    }

    /// Binds a copy of a text.
    ///
    /// - Returns: SQLite's result code, which isn't `SQLITE_OK` for a text that is too long.
    @discardableResult
    package func bind(_ parameter: CInt, copying text: String) -> CInt {
        sqlite3_bind_text(handle, parameter, text, CInt(clamping: text.utf8.count), Self.transient)
    }

    /// Binds a copy of a text's bytes.
    package func bind(_ parameter: CInt, copying text: [UInt8]) {
        text.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else {
                sqlite3_bind_text(handle, parameter, "", 0, nil)
                return
            }
            sqlite3_bind_text(
                handle, parameter, start.assumingMemoryBound(to: CChar.self),
                CInt(clamping: bytes.count), Self.transient)
        }
    }

    @inlinable package func bind(_ parameter: CInt, _ value: Int64?) {
        if let value {
            sqlite3_bind_int64(handle, parameter, value)
        } else {
            sqlite3_bind_null(handle, parameter)
        }
    }

    /// Binds text without copying it. `bytes` must stay valid until the statement has run.
    @inlinable package func bind(_ parameter: CInt, text bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else {
            sqlite3_bind_text(handle, parameter, "", 0, nil)
            return
        }
        start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
            _ = sqlite3_bind_text(handle, parameter, start, CInt(bytes.count), nil)
        }
    }

    /// Binds a blob without copying it. `bytes` must stay valid until the statement has run.
    @inlinable package func bind(_ parameter: CInt, blob bytes: UnsafeBufferPointer<UInt8>?) {
        guard let bytes, let start = bytes.baseAddress else {
            sqlite3_bind_null(handle, parameter)
            return
        }
        sqlite3_bind_blob(handle, parameter, start, CInt(bytes.count), nil)
    }

    /// Binds a copy of a blob's bytes.
    package func bind(_ parameter: CInt, copyingBlob bytes: [UInt8]) {
        guard !bytes.isEmpty else { return bindEmptyBlob(parameter) }
        bytes.withUnsafeBytes { bytes in
            _ = sqlite3_bind_blob(
                handle, parameter, bytes.baseAddress, CInt(clamping: bytes.count), Self.transient)
        }
    }

    @inlinable package func bindEmptyBlob(_ parameter: CInt) {
        sqlite3_bind_zeroblob(handle, parameter, 0)
    }
}
