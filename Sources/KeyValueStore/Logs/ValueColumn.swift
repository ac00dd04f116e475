import GRDB
import Replication

/// The column of values in a statement, with a limit on the length to load.
///
/// SQLite loads a value when it steps to the row, whether or not it is used. A limit therefore
/// makes SQLite reject longer values. If a log has such a value, all rows are read again with an
/// expression that returns only the lengths of long values. Logs without long values have no
/// additional cost.
struct ValueColumn {
    /// The content of the column in a row.
    enum Content {
        case removal
        /// Valid until the next step.
        case bytes(UnsafeBufferPointer<UInt8>)
        /// The length of a value that was left in place.
        case long(Int)
    }

    /// The column, or the expression that replaces it.
    let sql: String
    private let providesLength: Bool

    /// Runs `body`. If a value is longer than `longest` bytes, runs `body` a second time.
    ///
    /// - Parameter body: Reads rows from the start on each call.
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
                return try body(ValueColumn(sql: name, providesLength: false))
            } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {}
        }
        // The length of a blob is available without loading it, unlike that of a text.
        let sql = """
            CASE typeof(\(name))
            WHEN 'blob' THEN
                CASE WHEN length(\(name)) > \(longest) THEN length(\(name)) ELSE \(name) END
            WHEN 'null' THEN NULL ELSE '' END
            """
        return try body(ValueColumn(sql: sql, providesLength: true))
    }

    /// Returns the content in the current row of the statement, or `nil` if it is neither bytes nor
    /// null.
    func content(_ row: Stepper, _ column: CInt) -> Content? {
        if providesLength, let byteCount = row.integer(column) { return .long(Int(byteCount)) }
        guard row.isValue(column) else { return nil }
        return row.blob(column).map(Content.bytes) ?? .removal
    }
}
