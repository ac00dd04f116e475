import Foundation
public import GRDB
import Replication

/// The entities of a store of Core Data or SwiftData, as far as its tables tell of them.
///
/// An entity's table is `Z` and its name in upper case; entities that inherit share the table of
/// the topmost one, and `Z_ENT` tells them apart. The number of each entity, its name and its
/// parent stand in `Z_PRIMARYKEY`. A column is `Z` and the name of its attribute in upper case. The
/// attributes themselves, their types and the targets of relationships are in the model that most
/// stores keep in `Z_MODELCACHE`; without it names are in lower case and targets are guesses.
public struct CoreDataModel: Hashable, Sendable {
    /// A kind of object.
    public struct Entity: Hashable, Sendable {
        public let name: String
        /// The number in `Z_ENT`.
        public let number: Int64
        /// The entity that it inherits from.
        public let parent: Int64?
        /// The table that its objects are in.
        public let table: String
        public let attributes: [Attribute]
        /// Its own number and those of all that inherit from it.
        public let numbers: [Int64]
        /// Its many-to-many relationships.
        public let links: [Link]
    }

    /// An attribute, or a relationship to one object.
    public struct Attribute: Hashable, Sendable {
        public let name: String
        /// The column that it is in.
        public let column: String
        /// Whether it holds an instant, in seconds since 2001.
        public let isDate: Bool
        /// Whether 16 bytes in it are a UUID.
        public let uuidHint: BlobContent.UUIDHint
        /// Whether its bytes are in the form of ``ExternalBinary``.
        public let isExternalBinary: Bool
        /// The entity whose object the column names by its number, where it is a relationship.
        public let target: String?
    }

    /// A relationship to many objects, each of which may have many, too. A table of its own has a
    /// row per pair.
    public struct Link: Hashable, Sendable {
        public let name: String
        /// The entity that it leads to.
        public let target: String
        /// The table of the pairs.
        public let table: String
        /// The column with the numbers of the objects that have the relationship.
        public let source: String
        /// The column with the numbers of the objects that it leads to.
        public let destination: String
        /// The column that orders the objects; `nil` for a relationship without an order.
        public let order: String?

        /// That an object is among those that a given object leads to.
        public func condition(from row: Int64) -> RowCondition {
            RowCondition(
                "Z_PK IN (SELECT \(SQLName.quoted(destination)) FROM \(SQLName.quoted(table)) "
                    + "WHERE \(SQLName.quoted(source)) = ?)", [.integer(row)])
        }

        /// The numbers of the objects that objects lead to, by the number of the object and in the
        /// order of the relationship.
        ///
        /// - Parameters:
        ///   - row: One object; `nil` for all of them.
        ///   - limit: No more pairs than this.
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

    /// By name.
    public let entities: [Entity]

    /// The entity of that name.
    public func entity(_ name: String) -> Entity? {
        entities.first { SQLName.areSame($0.name, name) }
    }

    /// Whether tables are those of a Core Data store.
    public static func isPresent(in schema: DatabaseSchema) -> Bool {
        guard let keys = schema.table("Z_PRIMARYKEY"), schema.table("Z_METADATA") != nil else {
            return false
        }
        return ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"].allSatisfy { keys.column($0) != nil }
    }

