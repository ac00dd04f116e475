public import GRDB

/// The entities of a Core Data or SwiftData store, as far as its tables describe them.
///
/// An entity's table is named `Z` followed by the entity's name in upper case. Entities that
/// inherit from others share the table of their topmost ancestor, and `Z_ENT` distinguishes them.
/// `Z_PRIMARYKEY` contains the number, name and parent of each entity. A column is named `Z`
/// followed by the name of its attribute in upper case; a composite attribute has a column for each
/// of its attributes. Most stores keep their model in `Z_MODELCACHE`, with the attributes, their
/// types and the targets of relationships. For other stores, the model can be read from a
/// ``CoreDataModelFile``. Without a model, names are in lower case and targets are guesses.
public struct CoreDataModel: Hashable, Sendable {
    /// An entity.
    public struct Entity: Hashable, Sendable {
        /// The name of the entity.
        public let name: String
        /// The number in `Z_ENT`.
        public let number: Int64
        /// The number of the parent entity.
        public let parent: Int64?
        /// The table that contains the entity's objects.
        public let table: String
        /// The attributes and to-one relationships.
        public let attributes: [Attribute]
        /// The entity's number and the numbers of all entities that inherit from it.
        public let numbers: [Int64]
        /// The many-to-many relationships.
        public let links: [Link]
        /// The one-to-many relationships, if the model is known.
        public let collections: [ObjectCollection]
        /// The numbers that the history gives the entity's properties, if the model is known.
        let recorded: RecordedProperties?
    }

    /// A one-to-many relationship: the target objects refer to the source object.
    public struct ObjectCollection: Hashable, Sendable {
        /// The name of the relationship.
        public let name: String
        /// The target entity.
        public let target: String
        /// The target's column with the number of the source object.
        public let column: String
        /// The target's column that orders the objects; `nil` for an unordered relationship.
        public let order: String?
    }

    /// An attribute, or a to-one relationship.
    public struct Attribute: Hashable, Sendable {
        /// The name of the attribute or relationship.
        public let name: String
        /// The column that stores the attribute.
        public let column: String
        /// The type; `nil` for a relationship, and if the model isn't known.
        public let type: AttributeType?
        /// Whether the attribute holds an instant, in seconds since 2001.
        public let isDate: Bool
        /// Whether to show a value of 16 bytes as a UUID.
        public let uuidHint: BlobContent.UUIDHint
        /// Whether binary values have the form of ``ExternalBinary``.
        public let isExternalBinary: Bool
        /// The target entity if this is a relationship. The column contains the number of the
        /// target object.
        public let target: String?
    }

    /// A many-to-many relationship, stored in a join table with one row per pair.
    public struct Link: Hashable, Sendable {
        /// The name of the relationship.
        public let name: String
        /// The target entity.
        public let target: String
        /// The join table.
        public let table: String
        /// The column with the numbers of the source objects.
        public let source: String
        /// The column with the numbers of the target objects.
        public let destination: String
        /// The column that orders the objects; `nil` for an unordered relationship.
        public let order: String?

        /// Returns the condition that selects the target objects of a source object.
        public func condition(from row: Int64) -> RowCondition {
            RowCondition(
                "Z_PK IN (SELECT \(SQLName.quoted(destination)) FROM \(SQLName.quoted(table)) "
                    + "WHERE \(SQLName.quoted(source)) = ?)", [.integer(row)])
        }

        /// Returns the order of the target objects of a source object; `nil` for an unordered
        /// relationship.
        public func order(from row: Int64) -> RowSelection.Sort? {
            order.map { order in
                RowSelection.Sort(
                    expression: "(SELECT \(SQLName.quoted(order)) FROM \(SQLName.quoted(table)) "
                        + "WHERE \(SQLName.quoted(source)) = \(row) "
                        + "AND \(SQLName.quoted(destination)) = Z_PK)")
            }
        }

        /// Returns pairs of source and target objects, sorted by source and in the order of the
        /// relationship.
        ///
        /// - Parameters:
        ///   - row: The source object; `nil` for all of them.
        ///   - limit: The maximum number of pairs.
        /// - Throws: `DatabaseError`.
        public func targets(
            _ db: Database, of row: Int64? = nil, limit: Int
        ) throws -> [Int64: [Int64]] {
            let names = [source, destination].map(SQLName.quoted)
            let order = ([order].compactMap(\.self) + [destination]).map(SQLName.quoted)
            let stepper = try RowStepper(
                db,
                "SELECT \(names.joined(separator: ", ")) FROM \(SQLName.quoted(table)) "
                    + (row == nil ? "" : "WHERE \(names[0]) = ? ")
                    + "ORDER BY \(order.joined(separator: ", ")) LIMIT \(limit)",
                row.map { [.integer($0)] } ?? [])
            var targets: [Int64: [Int64]] = [:]
            while try stepper.step() {
                guard let from = stepper.integer(0), let to = stepper.integer(1) else { continue }
                targets[from, default: []].append(to)
            }
            return targets
        }
    }

    /// The entities, sorted by name.
    public let entities: [Entity]
    /// The origin of the names.
    public let source: Source

    /// The origin of the names of entities, attributes and relationships.
    public enum Source: Hashable, Sendable {
        /// The model in the store itself.
        case store
        /// The model in a file.
        case file(String)
        /// The names of tables and columns.
        case columns
    }
}
