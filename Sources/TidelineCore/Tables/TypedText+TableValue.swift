import Foundation
import KeyValueStore
import Replication
public import Tables

extension TypedText {
    /// The value of a table's column that the text stands for.
    ///
    /// A boolean is 1 or 0. A date is written as the column has its dates: by the number that the
    /// value replaced counts in, in a Core Data store in seconds since 2001, in a column of text by
    /// its text. JSON is written as text.
    ///
    /// - Parameters:
    ///   - old: What it replaces; `nil` for a new row.
    ///   - epoch: What the column's numbers count, where that is known.
    /// - Throws: ``EditError`` with code `.invalid` and what was expected.
    public func tableValue(
        for column: NamedTable.Column, replacing old: TableValue?, counting epoch: Epoch? = nil
    ) throws(EditError) -> TableValue {
        switch kind {
        case .null: return .null
        case .string, .text: return .text(text)
        case .integer, .real, .boolean, .data:
            switch try propertyList() {
            case .integer(let number): return .integer(number)
            case .real(let number): return .real(number)
            case .boolean(let truth): return .integer(truth ? 1 : 0)
            case .data(let data): return .blob(data)
            default: throw EditError(.invalid, "\(text) is more than a column can hold")
            }
        case .json:
            _ = try propertyList()
            return .text(text)
        case .date:
            guard case .date(let date) = try propertyList() else {
                throw EditError(.invalid, "not a date")
            }
            if column.isCoreDataDate { return Epoch.seconds2001.value(date) }
            if let epoch { return epoch.value(date) }
            if let old, let epoch = Epoch.guess(column: column.schema, values: [old]) {
                return epoch.value(date)
            }
            if column.schema.affinity == .text || column.schema.isDate {
                return .text(Timestamp(date).iso8601)
            }
            throw EditError(
                .invalid, "nothing tells how \(column.name) has its dates: write the number or text"
            )
        case .counter, .timestamp, .map, .list, .relationship:
            throw EditError(.unsupported, "a table has no \(kind.rawValue)")
        }
    }

    /// The text to edit a value of a table by; `nil` for one that was not loaded.
    public init?(_ value: TableValue, _ column: NamedTable.Column) {
        switch value {
        case .null: self.init(.null, "")
        case .integer(let number): self.init(.integer, String(number))
        case .real(let number):
            if column.isCoreDataDate, let date = Epoch.seconds2001.date(number) {
                self.init(.date, Timestamp(date).iso8601)
            } else {
                self.init(.real, "\(number)")
            }
        case .text(let text): self.init(.string, text)
        case .blob(let data): self.init(.data, data.base64EncodedString())
        case .unread: return nil
        }
    }
}

extension NamedTable.Column {
    /// A value as the command line prints it: dates that are known to be some as dates.
    public func json(_ value: TableValue) -> JSONValue {
        if isCoreDataDate, let date = Epoch.seconds2001.date(value) {
            return ["$date": .string(Timestamp(date).iso8601)]
        }
        return .verbatim(value.json)
    }
}
