import Foundation
package import LosslessJSON
import Replication

/// The permanent identity of a row: its rowid, or the values of its primary key.
public struct RowKey: Hashable, Sendable, Codable {
    /// One value per key column.
    public let values: [TableValue]

    /// Creates a key from values in the order of the key columns.
    public init(_ values: [TableValue]) { self.values = values }

    /// Creates the key of a row with a rowid.
    public init(rowID: Int64) { values = [.integer(rowID)] }

    /// The rowid, if the key consists of a rowid or another single integer.
    public var rowID: Int64? {
        guard values.count == 1, case .integer(let number)? = values.first else { return nil }
        return number
    }

    /// The key as text: the digits of a rowid, or a JSON array for a primary key. If a key consists
    /// of one text, the result is that text, unless it would be ambiguous.
    public var text: String {
        if let rowID { return String(rowID) }
        if values.count == 1, case .text(let text)? = values.first, !text.hasPrefix("["),
            Int64(text) == nil
        {
            return text
        }
        return "[" + values.map(\.json).joined(separator: ",") + "]"
    }

    /// Parses the form of ``text``.
    ///
    /// - Parameter table: The table, which determines the number of key columns.
    /// - Throws: ``TablesError``, `.usage`, for a text that can't be a key of the table.
    public init(_ text: String, of table: TableSchema) throws(TablesError) {
        guard table.hasKeys else {
            throw TablesError(.usage, "the rows of \(table.name) have no key")
        }
        if table.rowID != nil {
            guard let number = Int64(text) else {
                throw TablesError(
                    .usage, "\(text.quoted) is not a rowid: rowids are integers")
            }
            self.init(rowID: number)
            return
        }
        let columns = table.primaryKey
        if text.hasPrefix("["), let parsed = try? JSONParser.parse(Array(text.utf8)),
            case .array(let items) = parsed
        {
            let values = items.compactMap { TableValue($0) }
            guard values.count == items.count, values.count == columns.count else {
                throw TablesError(
                    .usage,
                    "a key of \(table.name) is a JSON array with these values: "
                        + columns.map(\.name).joined(separator: ", "))
            }
            self.init(values)
            return
        }
        guard columns.count == 1, let column = columns.first else {
            throw TablesError(
                .usage,
                "the key of a row of \(table.name) is a JSON array: "
                    + columns.map(\.name).joined(separator: ", "))
        }
        if column.affinity != .text, column.affinity != .blob, let number = Int64(text) {
            self.init(rowID: number)
        } else {
            self.init([.text(text)])
        }
    }
}

extension TableValue {
    /// Decodes a JSON scalar, `{"$data": …}`, `{"$real": …}` for a number that isn't finite, or
    /// `{"$text": …}` for the bytes of a text that isn't UTF-8. `nil` for anything else, such as an
    /// integer that 64 bits can't represent.
    package init?(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .boolean(let truth): self = .integer(truth ? 1 : 0)
        case .string(let text): self = .text(text)
        case .number(let digits):
            guard
                let value = JSON.isReal(digits)
                    ? Double(digits).map(Self.real) : Int64(digits).map(Self.integer)
            else { return nil }
            self = value
        case .object:
            guard let (tag, content) = json.tagged, case .string(let text) = content else {
                return nil
            }
            switch tag {
            case .data:
                guard let data = Data(base64: text) else { return nil }
                self = .blob(data)
            case .text:
                guard let data = Data(base64: text) else { return nil }
                self =
                    String(validating: data, as: UTF8.self).map { .text($0) }
                    ?? .malformedText(data)
            case .real:
                // SQLite stores NaN as NULL.
                guard let number = JSONTag.number(for: text), !number.isNaN else { return nil }
                self = .real(number)
            case .date, .dictionary, .external, .entity: return nil
            }
        case .array: return nil
        }
    }

    /// The value in the command line's JSON form.
    public var json: String {
        switch self {
        case .null: return "null"
        case .integer(let number): return String(number)
        case .real(let number): return JSON.real(number).text
        case .text(let text): return JSONWriter.quoted(text)
        case .blob(let data): return Self.tagged(.data, data)
        case .malformedText(let data): return Self.tagged(.text, data)
        case .unread(let isText, let count):
            let length = count.map { ",\"bytes\":\($0)" } ?? ""
            return "{\"$unread\":\"\(isText ? "text" : "blob")\"\(length)}"
        }
    }

    private static func tagged(_ tag: JSONTag, _ data: Data) -> String {
        JSON.tagged(tag, .string(data.base64EncodedString())).text
    }
}
