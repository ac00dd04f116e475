public import KeyValueStore
import LosslessJSON
public import Replication
public import Tables

/// The keys of a CSV, TSV or JSON file, with one row per key.
///
/// The columns are `key`, `value` and, optionally, `type`, which names the type of the row's value.
/// The columns `device`, `date` and `conflict` of an exported list are ignored: an import writes
/// new rows. A NULL deletes the key.
public struct KeyImport: Sendable {
    /// The keys with their values; `nil` for a key to delete.
    public let entries: [Name: PropertyList?]
    /// The inferred type of the values that have no type in the file; `nil` if each value has one.
    public let inferredKind: TypedText.Kind?

    /// Reads the whole file.
    ///
    /// - Throws: `TablesError` with line and column; errors of the file.
    public init(_ rows: TableImport) throws {
        var entries: [Name: PropertyList?] = [:]
        var untyped: [(key: Name, text: String, place: ImportPlace)] = []
        try rows.forEachRow(header: {
            for (name, place) in $0 where !Row.columns.contains(name) {
                throw Row.unknownColumn(name, place)
            }
        }) { fields, place in
            let row = try Row(fields, at: place)
            let value: PropertyList?
            switch row.value.content {
            case .null: value = nil
            case .json(let json):
                value = try row.value.place.explaining { try PropertyList(json: json.text) }
            case .text(let text):
                if let kind = row.kind {
                    // An exported list has the JSON form of dates and bytes.
                    let isTagged = kind != .string && TypedText.isTagged(text)
                    value = try row.value.place.explaining {
                        try TypedText(isTagged ? .json : kind, text).value(
                            as: PropertyList.self)
                    }
                } else {
                    if !rows.hasTypes { untyped.append((row.key, text, row.value.place)) }
                    value = .string(text)
                }
            }
            guard entries.updateValue(value, forKey: row.key) == nil else {
                throw place.error("the key \(row.key.text.quoted) appears twice")
            }
        }
        let kind = TypedText.Kind.inferred(from: untyped.lazy.map(\.text))
        for (key, text, place) in untyped {
            entries[key] = try place.explaining {
                try TypedText(field: text, inferred: kind).value(
                    as: PropertyList.self)
            }
        }
        self.entries = entries
        inferredKind = untyped.isEmpty ? nil : kind
    }

    private struct Row {
        let key: Name
        let value: ImportedField
        let kind: TypedText.Kind?

        private static let ignoredColumns = ["device", "date", "conflict"]
        static let columns = Set(["key", "type", "value"] + ignoredColumns)

        static func unknownColumn(_ name: String, _ place: ImportPlace) -> TablesError {
            place.error("unknown column \(name): the columns are key, type and value")
        }

        /// Returns the type with this name, as in `--as` or in lists.
        private static func kind(named name: String) -> TypedText.Kind? {
            switch name {
            case "list", "map": return .json
            default:
                guard let kind = TypedText.Kind(named: name), kind != .relationship,
                    TypedText.Kind.importable.contains(kind)
                else { return nil }
                return kind
            }
        }

        init(_ fields: [ImportedField], at place: ImportPlace) throws(TablesError) {
            var key: String?
            var value: ImportedField?
            var kind: TypedText.Kind?
            for field in fields {
                switch field.name {
                case "key": key = try field.requiredText
                case "value": value = field
                case "type" where field.content == .null: break
                case "type":
                    let name = try field.requiredText
                    kind = Self.kind(named: name)
                    if kind == nil { throw field.place.error("unknown type \(name.quoted)") }
                case let name where Self.ignoredColumns.contains(name): break
                default: throw Self.unknownColumn(field.name, field.place)
                }
            }
            guard let key, let value else {
                throw place.error("the row has no \(key == nil ? "key" : "value")")
            }
            (self.key, self.value, self.kind) = (Name(key), value, kind)
        }
    }
}

extension ImportedField {
    /// The text of a field that can't be empty.
    var requiredText: String {
        get throws(TablesError) {
            switch content {
            case .text(let text) where !text.isEmpty: return text
            case .text, .null: throw place.error("\(name) is empty")
            case .json(let json): throw place.error("\(name) is \(json.text), not a text")
            }
        }
    }
}

extension ImportPlace {
    /// Runs `body` and adds the place to errors about a value.
    func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as any ExplainedError {
            throw self.error(error.reason)
        }
    }
}
