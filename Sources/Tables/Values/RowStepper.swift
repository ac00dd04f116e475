import Foundation
import GRDB
import GRDBSQLite
import Replication

/// A stepper that reads columns exactly as stored, including text with NUL characters and text that
/// isn't valid Unicode.
struct RowStepper {
    private let stepper: Stepper
    /// Whether the database stores texts in UTF-16.
    let isUTF16: Bool
    var handle: OpaquePointer { stepper.handle }

    init(_ database: Database, _ sql: String, _ arguments: [TableValue] = []) throws {
        // GRDB checks the number of arguments. It can't bind every text: it ends text at a NUL
        // character, and can't represent text that isn't UTF-8.
        try self.init(
            try database.makeStatement(sql: sql), database,
            StatementArguments(arguments.map { _ in DatabaseValue.null }))
        for (index, value) in arguments.enumerated() {
            try Self.bind(value, CInt(index + 1), handle)
        }
    }

    /// Binds a value to a parameter of a statement, counted from 1.
    static func bind(_ value: TableValue, _ position: CInt, _ handle: OpaquePointer) throws {
        switch value {
        case .null: try check(sqlite3_bind_null(handle, position))
        case .integer(let number): try check(sqlite3_bind_int64(handle, position, number))
        case .real(let number): try check(sqlite3_bind_double(handle, position, number))
        case .text(let text) where UTF16Text.hasReplacedCodePoint(text):
            guard UTF16Text.isStored(inDatabaseOf: handle) else {
                return try bind(Data(text.utf8), isText: true, position, handle)
            }
            try UTF16Text.bind(Array(text.utf16), position, handle)
        case .text(var text):
            try text.withUTF8 {
                try bind(UnsafeRawBufferPointer($0), isText: true, position, handle)
            }
        case .malformedText(let data):
            guard UTF16Text.isStored(inDatabaseOf: handle) else {
                return try bind(data, isText: true, position, handle)
            }
            guard let units = UTF16Text.units(ofGeneralizedUTF8: Array(data)) else {
                throw notUTF16
            }
            try UTF16Text.bind(units, position, handle)
        case .blob(let data): try bind(data, isText: false, position, handle)
        case .unread: throw notLoaded
        }
    }

    private static func bind(
        _ data: Data, isText: Bool, _ position: CInt, _ handle: OpaquePointer
    ) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            try bind(bytes, isText: isText, position, handle)
        }
    }

    /// Binds bytes, which are copied.
    private static func bind(
        _ bytes: UnsafeRawBufferPointer, isText: Bool, _ position: CInt, _ handle: OpaquePointer
    ) throws {
        // A null pointer would bind NULL.
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return try check(
                isText
                    ? sqlite3_bind_text64(
                        handle, position, "", 0, Stepper.transient, UInt8(SQLITE_UTF8))
                    : sqlite3_bind_zeroblob(handle, position, 0))
        }
        let count = sqlite3_uint64(bytes.count)
        try check(
            isText
                ? sqlite3_bind_text64(
                    handle, position, start.assumingMemoryBound(to: CChar.self), count,
                    Stepper.transient, UInt8(SQLITE_UTF8))
                : sqlite3_bind_blob64(handle, position, start, count, Stepper.transient))
    }

    static func check(_ code: CInt) throws {
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    private static let notLoaded =
        TablesError(.usage, "a value that was not loaded can't be written")
    private static let notUTF16 =
        TablesError(.usage, "the database stores UTF-16, which can't represent this text")

    /// Runs a statement to its end.
    ///
    /// - Returns: The values of the first row that the statement returns; `nil` if it returns none.
    @discardableResult
    static func run(
        _ database: Database, _ sql: String, _ arguments: [TableValue]
    ) throws -> [TableValue]? {
        let stepper = try RowStepper(database, sql, arguments)
        var first: [TableValue]?
        while try stepper.step() {
            if first == nil { first = stepper.values(0..<stepper.columnCount) }
        }
        return first
    }

    init(_ statement: Statement, _ database: Database, _ arguments: StatementArguments) throws {
        stepper = Stepper(statement, in: database)
        isUTF16 = UTF16Text.isStored(inDatabaseOf: stepper.handle)
        try statement.setArguments(arguments)
    }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { index in
            sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
        }
    }

    /// Advances to the next row.
    ///
    /// - Returns: Whether there is a next row.
    func step() throws -> Bool { try stepper.step() }

    func integer(_ column: Int) -> Int64? { stepper.integer(CInt(column)) }

    /// The storage class of a value, named as by SQLite's `typeof`.
    enum StorageClass: String { case null, integer, real, text, blob }

    func type(_ column: Int) -> StorageClass {
        switch sqlite3_column_type(handle, CInt(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Returns the number of bytes of a blob or, in the encoding of the database, of a text.
    func byteCount(_ column: Int) -> Int {
        // Converting a text to UTF-8 would change it.
        isUTF16 && type(column) == .text
            ? Int(sqlite3_column_bytes16(handle, CInt(column)))
            : Int(sqlite3_column_bytes(handle, CInt(column)))
    }

    /// Returns the value of a column of the current row, or only its length if it has more bytes
    /// than `longest`.
    func value(_ column: Int, longest: Int) -> TableValue {
        let type = type(column)
        guard type == .text || type == .blob, byteCount(column) > longest else {
            return value(column)
        }
        return .unread(isText: type == .text, byteCount: byteCount(column))
    }

    /// Returns the value of a column of the current row.
    func value(_ column: Int) -> TableValue {
        let column = CInt(column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT where isUTF16: return UTF16Text.value(column, handle)
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { return .text("") }
            let count = Int(sqlite3_column_bytes(handle, column))
            let bytes = UnsafeBufferPointer(start: start, count: count)
            return String(validating: bytes, as: UTF8.self).map { .text($0) }
                ?? .malformedText(Data(bytes))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, column) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column))))
        default: return .null
        }
    }

    /// Returns the text of a column of the current row; `nil` for any other value.
    func text(_ column: Int) -> String? {
        guard case .text(let text) = value(column) else { return nil }
        return text
    }

    func values(_ columns: Range<Int>) -> [TableValue] { columns.map(value) }
}
