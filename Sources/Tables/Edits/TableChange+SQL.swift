import Foundation
import LosslessJSON
import Replication

extension TableValue {
    /// Returns the members of a JSON object, in order. A member's value is `nil` if it isn't a
    /// table value. Returns `nil` for text that isn't a JSON object.
    public static func members(ofJSONText text: String) -> [(name: String, value: TableValue?)]? {
        guard case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) else {
            return nil
        }
        return members.map { ($0.name, TableValue($0.value)) }
    }

    /// Creates a value from the command line's JSON form; `nil` for any other text.
    public init?(jsonText text: String) {
        guard let json = try? JSONParser.parse(Array(text.utf8)) else { return nil }
        self.init(json)
    }

    /// Returns the value as an SQL literal. If `shortened` is true, long blobs and texts are
    /// shortened. Use that form only for display.
    public func sql(shortened: Bool = false) -> String {
        switch self {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number):
            number.isFinite ? "\(number)" : number.isNaN ? "NULL" : number < 0 ? "-9e999" : "9e999"
        case .text(let text):
            shortened && text.utf8.count > 200
                ? SQLName.literal(String(text.prefix(160))) + " …" : SQLName.literal(text)
        case .blob(let data):
            shortened && data.count > 64
                ? "X'\(Self.hex(data.prefix(48)))…' (\(data.count.grouped) bytes)"
                : "X'\(Self.hex(data))'"
        case .malformedText(let data):
            "CAST(\(TableValue.blob(data).sql(shortened: shortened)) AS TEXT)"
        case .unread: "NULL"
        }
    }

    private static func hex(_ data: Data) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(data.count * 2)
        for byte in data {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension TableChange {
    /// Returns the SQL statement that makes the change, for display.
    public func sql(_ schema: TableSchema, shortened: Bool = true) -> String {
        func text(_ value: TableValue) -> String { value.sql(shortened: shortened) }
        let name = SQLName.quoted(schema.name)
        let condition =
            zip(Self.keyNames(schema), key?.values ?? []).map { "\($0) = \(text($1))" }
            .joined(separator: " AND ")
        switch action {
        case .update:
            var sets = cells.map { "\(SQLName.quoted($0.column)) = \(text($0.value))" }
            if countsSaves { sets.append("Z_OPT = Z_OPT + 1") }
            return "UPDATE \(name) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
        case .delete: return "DELETE FROM \(name) WHERE \(condition)"
        case .insert:
            let (names, values) = insertion(schema)
            guard !names.isEmpty else { return "INSERT INTO \(name) DEFAULT VALUES" }
            return "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES ("
                + values.map(text).joined(separator: ", ") + ")"
        }
    }

    /// Returns the columns and values of an inserted row, including its rowid if the change sets
    /// one.
    func insertion(_ schema: TableSchema) -> (names: [String], values: [TableValue]) {
        var names = cells.map { SQLName.quoted($0.column) }
        var values = cells.map(\.value)
        if let key, schema.rowID != nil {
            let column = schema.rowIDColumn
            let isGiven = cells.contains { cell in
                column.map { SQLName.areSame(cell.column, $0.name) } ?? false
            }
            if !isGiven {
                names += Self.keyNames(schema)
                values += key.values
            }
        }
        return (names, values)
    }

    /// Returns the key columns as SQL names.
    static func keyNames(_ schema: TableSchema) -> [String] {
        if let rowID = schema.rowIDSQL { return [rowID] }
        return schema.primaryKey.map { SQLName.quoted($0.name) }
    }
}
