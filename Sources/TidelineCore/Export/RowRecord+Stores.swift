public import EntityStore
public import KeyValueStore
import Replication

extension RowRecord {
    /// The columns of exported keys.
    public static func keyColumns(_ format: ExportFormat) -> [String] {
        format.hasTypes ? ["key", "value"] : ["key", "type", "value"]
    }

    /// Creates the record of a key in the form that an import reads. In a format without types,
    /// there is a column for the type of the value.
    ///
    /// - Throws: `PropertyListError` for a value that is nested too deeply.
    public init(key: String, _ value: PropertyList, as format: ExportFormat) throws {
        guard !format.hasTypes else {
            self.init([
                Member("key", .string(key)), Member("value", .verbatim(try value.json())),
            ])
            return
        }
        let typed = try TypedText(exported: value)
        self.init([
            Member("key", .string(key)), Member("type", .string(typed.kind.rawValue)),
            Member("value", .string(typed.text)),
        ])
    }
}

/// The columns of exported entities. Each property is a column; in CSV and TSV, its name ends with
/// the type of its values.
public struct EntityColumns: Sendable {
    private let format: ExportFormat
    private var kinds: [Name: TypedText.Kind] = [:]
    private static let fixed: [FixedProperty] = [.identifier, .type, .datestamp]

    /// Creates the columns for a format, at first without properties.
    public init(_ format: ExportFormat) { self.format = format }

    /// Whether all properties must be known before the first entity is exported.
    public var needsProperties: Bool { !format.hasTypes }

    /// Adds columns for the properties of an entity.
    public mutating func add(_ entity: EntityRecord) {
        // Files of other programs can have an ordinary property that has the name of a fixed one.
        for element in entity.properties where FixedProperty(rawValue: element.key) == nil {
            let kind = TypedText(element.property.value).kind
            // A column with values of several types contains JSON.
            kinds[Name(element.key)] =
                kinds[Name(element.key), default: kind] == kind ? kind : .json
        }
    }

    /// The names of the columns, in order.
    public var names: [String] {
        Self.fixed.map(\.rawValue) + (needsProperties ? sorted.map(title) : ["properties"])
    }

    /// Creates the record of an entity.
    public func record(_ entity: EntityRecord) -> RowRecord {
        var members = [
            RowRecord.Member("identifier", .string(entity.identifier)),
            RowRecord.Member("type", .string(entity.type)),
            RowRecord.Member("datestamp", .string(entity.datestamp.iso8601)),
        ]
        guard needsProperties else {
            members += [
                .init("modified", .string(entity.modified.iso8601)),
                .init("properties", entity.properties.asJSON),
            ]
            return RowRecord(members)
        }
        members += sorted.map { name, kind in
            let value = entity.properties[value: name.text]
            return .init(title(name, kind), value.map { member($0, kind) } ?? .null)
        }
        return RowRecord(members)
    }

    private var sorted: [(key: Name, value: TypedText.Kind)] {
        kinds.sorted { $0.key < $1.key }
    }

    private func title(_ name: Name, _ kind: TypedText.Kind) -> String {
        format == .sql ? name.text : "\(name.text):\(kind.rawValue)"
    }

    private func member(_ value: EntityValue, _ kind: TypedText.Kind) -> JSONValue {
        if format == .sql {
            switch value {
            case .date, .relationship: return .string(value.text)
            case .string(let text): return .string(text)
            default: return .verbatim(value.json)
            }
        }
        if kind == .json { return .string(value.json) }
        return .string(TypedText(value).text)
    }
}

extension ExportFormat {
    /// Whether values keep their types, as they do in JSON.
    var hasTypes: Bool { self == .json || self == .jsonLines }
}

extension TypedText {
    /// Creates the text of a value for a file. JSON is on one line, and each NaN keeps its bits.
    fileprivate init(exported value: PropertyList) throws {
        self.init(value)
        if case .real(let number) = value, number.isNaN { kind = .json }
        if kind == .json { text = try value.json() }
    }
}
