import Foundation
public import GRDB
import KeyValueStore
import Replication

/// Reading a model from the tables of a store.
extension CoreDataModel {
    /// Returns whether the tables are from a Core Data store.
    public static func isPresent(in schema: DatabaseSchema) -> Bool {
        guard let keys = schema.table("Z_PRIMARYKEY"), schema.table("Z_METADATA") != nil else {
            return false
        }
        return ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"].allSatisfy { keys.column($0) != nil }
    }

    /// Reads the model from the metadata tables, or from a file.
    ///
    /// - Parameters:
    ///   - given: The model to use instead of the store's own.
    ///   - others: Returns models to use if the store doesn't contain its own.
    /// - Returns: `nil` if the database isn't a Core Data store.
    /// - Throws: `DatabaseError`; ``TablesError`` with code `.usage` if `given` describes other
    ///   entities.
    public init?(
        _ db: Database, _ schema: DatabaseSchema, given: CoreDataModelFile? = nil,
        others: () -> [CoreDataModelFile] = { [] }
    ) throws {
        guard Self.isPresent(in: schema) else { return nil }
        let rows = try Row.fetchAll(
            db, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY LIMIT 10000")
        var names: [Int64: String] = [:]
        var parents: [Int64: Int64] = [:]
        for row in rows {
            guard let number = row.integer("Z_ENT"), let name = row.text("Z_NAME") else { continue }
            names[number] = name
            if let parent = row.integer("Z_SUPER"), parent != 0 { parents[number] = parent }
        }
        let lines = Dictionary(
            uniqueKeysWithValues: names.keys.map { ($0, Self.line(from: $0, parents)) })
        let archive: ModelArchive?
        (archive, source) = try Self.archive(
            db, schema, given: given, others: others,
            // Core Data's internal entities, such as the entities of the history, have numbers of
            // at least 16,000.
            entities: names.filter { $0.key < 16_000 }.values)
        let guesses = RelationshipGuesses(names: names)
        let pairs = LinkReader(names: names, archive: archive).pairs(in: schema)
        let properties = EntityProperties(archive, of: names.values)
        var entities: [Entity] = []
        for (root, members) in Dictionary(grouping: names.keys, by: { lines[$0]?.last ?? $0 }) {
            guard let rootName = names[root], let table = schema.table("Z\(rootName.uppercased())"),
                table.column("Z_PK") != nil
            else { continue }
            let assignment = ColumnAssignment(
                table, members.sorted().compactMap { number in names[number].map { (number, $0) } },
                archive)
            for number in members {
                guard let name = names[number], let line = lines[number] else { continue }
                let attributes = try table.columns.compactMap { column -> Attribute? in
                    guard let place = assignment[column] else {
                        // Show a column without a known attribute with every entity.
                        return try Self.attribute(column, table, db, guesses, schema)
                    }
                    guard line.contains(place.entity) else { return nil }
                    return try Self.attribute(column, place, table, db)
                }
                entities.append(
                    Entity(
                        name: name, number: number, parent: parents[number], table: table.name,
                        attributes: attributes,
                        numbers: members.filter { lines[$0]?.contains(number) ?? false }.sorted(),
                        links: pairs.filter { line.contains($0.entity) }.map(\.link),
                        collections: Self.collections(of: name, properties, schema),
                        recorded: Self.recorded(
                            name, line, assignment, table, archive, properties)))
            }
        }
        self.entities = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func archive(
        _ db: Database, _ schema: DatabaseSchema, given: CoreDataModelFile?,
        others: () -> [CoreDataModelFile], entities: some Collection<String>
    ) throws -> (ModelArchive?, Source) {
        let hashes = try versionHashes(db, schema)
        if let given {
            guard let archive = given.archive(hashes: hashes, entities: entities) else {
                throw TablesError(
                    .usage,
                    "\(given.path): the model of another store: it lacks some of the entities "
                        + entities.sorted().prefix(20).joined(separator: ", "))
            }
            return (archive, .file(given.path))
        }
        let own = try content("Z_CONTENT", of: "Z_MODELCACHE", db, schema)
        if let archive = own.flatMap({ ModelArchive($0) }) { return (archive, .store) }
        for other in others() {
            if let archive = other.archive(hashes: hashes, entities: entities) {
                return (archive, .file(other.path))
            }
        }
        return (nil, .columns)
    }

    /// Returns the hashes of the entities in the store's metadata.
    private static func versionHashes(
        _ db: Database, _ schema: DatabaseSchema
    ) throws -> [Name: PropertyList]? {
        guard let content = try content("Z_PLIST", of: "Z_METADATA", db, schema),
            case .dictionary(let members)? = try? PropertyList(binary: content),
            case .dictionary(let hashes)? = members["NSStoreModelVersionHashes"]
        else { return nil }
        return hashes
    }

    /// Returns the bytes in a column of a table with one row; `nil` if there are none, or too many.
    private static func content(
        _ column: String, of table: String, _ db: Database, _ schema: DatabaseSchema
    ) throws -> Data? {
        guard schema.table(table)?.column(column) != nil,
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT \(column) FROM \(table)
                    WHERE typeof(\(column)) = 'blob' AND length(\(column)) < 16000000
                    """),
            case .blob(let content) = (row[column] as DatabaseValue).storage
        else { return nil }
        return content
    }

    /// Returns an entity and its ancestors, nearest first.
    private static func line(from number: Int64, _ parents: [Int64: Int64]) -> [Int64] {
        var line = [number]
        // A damaged table can contain a cycle.
        while line.count < ModelArchive.ancestorLimit,
            let next = line.last.flatMap({ parents[$0] }), !line.contains(next)
        {
            line.append(next)
        }
        return line
    }

    /// Returns the numbers that the history gives an entity's properties; `nil` if the model isn't
    /// known.
    private static func recorded(
        _ name: String, _ line: [Int64], _ assignment: ColumnAssignment, _ table: TableSchema,
        _ archive: ModelArchive?, _ properties: EntityProperties
    ) -> RecordedProperties? {
        guard let archive, properties.all[name] != nil else { return nil }
        let columns = table.columns.compactMap { column -> (String, String)? in
            guard let place = assignment[column], place.property.isRelationship,
                line.contains(place.entity)
            else { return nil }
            return (place.name, column.name)
        }
        let (stored, ancestors) = archive.columns(of: name)
        return RecordedProperties(
            stored, columns: Dictionary(keepingFirst: columns),
            in: table,
            hasUnnamedColumns: !properties.targetsWithoutInverse.isDisjoint(with: ancestors))
    }

    /// Returns an entity's relationships to objects that refer to its objects.
    private static func collections(
        of name: String, _ properties: EntityProperties, _ schema: DatabaseSchema
    ) -> [ObjectCollection] {
        (properties.all[name] ?? []).compactMap { property in
            guard property.isToMany, let target = property.target, let inverse = property.inverse,
                let back = properties.byName[target]?[inverse], back.isRelationship, !back.isToMany,
                let root = properties.roots[target],
                let table = schema.table("Z\(root.uppercased())"),
                let column = table.column("Z\(inverse.uppercased())")
            else { return nil }
            return ObjectCollection(
                name: property.name, target: target, column: column.name,
                order: table.column("Z_FOK_\(inverse.uppercased())")?.name)
        }
    }

    /// Returns the model's attribute for a column.
    private static func attribute(
        _ column: ColumnSchema, _ place: ColumnAssignment.Place, _ table: TableSchema,
        _ db: Database
    ) throws -> Attribute {
        let property = place.property
        let isExternal =
            property.type == .binary
            ? try property.isExternal ?? mayBeExternal(column, table, db) : false
        return Attribute(
            name: place.name, column: column.name, type: property.type,
            isDate: property.type == .date,
            uuidHint: property.type == .uuid ? .always : .never, isExternalBinary: isExternal,
            target: property.target)
    }

    /// Derives an attribute from a column's name alone.
    private static func attribute(
        _ column: ColumnSchema, _ table: TableSchema, _ db: Database,
        _ guesses: RelationshipGuesses, _ schema: DatabaseSchema
    ) throws -> Attribute? {
        guard isForAttribute(column) else { return nil }
        let bare = String(column.name.dropFirst())
        let isDate = SQLName.areSame(column.declaredType, "TIMESTAMP")
        let isReference = column.affinity == .integer && !isDate
        let isBinary = column.affinity == .blob
        return Attribute(
            name: bare.lowercased(), column: column.name, type: nil, isDate: isDate,
            uuidHint: .init(columnNamed: bare),
            isExternalBinary: isBinary ? try mayBeExternal(column, table, db) : false,
            target: isReference
                ? try guesses.target(of: column, in: table, db, schema) : nil)
    }

    /// Returns whether a column belongs to an attribute and not to Core Data itself. Core Data's
    /// own columns are `Z_PK`, `Z_ENT`, `Z_OPT`, `Z_FOK_…` (the order of objects), and `Z9_OWNER`
    /// (the entity that `ZOWNER` points to).
    private static func isForAttribute(_ column: ColumnSchema) -> Bool {
        let name = column.name.uppercased()
        guard name.hasPrefix("Z"), let second = name.dropFirst().first else { return false }
        if ["Z_PK", "Z_ENT", "Z_OPT"].contains(name) || name.hasPrefix("Z_FOK_") { return false }
        return !(second.isNumber && name.contains("_"))
    }

    /// Returns whether all sampled values of a column have the form of ``ExternalBinary``. This is
    /// necessary because not every store contains the model, which has a flag for this.
    private static func mayBeExternal(
        _ column: ColumnSchema, _ table: TableSchema, _ db: Database
    ) throws -> Bool {
        let name = SQLName.quoted(column.name)
        let stepper = try RowStepper(
            db,
            "SELECT substr(\(name), 1, 65) FROM \(SQLName.quoted(table.name)) "
                + "WHERE \(name) IS NOT NULL LIMIT 20")
        var isFound = false
        while try stepper.step() {
            // A value of 16 bytes is more likely a UUID.
            guard case .blob(let data) = stepper.value(0), data.count != 16,
                ExternalBinary(stored: data) != nil
            else { return false }
            isFound = true
        }
        return isFound
    }
}

/// The stored properties of entities, with the inherited properties.
private struct EntityProperties {
    /// The properties of each entity, sorted by name.
    private(set) var all: [String: [ModelArchive.Property]] = [:]
    private(set) var byName: [String: [String: ModelArchive.Property]] = [:]
    /// The topmost ancestor of each entity, whose table contains the entity's objects.
    private(set) var roots: [String: String] = [:]
    /// The entities that to-many relationships without an inverse lead to.
    private(set) var targetsWithoutInverse: Set<String> = []

    /// The maximum number of properties. Properties of further entities stay unknown.
    private static let limit = 200_000

    init(_ archive: ModelArchive?, of names: some Sequence<String>) {
        guard let archive else { return }
        for entity in archive.entities.values {
            for property in entity.properties where property.isToMany && property.inverse == nil {
                if let target = property.target { targetsWithoutInverse.insert(target) }
            }
        }
        var count = 0
        for name in names where count <= Self.limit && archive.entities[name] != nil {
            let properties = archive.properties(of: name)
            count += properties.count
            all[name] = properties
            byName[name] = Dictionary(keepingFirst: properties.map { ($0.name, $0) })
            roots[name] = archive.root(of: name)
        }
    }
}

/// The assignment of a table's columns to properties of the entities that share it.
private struct ColumnAssignment {
    struct Place {
        let entity: Int64
        /// The name of the attribute. An attribute of a composite attribute has a name such as
        /// `address.street`.
        let name: String
        let property: ModelArchive.Property
    }

    private var places: [[UInt8]: Place] = [:]

    /// Assigns the columns of a table.
    ///
    /// - Parameter entities: The entities, sorted by number.
    init(_ table: TableSchema, _ entities: [(Int64, String)], _ archive: ModelArchive?) {
        for (number, name) in entities {
            let stored = (archive?.entities[name]?.properties ?? []).filter {
                !$0.isToMany && !$0.isTransient
            }
            for (path, property) in stored.flatMap(\.leaves) {
                let name = "Z\(property.name.uppercased())"
                // If a sibling entity or a composite attribute has a property with the same name,
                // its column gets a numeric suffix.
                let names = [name] + (1...9).map { "\(name)\($0)" }
                let column = names.lazy.compactMap(table.column).first {
                    places[SQLName.folded($0.name)] == nil
                }
                guard let column else { continue }
                places[SQLName.folded(column.name)] = Place(
                    entity: number, name: path, property: property)
            }
        }
    }

    subscript(column: ColumnSchema) -> Place? {
        places[SQLName.folded(column.name)]
    }
}

/// A reader of the join tables of many-to-many relationships. A join table is named `Z_`, the
/// number of an entity, and the name of its relationship. Each of its two columns is named in the
/// same way, after the entity whose objects the column contains and the relationship to these
/// objects. If an entity has a relationship to itself, one column is named `REFLEXIVE`.
private struct LinkReader {
    let names: [Int64: String]
    let archive: ModelArchive?

    private struct Side {
        let column: String
        let entity: Int64
        /// The name in upper case.
        let relationship: String
    }

    func pairs(in schema: DatabaseSchema) -> [(entity: Int64, link: CoreDataModel.Link)] {
        schema.tables.flatMap { table -> [(Int64, CoreDataModel.Link)] in
            guard Self.parts(of: table.name) != nil else { return [] }
            var sides = table.columns.compactMap { column in
                Self.parts(of: column.name).map { number, name in
                    Side(column: column.name, entity: number, relationship: name)
                }
            }
            if sides.count == 1, let other = table.column("REFLEXIVE") {
                sides.append(
                    Side(
                        column: other.name, entity: sides[0].entity,
                        relationship: sides[0].relationship))
            }
            guard sides.count == 2 else { return [] }
            let isReflexive = SQLName.areSame(sides[1].column, "REFLEXIVE")
            let ways = isReflexive ? [(1, 0)] : [(0, 1), (1, 0)]
            return ways.compactMap { from, to in
                guard let target = names[sides[to].entity] else { return nil }
                let order = table.column("Z_FOK_\(sides[to].column.dropFirst(2))")
                return (
                    sides[from].entity,
                    CoreDataModel.Link(
                        name: spelling(sides[to].relationship, of: sides[from].entity),
                        target: target, table: table.name, source: sides[from].column,
                        destination: sides[to].column, order: order?.name)
                )
            }
        }
    }

    /// Parses the number and the name of `Z_4TAGS`.
    private static func parts(of name: String) -> (Int64, String)? {
        let name = name.uppercased()
        guard name.hasPrefix("Z_") else { return nil }
        let digits = name.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        let rest = name.dropFirst(2 + digits.count)
        guard let number = Int64(digits), !rest.isEmpty else { return nil }
        return (number, String(rest))
    }

    private func spelling(_ upper: String, of entity: Int64) -> String {
        let properties = names[entity].flatMap { archive?.entities[$0]?.properties } ?? []
        return properties.first { $0.name.uppercased() == upper }?.name ?? upper.lowercased()
    }
}

/// Guesses of the target entity of a numeric column, based on the column's name and values. The
/// tables don't declare the target.
private struct RelationshipGuesses {
    let names: [Int64: String]

    func target(
        of column: ColumnSchema, in table: TableSchema, _ db: Database, _ schema: DatabaseSchema
    ) throws -> String? {
        let bare = column.name.dropFirst().uppercased()
        if let companion = table.entityColumn(of: bare),
            let number = Int64(companion.name.dropFirst().dropLast(bare.count + 1))
        {
            return names[number]
        }
        let same = names.values.first { name in
            let upper = name.uppercased()
            return upper == bare || upper == "\(bare)MO" || upper == "CD\(bare)"
        }
        if let same { return same }
        // Core Data creates an index for each relationship, and users rarely add indexes.
        guard
            table.indices.contains(where: { index in
                index.parts.count == 1 && SQLName.areSame(index.parts[0].column ?? "", column.name)
            })
        else { return nil }
        let candidates = try names.values.filter { name in
            guard let target = schema.table("Z\(name.uppercased())"), target.column("Z_PK") != nil
            else { return false }
            return try covers(target, values: column.name, of: table, db)
        }
        return candidates.count == 1 ? candidates.first : nil
    }

    /// Returns whether all sampled values of a column are numbers of objects in `target`.
    private func covers(
        _ target: TableSchema, values column: String, of table: TableSchema, _ db: Database
    ) throws -> Bool {
        let name = SQLName.quoted(column)
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS whole, sum(v IN (SELECT Z_PK FROM \(SQLName.quoted(target.name))))
                    AS found
                FROM (SELECT \(name) AS v FROM \(SQLName.quoted(table.name))
                    WHERE \(name) IS NOT NULL LIMIT 200)
                """)
        guard let whole = row?.integer("whole"), whole > 0 else { return false }
        return row?.integer("found") == whole
    }
}
