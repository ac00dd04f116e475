import Foundation
public import GRDB
import Replication

/// The entities of a store of Core Data or SwiftData, as far as its tables tell of them.
///
/// An entity's table is `Z` and its name in upper case; entities that inherit share the table of
/// the topmost one, and `Z_ENT` tells them apart. The number of each entity, its name and its
/// parent stand in `Z_PRIMARYKEY`. Names of attributes are those of the columns without `Z`; their
/// lower-case letters are known where the model is kept in `Z_MODELCACHE`.
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
    }

    /// An attribute, or a relationship to one object.
    public struct Attribute: Hashable, Sendable {
        public let name: String
        /// The column that it is in.
        public let column: String
        /// Whether it holds an instant, in seconds since 2001.
        public let isDate: Bool
        /// The entity whose object the column names by its number, where it is a relationship.
        public let target: String?
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
        let spellings = try AttributeSpellings(db, schema)
        let guesses = RelationshipGuesses(names: names)
        entities = try names.compactMap { number, name in
            let root = Self.line(from: number, parents).last ?? number
            guard let rootName = names[root], let table = schema.table("Z\(rootName.uppercased())"),
                table.column("Z_PK") != nil
            else { return nil }
            let numbers = names.keys.filter { Self.line(from: $0, parents).contains(number) }
            let attributes = try table.columns.compactMap { column in
                try Self.attribute(column, table, db, spellings, guesses, schema)
            }
            return Entity(
                name: name, number: number, parent: parents[number], table: table.name,
                attributes: attributes, numbers: numbers.sorted())
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
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

    private static func attribute(
        _ column: ColumnSchema, _ table: TableSchema, _ db: Database,
        _ spellings: AttributeSpellings, _ guesses: RelationshipGuesses, _ schema: DatabaseSchema
    ) throws -> Attribute? {
        let name = column.name.uppercased()
        // `Z_PK`, `Z_ENT`, `Z_OPT` and `Z9_OWNER`, which holds the entity that `ZOWNER` points to.
        guard name.hasPrefix("Z"), let second = name.dropFirst().first, second != "_",
            !(second.isNumber && name.contains("_"))
        else { return nil }
        let bare = String(column.name.dropFirst())
        let isDate = SQLName.areSame(column.declaredType, "TIMESTAMP")
        let isReference = column.affinity == .integer && !isDate
        return Attribute(
            name: spellings.spelling(of: bare), column: column.name, isDate: isDate,
            target: isReference
                ? try guesses.target(of: column, in: table, db, schema) : nil)
    }
}

/// The names of attributes as their model spells them, for columns that have them in upper case.
private struct AttributeSpellings {
    private var spellings: [String: String] = [:]

    init(_ db: Database, _ schema: DatabaseSchema) throws {
        guard schema.table("Z_MODELCACHE")?.column("Z_CONTENT") != nil,
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT Z_CONTENT FROM Z_MODELCACHE
                    WHERE typeof(Z_CONTENT) = 'blob' AND length(Z_CONTENT) < 16000000
                    """),
            case .blob(let content) = (row["Z_CONTENT"] as DatabaseValue).storage
        else { return }
        for text in ModelArchive.strings(content) where spellings[text.uppercased()] == nil {
            spellings[text.uppercased()] = text
        }
    }

    func spelling(of bare: String) -> String { spellings[bare.uppercased()] ?? bare.lowercased() }
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
