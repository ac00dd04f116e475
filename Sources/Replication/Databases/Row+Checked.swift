public import GRDB

/// Safe access to the values of foreign rows.
///
/// SQLite stores values of any type in any column, and GRDB's typed subscripts crash if a value
/// doesn't have the requested type. These methods return `nil` instead.
extension Row {
    /// Returns the integer in a column of the query, or `nil` if the column is `NULL` or has
    /// another type.
    public func integer(_ column: String) -> Int64? {
        guard case .int64(let number) = (self[column] as DatabaseValue).storage else { return nil }
        return number
    }

    /// Returns the text in a column of the query, or `nil` if the column is `NULL` or has another
    /// type.
    public func text(_ column: String) -> String? {
        guard case .string(let text) = (self[column] as DatabaseValue).storage else { return nil }
        return text
    }
}
