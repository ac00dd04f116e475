import GRDB
import Replication

/// The column of values in a statement that takes no more bytes of one than a bound.
///
/// SQLite loads a column's value when it comes to the row, wanted or not. So no value is let
/// through that is longer; where a log has one, all is read again with an expression in the place
/// of the column that tells how long each value is and leaves the long ones where they are. A log
/// without long values pays nothing for it.
struct ValueColumn {
    /// What a row has in the column.
    enum Content {
        case removal
        /// Valid until the next step.
        case bytes(UnsafeBufferPointer<UInt8>)
        /// So many bytes, left where they are.
        case long(Int)
    }

    /// The column, or the expression that stands for it.
    let sql: String
    private let tellsLength: Bool

    /// Runs `body`, and once more if there is a longer value than `longest` bytes.
    ///
    /// - Parameter body: Reads rows from the beginning each time it is called.
    static func reading<Result>(
        _ name: String, in database: Database, upTo longest: Int,
        _ body: (ValueColumn) throws -> Result
    ) throws -> Result {
        try database.limitingLength(to: longest) {
            try reading(name, upTo: longest, body)
        }
    }

    private static func reading<Result>(
        _ name: String, upTo longest: Int, _ body: (ValueColumn) throws -> Result
    ) throws -> Result {
        if longest >= Database.leastLength {
            do {
                return try body(ValueColumn(sql: name, tellsLength: false))
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {}
        }
        // The length of a blob is known without loading it; that of a text is not.
        let sql = """
            CASE typeof(\(name))
            WHEN 'blob' THEN
                CASE WHEN length(\(name)) > \(longest) THEN length(\(name)) ELSE \(name) END
            WHEN 'null' THEN NULL ELSE '' END
            """
        return try body(ValueColumn(sql: sql, tellsLength: true))
    }

    /// What the row has that the statement stands on; `nil` where that is neither bytes nor nothing.
    func content(_ row: Stepper, _ column: CInt) -> Content? {
        if tellsLength, let byteCount = row.integer(column) { return .long(Int(byteCount)) }
        guard row.isValue(column) else { return nil }
        return row.blob(column).map(Content.bytes) ?? .removal
    }
}
