import Foundation
import KeyValueStore
import Replication

/// A compiled Core Data model: a keyed archive, which stores compress with raw deflate.
struct ModelArchive: Sendable {
    /// An entity, with the properties that it doesn't inherit.
    struct Entity: Sendable {
        let name: String
        let parent: String?
        var properties: [Property]
    }

    /// An attribute or a relationship.
    struct Property: Sendable {
        let name: String
        /// The type of an attribute; `nil` for a relationship, and for an unknown type.
        var type: CoreDataModel.AttributeType?
        /// The name of a relationship's target entity.
        var target: String?
        /// The name of the relationship back from the target.
        var inverse: String?
        var isRelationship = false
        var isToMany = false
        /// Whether the property isn't stored.
        var isTransient = false
        /// Whether the values may be stored in files; `nil` if unknown.
        var isExternal: Bool?
        /// Whether the history keeps the values of deleted objects.
        var isPreserved = false
        /// The attributes of a composite attribute.
        var elements: [Property] = []

        /// The attributes that are stored: the parts of a composite attribute, or else the property
        /// itself. Each has the name of its column and the path of names that leads to it.
        ///
        /// SwiftData represents an enumeration as a composite of one attribute of the same name.
        var leaves: [(path: String, property: Property)] {
            guard !elements.isEmpty else { return [(name, self)] }
            return elements.flatMap { element in
                element.leaves.map { path, leaf in
                    (elements.count == 1 && path == name ? name : "\(name).\(path)", leaf)
                }
            }
        }
    }

    /// The entities by name.
    let entities: [String: Entity]

    /// The maximum number of entities that inherit from each other.
    static let ancestorLimit = 100
    /// The maximum number of properties. Data with more properties is not accepted as a model.
    private static let propertyLimit = 100_000

    /// Decodes a model.
    ///
    /// - Returns: `nil` if the bytes aren't a model.
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
            let properties = reader.items(of: object["NSProperties"]).compactMap {
                reader.property($0)
            }
            count += properties.count
            guard count <= Self.propertyLimit else { return nil }
            entities[name] = Entity(
                name: name,
                parent: reader.object(object["NSSuperentity"]).flatMap {
                    reader.text($0["NSEntityName"])
                },
                properties: properties.sorted {
                    $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
                })
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

    /// Returns the stored properties of an entity with the inherited properties, sorted by name.
    func properties(of name: String) -> [Property] {
        columns(of: name).properties
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the stored properties of an entity in the order of its columns. The properties of
    /// its topmost ancestor come first, and those of each entity are sorted by name.
    ///
    /// - Returns: The properties, and the names of the entity and of its ancestors.
    func columns(of name: String) -> (properties: [Property], entities: [String]) {
        guard let entity = entities[name] else { return ([], []) }
        let line = Self.line(from: entity, entities).reversed()
        return (line.flatMap(\.properties).filter { !$0.isTransient }, line.map(\.name))
    }

    /// Returns the topmost ancestor of an entity, whose table contains the entity's objects.
    func root(of name: String) -> String? {
        entities[name].flatMap { Self.line(from: $0, entities).last?.name }
    }

    private static func line(from entity: Entity, _ entities: [String: Entity]) -> [Entity] {
        var line = [entity]
        // A damaged archive can contain a cycle.
        while line.count < ancestorLimit, let next = line.last?.parent.flatMap({ entities[$0] }),
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
        // A raw deflate stream can also start with the two bytes of a zlib header.
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

    /// The maximum nesting depth of composite attributes.
    private static let depthLimit = 16
    /// The maximum number of attributes of a composite attribute.
    private static let elementLimit = 1_000
    /// The number of properties that may still be read. Composite attributes can refer to the same
    /// attributes repeatedly, so the size of the archive doesn't limit the number of properties.
    private let budget = Budget()

    private final class Budget {
        var left = 10_000
    }

    init(objects: [PropertyList]) { self.objects = objects }

    func property(_ list: PropertyList, depth: Int = 0) -> ModelArchive.Property? {
        guard budget.left > 0, case .dictionary(let object) = list,
            let name = text(object["NSPropertyName"])
        else { return nil }
        budget.left -= 1
        var property = ModelArchive.Property(name: name)
        property.isTransient = isTrue(object["NSIsTransient"])
        let type = type(of: object)
        if type.hasSuffix("AttributeDescription") {
            property.type = integer(object["NSAttributeType"]).flatMap(
                CoreDataModel.AttributeType.init)
            if let flags = integer(object["NSFlagsKey"]) {
                property.isExternal = flags & 4 != 0
                property.isPreserved = flags & 16 != 0
            }
            if depth < Self.depthLimit {
                let elements = items(of: object["NSCompositeElements"], limit: Self.elementLimit)
                property.elements = elements.compactMap { self.property($0, depth: depth + 1) }
            }
            return property
        }
        guard type.hasSuffix("RelationshipDescription") else { return nil }
        property.isRelationship = true
        property.isToMany = integer(object["NSMaxCount"]) != 1
        property.target =
            text(object["_NSDestinationEntityName"])
            ?? self.object(object["NSDestinationEntity"]).flatMap { text($0["NSEntityName"]) }
        property.inverse =
            text(object["_NSInverseRelationshipName"])
            ?? self.object(object["NSInverseRelationship"]).flatMap { text($0["NSPropertyName"]) }
        return property
    }

    /// Returns the class name of an object.
    func type(of object: [Name: PropertyList]) -> String {
        self.object(object["$class"]).flatMap { text($0["$classname"]) } ?? ""
    }

    /// Returns the values of a dictionary, or the items of an array or set.
    func items(of reference: PropertyList?, limit: Int = .max) -> [PropertyList] {
        guard let collection = object(reference), case .array(let items)? = collection["NS.objects"]
        else { return [] }
        return items.prefix(limit).compactMap(value)
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

    private func isTrue(_ reference: PropertyList?) -> Bool {
        switch value(reference) {
        case .boolean(let truth): truth
        case .integer(let number): number != 0
        default: false
        }
    }

    private func value(_ reference: PropertyList?) -> PropertyList? {
        guard case .dictionary(let members)? = reference, members.count == 1,
            case .integer(let number)? = members["CF$UID"]
        else { return reference }
        return Int(exactly: number).flatMap { objects.indices.contains($0) ? objects[$0] : nil }
    }
}
