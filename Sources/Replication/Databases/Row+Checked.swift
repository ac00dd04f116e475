public import GRDB

/// Values of rows that somebody else wrote.
///
/// SQLite keeps a value of any type in a column of any type, and GRDB's typed subscripts end the
/// program where a fetched row has another type than the one that is asked for. These say `nil`.
extension Row {
    /// The integer in a column that the query names, or `nil` if it is `NULL` or anything else.
    public func integer(_ column: String) -> Int64? {
        guard case .int64(let number) = (self[column] as DatabaseValue).storage else { return nil }
        return number
    }

    /// The text in a column that the query names, or `nil` if it is `NULL` or anything else.
    public func text(_ column: String) -> String? {
        guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
        return text
    }
}