    /// Reads the model out of the metadata tables.
    ///
    /// - Returns: `nil` for a database that is no Core Data store.
    /// - Throws: `DatabaseError`.
    public init?(_ db: Database, _ schema: DatabaseSchema) throws {
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
        let archive = try Self.archive(db, schema)
        let guesses = RelationshipGuesses(names: names)
        let pairs = LinkReader(names: names, archive: archive).pairs(in: schema)
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
                        // A column of no known attribute is shown with every entity.
                        return try Self.attribute(column, table, db, guesses, schema)
                    }
                    guard line.contains(place.entity) else { return nil }
                    return try Self.attribute(column, place.property, table, db)
                }
                entities.append(
                    Entity(
                        name: name, number: number, parent: parents[number], table: table.name,
                        attributes: attributes,
                        numbers: members.filter { lines[$0]?.contains(number) ?? false }.sorted(),
                        links: pairs.filter { line.contains($0.entity) }.map(\.link)))
            }
        }
        self.entities = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func archive(_ db: Database, _ schema: DatabaseSchema) throws -> ModelArchive? {
        guard schema.table("Z_MODELCACHE")?.column("Z_CONTENT") != nil,
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT Z_CONTENT FROM Z_MODELCACHE
                    WHERE typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) < 16000000
                    """),
            case .blob(let content) = (row["Z_CONTENT"] as DatabaseValue).storage
        else { return nil }
        return ModelArchive(content)
    }

    /// An entity and those that it inherits from, nearest first.
    private static func line(from number: Int64, _ parents: [Int64: Int64]) -> [Int64] {
        var line = [number]
        // A damaged table may lead in circles.
        while let next = line.last.flatMap({ parents[$0] }), !line.contains(next) {
            line.append(next)
        }
        return line
    }

    /// The attribute of the model that a column is for.
    private static func attribute(
        _ column: ColumnSchema, _ property: ModelArchive.Property, _ table: TableSchema,
        _ db: Database
    ) throws -> Attribute {
        let isBinary = property.type == ModelArchive.AttributeType.binary
        return Attribute(
            name: property.name, column: column.name,
            isDate: property.type == ModelArchive.AttributeType.date,
            uuidHint: property.type == ModelArchive.AttributeType.uuid ? .always : .never,
            isExternalBinary: isBinary ? try mayBeExternal(column, table, db) : false,
            target: property.target)
    }

    /// The attribute that a column is for by its name alone.
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
            name: bare.lowercased(), column: column.name, isDate: isDate,
            uuidHint: .init(columnNamed: bare),
            isExternalBinary: isBinary ? try mayBeExternal(column, table, db) : false,
            target: isReference
                ? try guesses.target(of: column, in: table, db, schema) : nil)
    }

    /// Whether a column is not one of Core Data's own: `Z_PK`, `Z_ENT`, `Z_OPT`, `Z_FOK_…`, which
    /// orders objects, and `Z9_OWNER`, which holds the entity that `ZOWNER` points to.
    private static func isForAttribute(_ column: ColumnSchema) -> Bool {
        let name = column.name.uppercased()
        guard name.hasPrefix("Z"), let second = name.dropFirst().first else { return false }
        if ["Z_PK", "Z_ENT", "Z_OPT"].contains(name) || name.hasPrefix("Z_FOK_") { return false }
        return !(second.isNumber && name.contains("_"))
    }

    /// Whether each of some values of a column has the form of ``ExternalBinary``. The model's own
    /// word for it is not in every store.
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
            // Sixteen bytes are rather a UUID.
            guard case .blob(let data) = stepper.value(0), data.count != 16,
                ExternalBinary(stored: data) != nil
            else { return false }
            isFound = true
        }
        return isFound
    }
}

/// Which columns of a table are for which properties of the entities that share it.
private struct ColumnAssignment {
    private var places: [[UInt8]: (entity: Int64, property: ModelArchive.Property)] = [:]

    /// - Parameter entities: In the order of their numbers.
    init(_ table: TableSchema, _ entities: [(Int64, String)], _ archive: ModelArchive?) {
        for (number, name) in entities {
            for property in archive?.entities[name]?.properties ?? [] where !property.isToMany {
                let name = "Z\(property.name.uppercased())"
                // A second property of the name, of an entity beside it, has a number behind it.
                let names = [name] + (1...9).map { "\(name)\($0)" }
                let column = names.lazy.compactMap(table.column).first {
                    places[SQLName.folded($0.name)] == nil
                }
                if let column { places[SQLName.folded(column.name)] = (number, property) }
            }
        }
    }

    subscript(column: ColumnSchema) -> (entity: Int64, property: ModelArchive.Property)? {
        places[SQLName.folded(column.name)]
    }
}

/// Finds the tables of many-to-many relationships. One is called `Z_` and the number of an entity and
/// the name of its relationship, and so is each of its two columns: by the entity whose objects the
/// column holds, and the relationship that leads there. In a relationship of an entity to itself one
/// column is called `REFLEXIVE`.
private struct LinkReader {
    let names: [Int64: String]
    let archive: ModelArchive?

    private struct Side {
        let column: String
        let entity: Int64
        /// In upper case.
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

    /// The number and the name in `Z_4TAGS`.
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

/// Which entity a column of numbers refers to, by its name and by what is in it: the tables
/// themselves do not say.
private struct RelationshipGuesses {
    let names: [Int64: String]

    func target(
        of column: ColumnSchema, in table: TableSchema, _ db: Database, _ schema: DatabaseSchema
    ) throws -> String? {
        let bare = column.name.dropFirst().uppercased()
        // `Z9_OWNER` beside `ZOWNER` holds the number of the entity.
        let companion = table.columns.first { other in
            let name = other.name.uppercased()
            return name.hasPrefix("Z") && name.hasSuffix("_\(bare)")
                && Int64(name.dropFirst().dropLast(bare.count + 1)) != nil
        }
        if let companion, let number = Int64(companion.name.dropFirst().dropLast(bare.count + 1)) {
            return names[number]
        }
        let same = names.values.first { name in
            let upper = name.uppercased()
            return upper == bare || upper == "\(bare)MO" || upper == "CD\(bare)"
        }
        if let same { return same }
        // Core Data makes an index for each relationship, and few people make one of their own.
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

    /// Whether each of some values of a column is the number of an object in `target`.
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
