/// The form of a table that its model declares.
struct TableLayout: Sendable {
    let name: String
    let ids: IDPolicy
    let fileName: String?
    let formerNames: [String]
    let columns: [ColumnDescription]
    let indices: [IndexDescription]
    let removals: Set<String>
    let conversions: [String: ValueConversion]
    let relations: [RelationDescription]
    /// The synced model that the table belongs to; `nil` if the model isn't synced.
    let sync: SyncDescription?
    /// A closure that makes the values of a new row for columns without a constant default.
    let makeValues: @Sendable () throws -> [SQLValue]

    /// Creates the layout of a model's table.
    ///
    /// - Throws: ``AutoModelError`` for a default that can't be stored.
    init<Record: AutoRecord>(of record: Record.Type) throws {
        let declaration = Record._$declaration
        let schema = Record.schema
        name = declaration.table
        ids = declaration.ids
        fileName = declaration.file
        formerNames = declaration.formerNames
        columns = try Self.columns(of: record)
        removals = schema.removals
        conversions = schema.conversions
        relations = (record as? any AutoObject.Type).map { Self.relations(of: $0) } ?? []
        makeValues = { try Self.described(record).map { $0.defaultValue ?? .null } }
        sync = schema.isSynced ? SyncDescription(table: name, list: nil) : nil
        guard sync == nil || ids == .random else {
            throw AutoModelError(
                .declaration,
                "'\(name)' is synced and numbers its rows, but two devices would give "
                    + "different rows the same number; remove 'ids: .ascending'")
        }
        var indices = schema.indices
        for column in columns {
            let term = quoted(column.name)
            let isOwned = column.reference?.isOwned == true
            let isUnique = column.options.contains(.unique) || isOwned
            if isUnique || column.options.contains(.indexed) || column.reference != nil {
                indices.append(
                    IndexDescription(terms: [term], isUnique: isUnique, condition: nil))
            }
        }
        var seen: Set<IndexDescription> = []
        self.indices = indices.filter { seen.insert($0).inserted }
    }

    /// Creates a layout with the given columns, without conversions and relations.
    init(
        name: String, ids: IDPolicy = .random, fileName: String? = nil, formerNames: [String] = [],
        columns: [ColumnDescription], indices: [IndexDescription] = [],
        sync: SyncDescription? = nil
    ) {
        self.name = name
        self.ids = ids
        self.fileName = fileName
        self.formerNames = formerNames
        self.columns = columns
        self.indices = indices
        removals = []
        conversions = [:]
        relations = []
        self.sync = sync
        makeValues = { columns.map { $0.defaultValue ?? .null } }
    }

    /// Creates the layout of a relation's table.
    init(link: RelationDescription, of owner: TableLayout) {
        self.init(
            name: link.table, fileName: owner.fileName,
            formerNames: owner.formerNames.map { link.table(of: $0) },
            columns: ["owner", "place", "target"].map {
                ColumnDescription(
                    name: $0, type: .integer, isNullable: false, defaultValue: .integer(0),
                    isLiteral: true, options: [], formerNames: [], reference: nil)
            },
            indices: [
                IndexDescription(terms: ["owner", "place"], isUnique: false, condition: nil),
                IndexDescription(terms: ["target"], isUnique: false, condition: nil),
            ], sync: owner.sync.map { SyncDescription(table: $0.table, list: link.name) })
    }

    /// The relations that have tables.
    var links: [RelationDescription] { relations.filter(\.isOwner) }

    var hasReferences: Bool { columns.contains { $0.reference != nil } }

    var fullTextColumns: [String] {
        columns.filter { $0.options.contains(.fullText) }.map(\.name)
    }

    /// Returns the columns of a model. Compares several new objects to find out which defaults are
    /// constant.
    private static func columns(of record: (some AutoRecord).Type) throws -> [ColumnDescription] {
        var columns = try described(record)
        guard columns.contains(where: { !$0.isLiteral }) else { return columns }
        for _ in 0..<3 {
            // Wait for the clock, because two dates that are created within one clock tick are
            // equal and would look like a constant.
            let begin = ContinuousClock.now
            while ContinuousClock.now - begin < .microseconds(5) {}
            for (index, other) in try described(record).enumerated()
            where !other.isLiteral && other.defaultValue != columns[index].defaultValue {
                columns[index].defaultValue = nil
            }
        }
        return columns
    }

    private static func described<Record: AutoRecord>(
        _ record: Record.Type
    ) throws -> [ColumnDescription] {
        var table = TableDescription()
        Record._$Values._$describe(Record._$Values(), &table)
        if let problem = table.problem { throw problem }
        return table.columns
    }

    private static func relations(of record: any AutoObject.Type) -> [RelationDescription] {
        var relations = RelationList(of: record._$declaration.table)
        record._$describe(&relations)
        return relations.all
    }

    func insertSQL(_ verb: String = "INSERT") -> String {
        let names = ["id"] + columns.map(\.name)
        let marks = repeatElement("?", count: names.count).joined(separator: ", ")
        return "\(verb) INTO \(quoted(name)) (\(names.map(quoted).joined(separator: ", "))) "
            + "VALUES (\(marks))"
    }

    /// The SQL that selects the identifier and all columns.
    var selectSQL: String {
        let names = (["id"] + columns.map(\.name)).map { "\(quoted(name)).\(quoted($0))" }
        return "SELECT \(names.joined(separator: ", ")) FROM \(quoted(name))"
    }

    func updateSQL(_ only: ColumnSet) -> String {
        let terms = columns.indices.filter(only.contains).map { "\(quoted(columns[$0].name)) = ?" }
        return "UPDATE \(quoted(name)) SET \(terms.joined(separator: ", ")) WHERE id = ?"
    }
}
