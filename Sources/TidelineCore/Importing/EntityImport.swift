public import EntityStore
import Foundation
import LosslessJSON
import Replication
public import Tables

/// The entities of a CSV, TSV or JSON file, with one row per entity.
///
/// The columns `identifier`, `type` and `datestamp` describe the entity; `modified` is ignored.
/// Every other column is a property. In CSV and TSV, its name can end with a colon and a type, such
/// as `born:integer`. In JSON, a member `properties` can contain all properties. A NULL removes the
/// property.
public struct EntityImport: Sendable {
    /// The entities. A property to remove has no entries.
    public let interchange: EntityInterchange
    /// The columns for which the file names no type, each with the inferred type. They are in the
    /// order of the file.
    public let inferredKinds: [(name: String, kind: TypedText.Kind)]

    /// Reads the whole file.
    ///
    /// - Parameter type: The type of entities whose type is not in the file.
    /// - Throws: `TablesError` with line and column; errors of the file.
    public init(_ rows: TableImport, type: String? = nil) throws {
        var columns: [PropertyColumn] = []
        var rowsToType: [[(column: Int, text: String, place: ImportPlace)]] = []
        var entities: [EntityInterchange.Entity] = []
        var seen: Set<Name> = []
        try rows.forEachRow(header: { columns = try Self.columns($0) }) { fields, place in
            var entity = EntityInterchange.Entity(identifier: "", type: type ?? "")
            var untyped: [(column: Int, text: String, place: ImportPlace)] = []
            for (number, field) in fields.enumerated() {
                if try entity.takeFixed(field) { continue }
                guard !rows.hasTypes else {
                    try entity.takeMember(field)
                    continue
                }
                let column = columns[number]
                guard case .text(let text) = field.content else {
                    entity.properties[column.name] = []
                    continue
                }
                if let kind = column.kind {
                    entity.properties[column.name] = [
                        try field.place.property(TypedText(kind, text))
                    ]
                } else {
                    untyped.append((number, text, field.place))
                }
            }
            if entity.identifier.isEmpty { entity.identifier = UUID().uuidString }
            guard !entity.type.isEmpty else { throw place.error("the entity has no type") }
            guard seen.insert(Name(entity.identifier)).inserted else {
                throw place.error("the identifier \(entity.identifier) appears twice")
            }
            entities.append(entity)
            rowsToType.append(untyped)
        }
        var inferred: [(name: String, kind: TypedText.Kind)] = []
        for number in columns.indices where columns[number].isUntyped {
            let texts = rowsToType.lazy.joined().filter { $0.column == number }.map(\.text)
            let kind = TypedText.Kind.inferred(from: texts)
            columns[number].kind = kind
            inferred.append((columns[number].name.text, kind))
        }
        for (index, untyped) in rowsToType.enumerated() {
            for (number, text, place) in untyped {
                let column = columns[number]
                entities[index].properties[column.name] = [
                    try place.property(TypedText(field: text, inferred: column.kind ?? .string))
                ]
            }
        }
        interchange = EntityInterchange(entities: entities)
        inferredKinds = inferred
    }

    /// A column of a file whose fields have no types.
    private struct PropertyColumn {
        let name: Name
        var kind: TypedText.Kind?
        /// Whether the column is a property for which the file names no type.
        let isUntyped: Bool
    }

    private static func columns(
        _ header: [(name: String, place: ImportPlace)]
    ) throws(TablesError) -> [PropertyColumn] {
        var columns: [PropertyColumn] = []
        for (text, place) in header {
            let (name, kind) = typed(text)
            guard !name.isEmpty else { throw place.error("a column has no name") }
            guard !columns.contains(where: { $0.name == name }) else {
                throw place.error("the column \(name.text) appears twice")
            }
            let isFixed = FixedProperty(rawValue: text) != nil
            columns.append(
                PropertyColumn(
                    name: name, kind: isFixed ? nil : kind, isUntyped: !isFixed && kind == nil))
        }
        return columns
    }

    /// Splits `born:integer` into name and type. Any other colon belongs to the name.
    private static func typed(_ text: String) -> (name: Name, kind: TypedText.Kind?) {
        guard let colon = text.lastIndex(of: ":"),
            let kind = TypedText.Kind(named: String(text[text.index(after: colon)...])),
            TypedText.Kind.importable.contains(kind)
        else { return (Name(text), nil) }
        return (Name(String(text[..<colon])), kind)
    }
}

extension EntityInterchange.Entity {
    /// Reads a column that every entity has.
    ///
    /// - Returns: Whether the field is such a column.
    fileprivate mutating func takeFixed(_ field: ImportedField) throws(TablesError) -> Bool {
        switch FixedProperty(rawValue: field.name) {
        case nil: return false
        case .modified: return true
        case .identifier: if field.content != .null { identifier = try field.requiredText }
        case .type: if field.content != .null { type = try field.requiredText }
        case .datestamp:
            guard field.content != .null else { return true }
            let text = try field.requiredText
            guard let instant = try? Timestamp(parsing: text) else {
                throw field.place.error("the datestamp \(text.quoted) is not an ISO 8601 time")
            }
            datestamp = instant
        }
        return true
    }

    /// Reads a member of a JSON object: a property, or the object with all properties.
    fileprivate mutating func takeMember(_ field: ImportedField) throws {
        if field.name == "properties", case .json(.object(let members)) = field.content {
            for member in members {
                try set(member.name, to: member.value, field.place)
            }
        } else {
            switch field.content {
            case .null: try set(field.name, to: .null, field.place)
            case .text(let text): try set(field.name, to: .string(text), field.place)
            case .json(let json): try set(field.name, to: json, field.place)
            }
        }
    }

    private mutating func set(_ name: String, to json: JSON, _ place: ImportPlace) throws {
        guard !name.isEmpty else { throw place.error("a property has no name") }
        guard properties[Name(name)] == nil else {
            throw place.error("the property \(name) appears twice")
        }
        properties[Name(name)] =
            json == .null ? [] : [try place.property(TypedText(.json, json.text))]
    }
}

extension ImportPlace {
    fileprivate func property(_ text: TypedText) throws -> Property {
        try explaining {
            guard text.kind == .relationship else { return Property(try text.value()) }
            guard !text.text.isEmpty else { throw error("a relationship doesn't name an entity") }
            return Property(.relationship(.identifier(text.text)))
        }
    }
}
