import Foundation
import KeyValueStore
import Replication

/// The model that a Core Data store keeps in `Z_MODELCACHE`: a keyed archive, which real stores
/// compress with raw deflate.
struct ModelArchive {
    /// An entity, with the properties that it doesn't inherit.
    struct Entity {
        let name: String
        let parent: String?
        var properties: [Property]
    }

    /// An attribute or a relationship.
    struct Property {
        let name: String
        /// The type number, as in `NSAttributeType`; `nil` for a relationship.
        let type: Int64?
        /// The name of the relationship's target entity.
        let target: String?
        let isToMany: Bool
    }

    /// The entities by name.
    let entities: [String: Entity]

    /// The attribute types that need special handling.
    enum AttributeType {
        static let date: Int64 = 900
        static let binary: Int64 = 1000
        static let uuid: Int64 = 1100
    }

    /// The number of properties above which the data is not accepted as a model.
    private static let propertyLimit = 100_000

    /// Decodes a model.
    ///
    /// - Returns: `nil` if the bytes aren't one.
    init?(_ content: Data) {
        guard let archive = Self.archive(content), case .dictionary(let members) = archive,
            case .array(let objects)? = members["$objects"]
        else { return nil }
        let reader = ObjectReader(objects: objects)
        var entities: [String: Entity] = [:]
        var count = 0
        for case .dictionary(let object) in objects
        where reader.type(of: object).hasSuffix("EntityDescription") {
            guard let name = reader.text(object["NSEntityName"]) else { continue }
            let properties = reader.items(of: object["NSProperties"]).compactMap(reader.property)
            count += properties.count
            guard count <= Self.propertyLimit else { return nil }
            entities[name] = Entity(
                name: name,
                parent: reader.object(object["NSSuperentity"]).flatMap {
                    reader.text($0["NSEntityName"])
                },
                properties: properties)
        }
        guard !entities.isEmpty else { return nil }
        self.entities = entities.mapValues { entity in
            var inherited: Set<String> = []
            for ancestor in Self.line(from: entity, entities).dropFirst() {
                inherited.formUnion(ancestor.properties.map(\.name))
            }
            var own = entity
            own.properties.removeAll { inherited.contains($0.name) }
            return own
        }
    }

    private static func line(from entity: Entity, _ entities: [String: Entity]) -> [Entity] {
        var line = [entity]
        // A damaged archive can contain a cycle.
        while let next = line.last?.parent.flatMap({ entities[$0] }),
            !line.contains(where: { $0.name == next.name })
        {
            line.append(next)
        }
        return line
    }

    private static func archive(_ content: Data) -> PropertyList? {
        let limit = 32 << 20
        let isPlain = { (data: Data) in data.starts(with: Data("bplist00".utf8)) }
        if isPlain(content) { return try? PropertyList(archive: content) }
        // A raw deflate stream can start with the two bytes of a zlib header, too.
        for isRaw in [false, true] {
            if let data = Inflation.inflate(content, limit: limit, isRaw: isRaw)?.data,
                isPlain(data)
            {
                return try? PropertyList(archive: data)
            }
        }
        return nil
    }
}

/// The objects of a keyed archive, which refer to each other by number.
private struct ObjectReader {
    let objects: [PropertyList]

    func property(_ list: PropertyList) -> ModelArchive.Property? {
        guard case .dictionary(let object) = list, let name = text(object["NSPropertyName"]) else {
            return nil
        }
        let type = type(of: object)
        if type.hasSuffix("AttributeDescription") {
            return .init(
                name: name, type: integer(object["NSAttributeType"]) ?? 0, target: nil,
                isToMany: false)
        }
        guard type.hasSuffix("RelationshipDescription") else { return nil }
        let target =
            text(object["_NSDestinationEntityName"])
            ?? self.object(object["NSDestinationEntity"]).flatMap { text($0["NSEntityName"]) }
        return .init(
            name: name, type: nil, target: target, isToMany: integer(object["NSMaxCount"]) != 1)
    }

    /// Returns the class name of an object.
    func type(of object: [Name: PropertyList]) -> String {
        self.object(object["$class"]).flatMap { text($0["$classname"]) } ?? ""
    }

    /// Returns the values of a dictionary, or the items of an array or set.
    func items(of reference: PropertyList?) -> [PropertyList] {
        guard let collection = object(reference), case .array(let items)? = collection["NS.objects"]
        else { return [] }
        return items.compactMap(value)
    }

    func object(_ reference: PropertyList?) -> [Name: PropertyList]? {
        guard case .dictionary(let members)? = value(reference) else { return nil }
        return members
    }

    /// Returns a string; `nil` for `$null`.
    func text(_ reference: PropertyList?) -> String? {
        switch value(reference) {
        case .string(let text): text == "$null" ? nil : text
        case .dictionary(let members): text(members["NS.string"])
        default: nil
        }
    }

    func integer(_ reference: PropertyList?) -> Int64? {
        guard case .integer(let number)? = value(reference) else { return nil }
        return number
    }

    private func value(_ reference: PropertyList?) -> PropertyList? {
        guard case .dictionary(let members)? = reference, members.count == 1,
            case .integer(let number)? = members["CF$UID"]
        else { return reference }
        return Int(exactly: number).flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }
}
