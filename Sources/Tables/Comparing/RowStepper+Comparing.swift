import GRDBSQLite
import Replication

extension RowStepper {
    /// Returns whether a column of the current row has the same type and value as a column of
    /// another statement's row. Texts are compared by their bytes.
    func isSame(_ column: Int, as other: RowStepper, _ theirs: Int) -> Bool {
        let (mine, theirs) = (CInt(column), CInt(theirs))
        let type = sqlite3_column_type(handle, mine)
        guard type == sqlite3_column_type(other.handle, theirs) else { return false }
        switch type {
        case SQLITE_INTEGER:
            return sqlite3_column_int64(handle, mine) == sqlite3_column_int64(other.handle, theirs)
        case SQLITE_FLOAT:
            return sqlite3_column_double(handle, mine).bitPattern
                == sqlite3_column_double(other.handle, theirs).bitPattern
        case SQLITE_TEXT where isUTF16 || other.isUTF16:
            return value(column) == other.value(Int(theirs))
        case SQLITE_TEXT, SQLITE_BLOB: return bytes(mine).isEqual(to: other.bytes(theirs))
        default: return true
        }
    }

    /// Compares a column of the current row with a column of another statement's row, in SQLite's
    /// order: nulls, numbers, texts, bytes.
    ///
    /// - Returns: A negative number if this value comes first, a positive number if the other value
    ///   comes first, and 0 if both are equal in this order.
    func compare(_ column: Int, with other: RowStepper, _ theirs: Int) -> Int {
        let (mine, theirs) = (CInt(column), CInt(theirs))
        let type = sqlite3_column_type(handle, mine)
        let otherType = sqlite3_column_type(other.handle, theirs)
        let (rank, otherRank) = (Self.rank(of: type), Self.rank(of: otherType))
        guard rank == otherRank else { return rank - otherRank }
        switch (type, otherType) {
        case (SQLITE_TEXT, _) where isUTF16 || other.isUTF16:
            return textBytes(column).withUnsafeBytes { text in
                other.textBytes(Int(theirs)).withUnsafeBytes { text.compare(to: $0) }
            }
        case (SQLITE_TEXT, _), (SQLITE_BLOB, _): return bytes(mine).compare(to: other.bytes(theirs))
        case (SQLITE_NULL, _): return 0
        case (SQLITE_INTEGER, SQLITE_INTEGER):
            return Self.compare(
                sqlite3_column_int64(handle, mine), sqlite3_column_int64(other.handle, theirs))
        case (SQLITE_FLOAT, SQLITE_FLOAT):
            return Self.compare(
                sqlite3_column_double(handle, mine), sqlite3_column_double(other.handle, theirs))
        case (SQLITE_INTEGER, _):
            return Self.compare(
                sqlite3_column_int64(handle, mine), sqlite3_column_double(other.handle, theirs))
        default:
            return -Self.compare(
                sqlite3_column_int64(other.handle, theirs), sqlite3_column_double(handle, mine))
        }
    }

    /// Returns the place of a type in SQLite's order.
    private static func rank(of type: CInt) -> Int {
        switch type {
        case SQLITE_NULL: 0
        case SQLITE_INTEGER, SQLITE_FLOAT: 1
        case SQLITE_TEXT: 2
        default: 3
        }
    }

    private static func compare<Value: Comparable>(_ lhs: Value, _ rhs: Value) -> Int {
        lhs < rhs ? -1 : lhs == rhs ? 0 : 1
    }

    /// Compares numbers exactly, even integers that a `Double` can't represent.
    private static func compare(_ lhs: Int64, _ rhs: Double) -> Int {
        if rhs >= 0x1p63 { return -1 }
        guard let whole = Int64(exactly: rhs.rounded(.down)) else { return 1 }
        return lhs != whole ? compare(lhs, whole) : rhs > rhs.rounded(.down) ? -1 : 0
    }

    /// Returns the bytes of a text in UTF-8, or in generalized UTF-8.
    private func textBytes(_ column: Int) -> [UInt8] {
        switch value(column) {
        case .text(let text): Array(text.utf8)
        case .malformedText(let data): Array(data)
        case .null, .integer, .real, .blob, .unread: []
        }
    }

    /// Returns the bytes of a text or blob, which are valid until the next step.
    private func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        let start: UnsafeRawPointer? =
            sqlite3_column_type(handle, column) == SQLITE_TEXT
            ? sqlite3_column_text(handle, column).map { UnsafeRawPointer($0) }
            : sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }
}
