import Foundation

/// The properties of an entity, with their numbers in the persistent history.
///
/// A change has a bitmap of the properties that it wrote, with the columns of the entity in five
/// groups: the numbers of objects that to-one relationships refer to, the numbers of these objects'
/// entities, their positions in ordered relationships, the attributes, and the to-many
/// relationships. A composite attribute has a bit for each of its attributes. In each group, the
/// inherited properties come first. The entity's own properties follow, sorted by name.
struct RecordedProperties: Hashable, Sendable {
    /// The bits in order; `nil` if their numbers are unknown.
    private let groups: [Group]?
    /// The attributes whose values are kept when an object is deleted, in the order of the columns
    /// that keep them.
    let preserved: [Preserved]

    /// Consecutive bits of the bitmap.
    private struct Group: Hashable {
        /// The properties, one per bit.
        let names: [String]
        /// Whether the bits are in the order of `names`. Always the case for a single property.
        let isInOrder: Bool

        init(_ names: [String], isInOrder: Bool = true) {
            self.names = names
            self.isInOrder = isInOrder || names.count < 2
        }
    }

    /// An attribute whose value is kept when an object is deleted.
    struct Preserved: Hashable, Sendable {
        /// The name. An attribute of a composite attribute has a name such as `address.street`.
        let name: String
        let type: CoreDataModel.AttributeType?
    }

    /// Creates the numbers of an entity's properties.
    ///
    /// - Parameters:
    ///   - properties: The stored properties in the order of their columns.
    ///   - columns: The columns of to-one relationships, by name.
    ///   - table: The table that contains the entity's objects.
    ///   - hasUnnamedColumns: Whether the entity has columns for relationships of other entities
    ///     that have no inverse. The order of all columns is then unknown.
    init(
        _ properties: [ModelArchive.Property], columns: [String: String], in table: TableSchema,
        hasUnnamedColumns: Bool
    ) {
        let attributes = properties.filter { !$0.isRelationship }.flatMap(\.leaves)
        preserved = attributes.filter { $0.property.isPreserved }.map {
            .init(name: $0.path, type: $0.property.type)
        }
        guard !hasUnnamedColumns else {
            groups = nil
            return
        }
        let toOne = properties.filter { $0.isRelationship && !$0.isToMany }.map(\.name)
        // Core Data's own columns for a relationship are named after the relationship's column.
        let bare = { (name: String) in columns[name].map { String($0.dropFirst()) } }
        let entityKeys = toOne.filter { name in
            bare(name).map { table.entityColumn(of: $0) != nil } ?? false
        }
        let orderKeys = toOne.filter { name in
            bare(name).map { table.column("Z_FOK_\($0)") != nil } ?? false
        }
        let toMany = properties.filter { $0.isRelationship && $0.isToMany }.map(\.name)
        groups = [
            Group(toOne), Group(entityKeys), Group(orderKeys, isInOrder: false),
            Group(attributes.map { $0.path }), Group(toMany, isInOrder: false),
        ]
    }

    /// Returns the names of the properties in a bitmap of the history, sorted. The first bit is the
    /// highest bit of the first byte.
    ///
    /// - Returns: `nil` if the bitmap has bits of unknown properties. In that case, the bitmap may
    ///   belong to another model, and the other names would be wrong, too.
    func names(in bitmap: Data) -> [String]? {
        guard let groups else { return nil }
        let bytes = [UInt8](bitmap)
        let count = groups.reduce(0) { $0 + $1.names.count }
        guard count <= bytes.count * 8 else { return nil }
        let isSet = { (bit: Int) in bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 }
        var names: Set<String> = []
        var start = 0
        for group in groups {
            let bits = group.names.indices.filter { isSet(start + $0) }
            start += group.names.count
            // If the order is unknown, names are known only if all bits of the group are set.
            guard group.isInOrder || bits.isEmpty || bits.count == group.names.count else {
                return nil
            }
            names.formUnion(bits.map { group.names[$0] })
        }
        guard !(count..<bytes.count * 8).contains(where: isSet) else { return nil }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

extension TableSchema {
    /// Returns the column with the number of the target's entity, `Z9_OWNER`, next to the column
    /// `ZOWNER` of a Core Data relationship.
    ///
    /// - Parameter relationship: The relationship's column without its first letter.
    func entityColumn(of relationship: String) -> ColumnSchema? {
        let relationship = relationship.uppercased()
        return columns.first { column in
            let name = column.name.uppercased()
            return name.hasPrefix("Z") && name.hasSuffix("_\(relationship)")
                && Int64(name.dropFirst().dropLast(relationship.count + 1)) != nil
        }
    }
}
