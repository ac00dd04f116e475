public import Foundation
import KeyValueStore
import Replication

/// A Core Data model in the form that `NSKeyedArchiver` writes.
public struct CoreDataModelArchive {
    public struct Property: Sendable {
        var name: String
        /// `nil` for a relationship.
        var type: Int64?
        var target: String?
        var inverse: String?
        var isToMany = false
        var isTransient = false
        /// The number that `NSFlagsKey` contains: 4 for external storage, 16 for a value that the
        /// history keeps.
        var flags: Int64?
        /// The attributes of a composite attribute.
        var elements: [Property] = []

        public static func attribute(_ name: String, _ type: Int64) -> Self {
            Self(name: name, type: type)
        }
        public static func composite(_ name: String, _ elements: [Property]) -> Self {
            Self(name: name, type: 2100, elements: elements)
        }
        public static func toOne(_ name: String, _ target: String, inverse: String? = nil) -> Self {
            Self(name: name, target: target, inverse: inverse)
        }
        public static func toMany(_ name: String, _ target: String, inverse: String? = nil) -> Self
        {
            Self(name: name, target: target, inverse: inverse, isToMany: true)
        }
        /// Returns the property with other flags.
        public func with(flags: Int64) -> Self {
            var property = self
            property.flags = flags
            return property
        }
        /// The property without a column.
        public var transient: Self {
            var property = self
            property.isTransient = true
            return property
        }
    }

    public struct Entity: Sendable {
        var name: String
        var parent: String?
        var properties: [Property]

        public init(name: String, parent: String? = nil, properties: [Property]) {
            (self.name, self.parent, self.properties) = (name, parent, properties)
        }
    }

    private var objects: [PropertyList] = ["$null"]
    private var classes: [String: Int64] = [:]

    private static func uid(_ number: Int64) -> PropertyList { ["CF$UID": .integer(number)] }

    private mutating func add(_ object: PropertyList) -> PropertyList {
        objects.append(object)
        return Self.uid(Int64(objects.count - 1))
    }

    private mutating func type(_ name: String) -> PropertyList {
        if let known = classes[name] { return Self.uid(known) }
        classes[name] = Int64(objects.count)
        return add(["$classname": .string(name), "$classes": [.string(name), "NSObject"]])
    }

    private mutating func dictionary(_ members: [(String, PropertyList)]) -> PropertyList {
        let keys = members.map { add(.string($0.0)) }
        return add([
            "$class": type("NSMutableDictionary"), "NS.keys": .array(keys),
            "NS.objects": .array(members.map(\.1)),
        ])
    }

    private mutating func add(
        _ property: Property, of entity: Entity, _ place: (String?) -> PropertyList
    ) -> PropertyList {
        var object: [Name: PropertyList] = [
            "NSPropertyName": add(.string(property.name)), "NSEntity": place(entity.name),
        ]
        if property.isTransient { object["NSIsTransient"] = true }
        if let flags = property.flags { object["NSFlagsKey"] = .integer(flags) }
        if let type = property.type {
            object["$class"] = self.type(
                property.elements.isEmpty
                    ? "NSAttributeDescription" : "NSCompositeAttributeDescription")
            object["NSAttributeType"] = .integer(type)
        } else {
            object["$class"] = self.type("NSRelationshipDescription")
            object["NSDestinationEntity"] = place(property.target)
            object["NSMaxCount"] = .integer(property.isToMany ? 0 : 1)
            if let inverse = property.inverse {
                object["_NSInverseRelationshipName"] = add(.string(inverse))
            }
        }
        if !property.elements.isEmpty {
            let elements = property.elements.map { add($0, of: entity, place) }
            object["NSCompositeElements"] = add([
                "$class": self.type("NSArray"), "NS.objects": .array(elements),
            ])
        }
        return add(.dictionary(object))
    }

    /// Returns the archive, in one of the forms found in stores.
    public static func data(_ entities: [Entity], isCompressed: Bool = true) throws -> Data {
        var archive = CoreDataModelArchive()
        let places = entities.map { _ in archive.add("") }
        func place(_ name: String?) -> PropertyList {
            name.flatMap { name in entities.firstIndex { $0.name == name } }.map { places[$0] }
                ?? uid(0)
        }
        for (index, entity) in entities.enumerated() {
            var members: [(String, PropertyList)] = []
            for property in entity.properties {
                members.append((property.name, archive.add(property, of: entity, place)))
            }
            archive.objects[1 + index] = [
                "$class": archive.type("NSEntityDescription"),
                "NSEntityName": archive.add(.string(entity.name)),
                "NSProperties": archive.dictionary(members),
                "NSSuperentity": place(entity.parent),
            ]
        }
        let root = archive.add([
            "$class": archive.type("NSManagedObjectModel"),
            "NSEntities": archive.dictionary(
                entities.indices.map { (entities[$0].name, places[$0]) }),
        ])
        let list: PropertyList = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": root],
            "$objects": .array(archive.objects),
        ]
        return isCompressed ? stored(try list.binary()) : try list.binary()
    }

    /// Returns a raw deflate stream of stored (uncompressed) blocks: RFC 1951.
    private static func stored(_ data: Data) -> Data {
        var result = Data()
        var rest = data[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            for number in [count, ~count] {
                result.append(UInt8(number & 255))
                result.append(UInt8(number >> 8))
            }
            result += block
        } while !rest.isEmpty
        return result
    }
}
