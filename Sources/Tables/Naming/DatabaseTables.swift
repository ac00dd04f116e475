public import GRDB

/// The tables of a database under the names that its users know.
public struct DatabaseTables: Hashable, Sendable {
    /// The tables in the schema.
    public let schema: DatabaseSchema
    /// The entities, for a Core Data store.
    public let model: CoreDataModel?
    /// The user's tables, in the order of names.
    public let tables: [NamedTable]
    /// The internal tables, which belong to SQLite, to an index or to a framework.
    public let kept: [NamedTable]

    /// Reads the schema and, for a Core Data store, the model.
    ///
    /// - Parameters:
    ///   - isRaw: Whether to show a Core Data store as plain tables, and to include internal tables
    ///     with the others.
    ///   - model: The model to use instead of the store's own.
    ///   - path: The path of the store. If the store doesn't contain its model, a model file next
    ///     to this path is used. `nil` if no file is to be used.
    /// - Throws: `DatabaseError`; ``TablesError`` with code `.usage` if `model` is the model of
    ///   another store.
    public init(
        _ db: Database, isRaw: Bool = false, model given: CoreDataModelFile? = nil,
        storeAt path: String? = nil
    ) throws {
        let schema = try DatabaseSchema(db)
        let model =
            try isRaw
            ? nil
            : CoreDataModel(db, schema, given: given) { path.map(CoreDataModelFile.beside) ?? [] }
        self.schema = schema
        self.model = model
        let named = schema.tables.map { table in
            NamedTable(table, keeper: isRaw ? nil : Self.keeper(of: table, in: schema, model))
        }
        let entities = model?.entities.compactMap { entity in
            schema.table(entity.table).map { NamedTable(entity, $0) }
        }
        tables = (entities ?? []) + named.filter { $0.keeper == nil }
        kept = named.filter { $0.keeper != nil }
    }

    /// Returns the table with that name, which may be internal. The case of ASCII letters doesn't
    /// matter.
    public func table(_ name: String) -> NamedTable? {
        (tables + kept).first { SQLName.areSame($0.name, name) }
    }

    /// Returns the owner of an internal table; `nil` for a user's table.
    private static func keeper(
        of table: TableSchema, in schema: DatabaseSchema, _ model: CoreDataModel?
    ) -> String? {
        if table.isSystem { return "SQLite" }
        if case .shadow(let owner) = table.kind { return "the virtual table \(owner)" }
        if SQLName.areSame(table.name, "grdb_migrations") { return "GRDB's migrations" }
        guard CoreDataModel.isPresent(in: schema) else { return nil }
        let name = table.name.uppercased()
        if name.hasPrefix("ANSCK") || name.hasPrefix("ACLOUDKIT") || name.hasPrefix("ZNSCK") {
            return "CloudKit mirroring"
        }
        if ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(name) {
            return "persistent history"
        }
        if name.hasPrefix("Z_") || name == "ZGENERICRECORD" { return "Core Data" }
        let isEntity = model?.entities.contains { SQLName.areSame($0.table, table.name) } ?? false
        return isEntity ? "Core Data" : nil
    }
}

extension NamedTable {
    /// Creates a table with its own name and column names.
    init(_ table: TableSchema, keeper: String?) {
        let targets = table.foreignKeys.filter { $0.columns.count == 1 }
        self.init(
            name: table.name, schema: table, condition: nil,
            columns: table.columns.map { column in
                let target = targets.first { SQLName.areSame($0.columns[0], column.name) }
                return Column(
                    name: column.name, schema: column, attributeType: nil, isCoreDataDate: false,
                    uuidHint: .init(columnNamed: column.name, declaredType: column.declaredType),
                    isExternalBinary: false,
                    target: target?.target)
            }, keeper: keeper, entity: nil)
    }

    /// Creates a table for an entity: its rows in the shared table, and the columns with their
    /// attribute names.
    init(_ entity: CoreDataModel.Entity, _ table: TableSchema) {
        let numbers = entity.numbers.map(String.init).joined(separator: ", ")
        let isWhole = entity.parent == nil || table.column("Z_ENT") == nil
        self.init(
            name: entity.name, schema: table,
            condition: isWhole ? nil : RowCondition("Z_ENT IN (\(numbers))"),
            columns: entity.attributes.compactMap { attribute in
                table.column(attribute.column).map { column in
                    Column(
                        name: attribute.name, schema: column, attributeType: attribute.type,
                        isCoreDataDate: attribute.isDate,
                        uuidHint: attribute.uuidHint,
                        isExternalBinary: attribute.isExternalBinary,
                        target: attribute.target)
                }
            }, keeper: nil, entity: entity)
    }
}
