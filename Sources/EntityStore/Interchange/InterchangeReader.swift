import Foundation
import LosslessJSON
import Replication

/// A parser of the interchange format. The only syntax error that it accepts is a comma before a
/// closing bracket. Content that can't be stored is an error with its position.
struct InterchangeReader {
    private typealias Entity = EntityInterchange.Entity

    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`.
    static func read(_ data: Data) throws(EntityStoreError) -> [EntityInterchange.Entity] {
        let json: JSON
        do {
            json = try JSONParser.parse(Array(data), allowing: .trailingCommas)
        } catch {
            throw EntityStoreError(
                .invalidInterchange, "the text isn't JSON: \(error)", cause: error)
        }
        return try entities(json)
    }

    /// Reads the parsed text of an interchange file.
    ///
    /// - Throws: ``EntityStoreError`` with code `.invalidInterchange`.
    static func entities(_ json: JSON) throws(EntityStoreError) -> [EntityInterchange.Entity] {
        guard case .object(let members) = json else {
            throw failure("the text", "is \(json.kindName), not an object")
        }
        for member in members where member.name != "entities" {
            throw failure(
                "the member \(member.name.quoted)", "does not belong to the format")
        }
        guard let member = members.first, members.count == 1 else {
            throw failure(
                "\"entities\"", members.isEmpty ? "is missing" : "occurs twice")
        }
        guard case .array(let elements) = member.value else {
            throw failure("\"entities\"", "is \(member.value.kindName), not an array")
        }
        return try elements.enumerated().map { index, element throws(EntityStoreError) in
            try entity(element, "entities[\(index)]")
        }
    }

    private static func failure(_ place: String, _ what: String) -> EntityStoreError {
        EntityStoreError(.invalidInterchange, "\(place) \(what)")
    }

    private static func entity(_ json: JSON, _ place: String) throws(EntityStoreError) -> Entity {
        guard case .object(let members) = json else {
            throw failure(place, "is \(json.kindName), not an object")
        }
        var entity = Entity(identifier: "", type: "")
        var seen: Set<Name> = []
        for member in members {
            let place = "\(place).\(member.name)"
            guard seen.insert(member.name) else {
                throw failure(place, "occurs twice")
            }
            switch FixedProperty(rawValue: member.name) {
            case .identifier: entity.identifier = try string(member.value, place)
            case .type: entity.type = try string(member.value, place)
            case .datestamp: entity.datestamp = try datestamp(member.value, place)
            case .modified, nil:
                guard !member.name.isEmpty else {
                    throw failure(place, "has an empty key")
                }
                entity.properties[member.name] = try properties(member.value, place)
            }
        }
        guard !entity.identifier.isEmpty else { throw failure(place, "has no identifier") }
        guard seen.contains("type"), !entity.type.isEmpty || !entity.properties.isEmpty else {
            throw failure(place, "has no type")
        }
        return entity
    }

    private static func string(_ json: JSON, _ place: String) throws(EntityStoreError) -> String {
        guard case .string(let text) = json else {
            throw failure(place, "is \(json.kindName), not a string")
        }
        return text
    }

    private static func instant(
        _ json: JSON, _ place: String
    ) throws(EntityStoreError) -> Timestamp {
        let text = try string(json, place)
        guard let instant = Timestamp(exactly: text) else {
            throw failure(
                place,
                "is \(text.quoted), which is not an ISO 8601 time of whole "
                    + "microseconds")
        }
        return instant
    }

    /// Reads a datestamp, which is a bare value or a full one.
    private static func datestamp(
        _ json: JSON, _ place: String
    ) throws(EntityStoreError) -> Timestamp {
        guard case .object = json else { return try instant(json, place) }
        let property = try property(json, place)
        guard let date = property.value.date else {
            throw failure(place, "is \(property.value.kind.name), not a date")
        }
        return date
    }

    /// Parses the entries of a property: one value, or an array of objects.
    private static func properties(
        _ json: JSON, _ place: String
    ) throws(EntityStoreError) -> [Property] {
        switch json {
        case .object: return [try property(json, place)]
        case .array(let elements):
            let objects = elements.count {
                if case .object = $0 { true } else { false }
            }
            guard objects == elements.count, objects > 0 else {
                return [Property(try value(json, place))]
            }
            return try elements.enumerated().map { index, element throws(EntityStoreError) in
                try property(element, "\(place)[\(index)]")
            }
        default: return [Property(try value(json, place))]
        }
    }

    private static func value(_ json: JSON, _ place: String) throws(EntityStoreError) -> EntityValue
    {
        do {
            return try EntityValue(json: json)
        } catch {
            throw failure(place, "can't be stored: \(error.message)")
        }
    }

    private static func property(
        _ json: JSON, _ place: String
    ) throws(EntityStoreError) -> Property {
        guard case .object(let members) = json else {
            throw failure(place, "is \(json.kindName), not an object")
        }
        var found: EntityValue?
        var type: String?
        var date: Timestamp?
        for member in members {
            let inner = "\(place).\(member.name)"
            switch member.name {
            case "type" where type == nil: type = try string(member.value, inner)
            case "datestamp" where date == nil: date = try datestamp(member.value, inner)
            default:
                guard let kind = EntityValueKind.byName[member.name] else {
                    throw failure(inner, "does not belong in a property")
                }
                guard found == nil else { throw failure(place, "has more than one value") }
                found = try value(member.value, as: kind, inner)
            }
        }
        guard let found else { throw failure(place, "has no value") }
        return Property(found, type: type, datestamp: date)
    }

    private static func value(
        _ json: JSON, as kind: EntityValueKind, _ place: String
    ) throws(EntityStoreError) -> EntityValue {
        switch (kind, json) {
        case (.string, .string(let text)): return .string(text)
        case (.boolean, .boolean(let flag)): return .boolean(flag)
        case (.date, _): return .date(try instant(json, place))
        case (.data, .string(let text)):
            guard let data = Data(base64: text) else {
                throw failure(place, "isn't base64")
            }
            return .data(data)
        case (.relationship, .string(let identifier)):
            guard !identifier.isEmpty else { throw failure(place, "doesn't name an entity") }
            return .relationship(.identifier(identifier))
        case (.double, .number(let digits)):
            guard let number = Double(digits), number.isFinite else {
                throw failure(place, "is too large for a double")
            }
            return .double(number)
        case (.double, .string("nan")): return .double(.nan)
        case (.double, .string("inf")): return .double(.infinity)
        case (.double, .string("-inf")): return .double(-.infinity)
        case (.integer, .number), (.array, .array), (.dictionary, .object), (.double, .object):
            let value = try value(json, place)
            if value.kind == kind { return value }
        default: break
        }
        throw failure(place, "is \(json.kindName), which can't be read as \(kind.name)")
    }
}
