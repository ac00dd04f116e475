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

    /// The rowid, if the key is one.
    public var rowID: Int64? {
        guard values.count == 1, case .integer(let number)? = values.first else { return nil }
        return number
    }

    /// The key as text: the digits of a rowid, or a JSON array for a primary key. A key of one text
    /// is written plainly if that isn't ambiguous.
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
                    .usage, "\(text.quoted) is not a rowid, which is an integer")
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
                    "a key of \(table.name) is a JSON array of \(columns.count): "
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
    /// `{"$text": …}` for the bytes of a text that isn't UTF-8. `nil` for anything else.
    package init?(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .boolean(let truth): self = .integer(truth ? 1 : 0)
        case .string(let text): self = .text(text)
        case .number(let digits):
            if !JSON.isReal(digits), let number = Int64(digits) {
                self = .integer(number)
            } else if let number = Double(digits) {
                self = .real(number)
            } else {
                return nil
            }
        case .object:
            guard case .object(let members) = json, members.count == 1,
                case .string(let text) = members[0].value
            else { return nil }
            switch (members[0].name, text) {
            case ("$data", _):
                guard let data = Data(base64Encoded: text) else { return nil }
                self = .blob(data)
            case ("$text", _):
                guard let data = Data(base64Encoded: text) else { return nil }
                self =
                    String(validating: data, as: UTF8.self).map { .text($0) }
                    ?? .malformedText(data)
            case ("$real", "inf"): self = .real(.infinity)
            case ("$real", "-inf"): self = .real(-.infinity)
            default: return nil
            }
        case .array: return nil
        }
    }

    /// The value in the command line's JSON form.
    public var json: String {
        switch self {
        case .null: return "null"
        case .integer(let number): return String(number)
        case .real(let number):
            guard number.isFinite else {
                return "{\"$real\":\"\(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")\"}"
            }
            return "\(number)"
        case .text(let text): return JSONWriter.quoted(text)
        case .blob(let data): return "{\"$data\":\"\(data.base64EncodedString())\"}"
        case .malformedText(let data): return "{\"$text\":\"\(data.base64EncodedString())\"}"
        case .unread(let isText, let count):
            let length = count.map { ",\"bytes\":\($0)" } ?? ""
            return "{\"$unread\":\"\(isText ? "text" : "blob")\"\(length)}"
        }
    }
}
