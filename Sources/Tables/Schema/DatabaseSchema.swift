import Foundation
public import GRDB
import Replication

/// The schema of a database at one moment.
public struct DatabaseSchema: Hashable, Sendable {
    /// Tables, views and virtual tables, including SQLite's own, sorted by name.
    public let tables: [TableSchema]
    private let numbers: [[UInt8]: Int]

    init(_ tables: [TableSchema]) {
        self.tables = tables
        numbers = Dictionary(
            keepingFirst: tables.enumerated().map { (SQLName.folded($0.element.name), $0.offset) })
    }

    /// Returns the table with that name. The case of ASCII letters doesn't matter.
    public func table(_ name: String) -> TableSchema? {
        numbers[SQLName.folded(name)].map { tables[$0] }
    }

    /// Returns all foreign keys that refer to a table, including the table's own.
    public func references(to table: TableSchema) -> [ForeignKey] {
        tables.flatMap(\.foreignKeys).filter { SQLName.areSame($0.target, table.name) }
    }

    /// Returns the columns that a foreign key refers to. These are the columns that it names or, if
    /// it names none, the primary key of its target. Returns `nil` if they don't exist.
    public func targetColumns(of key: ForeignKey) -> [String]? {
        guard let target = table(key.target) else { return nil }
        let names = key.targetColumns.isEmpty ? target.primaryKey.map(\.name) : key.targetColumns
        guard names.count == key.columns.count, names.allSatisfy({ target.column($0) != nil })
        else { return nil }
        return names
    }

    /// The names of the tables, each after the tables that its foreign keys refer to. Tables that
    /// refer to each other have no particular order.
    public var namesAfterTargets: [String] {
        var names: [String] = []
        var seen: Set<String> = []
        func visit(_ table: TableSchema, _ depth: Int) {
            guard depth < 1000, seen.insert(table.name).inserted else { return }
            for key in table.foreignKeys {
                if let target = self.table(key.target) { visit(target, depth + 1) }
            }
            names.append(table.name)
        }
        for table in tables { visit(table, 0) }
        return names
    }

    /// Reads the schema through a connection.
    ///
    /// A problem with one table or view is stored in its ``TableSchema/problem``.
    ///
    /// - Throws: `DatabaseError` if the schema itself can't be read.
    /// - Complexity: Four short queries per table, and a few more in a file with missing functions.
    public init(_ db: Database) throws {
        try self.init(db.acceptingQuotedText { try SchemaReader(db).tables() })
    }

    /// The state of one reading of a schema.
    private struct SchemaReader {
        let db: Database

        init(_ db: Database) { self.db = db }

        func tables() throws -> [TableSchema] {
            var statements: [[UInt8]: String] = [:]
            var triggers: [[UInt8]: [TriggerSchema]] = [:]
            var collating: [[UInt8]: [String]] = [:]
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT type, name, tbl_name, sql, sql LIKE '%collate%' AS collates
                    FROM sqlite_master
                    """)
            for row in rows {
                guard let type = row.text("type"), let name = row.text("name") else { continue }
                let sql = row.text("sql")
                let table = SQLName.folded(row.text("tbl_name") ?? "")
                if type == "trigger" {
                    triggers[table, default: []].append(TriggerSchema(name: name, sql: sql ?? ""))
                    continue
                }
                if type == "table" || type == "view" { statements[SQLName.folded(name)] = sql }
                if let sql, row.integer("collates") == 1 {
                    collating[table, default: []].append(sql)
                }
            }
            let found = try Row.fetchAll(
                db,
                sql: "SELECT name, type, wr, strict FROM pragma_table_list WHERE schema = 'main'")
            let virtual = found.filter { $0.text("type") == "virtual" }.compactMap {
                $0.text("name")
            }
            let tables = try found.compactMap { row -> TableSchema? in
                guard let name = row.text("name"), !SQLName.areSame(name, "sqlite_schema") else {
                    return nil
                }
                let key = SQLName.folded(name)
                let sql = statements[key]
                let kind = Self.kind(row.text("type") ?? "", name, sql, among: virtual)
                return try table(
                    name, kind, sql, triggers[key] ?? [],
                    collating: collating[key] ?? [],
                    isWithoutRowID: row.integer("wr") == 1, isStrict: row.integer("strict") == 1)
            }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            return try addingMissingFunctions(tables)
        }

        private func addingMissingFunctions(_ tables: [TableSchema]) throws -> [TableSchema] {
            let functions = try StandInFunctions(db)
            guard !functions.isEmpty else { return tables }
            return functions.without(db) {
                tables.map { table in
                    guard table.problem == nil, !table.isSystem else { return table }
                    var table = table
                    let name = SQLName.quoted(table.name)
                    func missing(_ statements: [String]) -> [String] {
                        functions.missing(neededBy: statements, db)
                    }
                    let read = "SELECT * FROM \(name)"
                    table.functionsReadAsNull = missing([read])
                    guard table.kind == .table else {
                        table.missingFunctions = table.functionsReadAsNull
                        return table
                    }
                    if !table.functionsReadAsNull.isEmpty {
                        for (number, column) in table.columns.enumerated()
                        where column.storage == .generatedVirtual {
                            let values = "SELECT \(SQLName.quoted(column.name)) FROM \(name)"
                            table.columns[number].needsMissingFunction = !missing([values]).isEmpty
                        }
                    }
                    let sets = table.columns.filter(\.isWritable)
                        .map { "\(SQLName.quoted($0.name)) = \(SQLName.quoted($0.name))" }
                    let all = missing([
                        read, "INSERT INTO \(name) DEFAULT VALUES",
                        "UPDATE \(name) SET \(sets.joined(separator: ", "))",
                        "DELETE FROM \(name)",
                    ])
                    let checks = functions.missing(inChecksOf: table.sql ?? "").filter { name in
                        !all.contains { SQLName.areSame($0, name) }
                    }
                    table.missingFunctions = all + checks
                    return table
                }
            }
        }

        private static func kind(
            _ type: String, _ name: String, _ sql: String?, among virtual: [String]
        ) -> TableSchema.Kind {
            switch type {
            case "view": return .view
            case "virtual": return .virtual(module: module(sql ?? ""))
            case "shadow":
                // If the names of several virtual tables match, the table with the longest name is
                // the owner.
                let owner = virtual.filter { name.hasPrefix("\($0)_") }.max { $0.count < $1.count }
                return owner.map { .shadow(of: $0) } ?? .table
            default: return .table
            }
        }

        /// Returns the module in `CREATE VIRTUAL TABLE name USING module(…)`.
        private static func module(_ sql: String) -> String {
            guard let using = sql.range(of: "using", options: .caseInsensitive) else { return "" }
            let rest = sql[using.upperBound...].drop { $0.isWhitespace }
            return String(rest.prefix { !$0.isWhitespace && $0 != "(" && $0 != ";" })
        }

        private func table(
            _ name: String, _ kind: TableSchema.Kind, _ sql: String?, _ triggers: [TriggerSchema],
            collating: [String], isWithoutRowID: Bool, isStrict: Bool
        ) throws -> TableSchema {
            var columns: [ColumnSchema] = []
            var problem: String?
            do {
                columns = try self.columns(of: name)
                if columns.isEmpty { problem = "its columns can't be read" }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                problem = error.message ?? "it can't be read"
            }
            let isVirtual = if case .virtual = kind { true } else { false }
            if problem == nil, kind == .view || isVirtual { problem = self.problem(of: name) }
            let isPlain = kind != .view && problem == nil && !isVirtual
            let indices = isPlain ? try indices(of: name) : []
            return TableSchema(
                name: name, kind: kind, sql: sql, columns: columns, indices: indices,
                foreignKeys: isPlain ? try foreignKeys(of: name) : [], triggers: triggers,
                isWithoutRowID: isWithoutRowID, isStrict: isStrict,
                rowID: kind == .view || isWithoutRowID || problem != nil
                    ? nil : Self.rowID(columns),
                missingCollations: problem == nil && !isVirtual
                    ? missingCollations(name, columns, indices, collating) : [],
                problem: problem)
        }

        private func missingCollations(
            _ table: String, _ columns: [ColumnSchema], _ indices: [IndexSchema],
            _ statements: [String]
        ) -> [String] {
            let named =
                columns.compactMap { db.collation(of: $0.name, in: table) }
                + indices.flatMap { $0.parts.map(\.collation) }
                + statements.flatMap { SQLMentions($0).collations }
            var missing: [String] = []
            for name in named
            where !StandIns.knownCollations.contains(name.lowercased())
                && !missing.contains(where: { SQLName.areSame($0, name) })
            {
                missing.append(name)
            }
            return missing
        }

        /// Returns the error that a query of the table would cause. Preparing a query takes the
        /// same time for any table size.
        private func problem(of name: String) -> String? {
            do {
                _ = try db.makeStatement(sql: "SELECT 1 FROM \(SQLName.quoted(name))")
                return nil
            } catch {
                return (error as? DatabaseError)?.message ?? "it can't be read"
            }
        }

        private static func rowID(_ columns: [ColumnSchema]) -> String? {
            // A `DESC` primary key isn't an alias of the rowid, but the pragma doesn't report
            // `DESC`. SQLite's names for the rowid are correct in both cases.
            let free = TableSchema.rowIDNames.first { name in
                !columns.contains { SQLName.areSame($0.name, name) }
            }
            if let free { return free }
            let key = columns.filter { $0.primaryKeyPosition > 0 }
            guard key.count == 1, SQLName.areSame(key[0].declaredType, "INTEGER") else {
                return nil
            }
            return key[0].name
        }

        private func columns(of table: String) throws -> [ColumnSchema] {
            try Row.fetchAll(
                db,
                sql: """
                    SELECT name, type, "notnull", dflt_value, pk, hidden
                    FROM pragma_table_xinfo(?) ORDER BY cid
                    """, arguments: [table]
            ).compactMap { row in
                guard let name = row.text("name") else { return nil }
                let storage: ColumnSchema.Storage =
                    switch row.integer("hidden") {
                    case 1: .hidden
                    case 2: .generatedVirtual
                    case 3: .generatedStored
                    default: .ordinary
                    }
                return ColumnSchema(
                    name: name, declaredType: row.text("type") ?? "",
                    isNotNull: row.integer("notnull") == 1, defaultSQL: row.text("dflt_value"),
                    primaryKeyPosition: Int(clamping: row.integer("pk") ?? 0), storage: storage)
            }
        }

        private func indices(of table: String) throws -> [IndexSchema] {
            try Row.fetchAll(
                db, sql: "SELECT * FROM pragma_index_list(?) ORDER BY seq", arguments: [table]
            ).compactMap { row in
                guard let name = row.text("name") else { return nil }
                let parts = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT name, "desc", coll FROM pragma_index_xinfo(?)
                        WHERE key = 1 ORDER BY seqno
                        """, arguments: [name]
                ).map { part in
                    IndexSchema.Part(
                        column: part.text("name"), isDescending: part.integer("desc") == 1,
                        collation: part.text("coll") ?? "BINARY")
                }
                return IndexSchema(
                    name: name, isUnique: row.integer("unique") == 1,
                    isPartial: row.integer("partial") == 1,
                    origin: IndexSchema.Origin(rawValue: row.text("origin") ?? "") ?? .created,
                    parts: parts)
            }
        }

        private func foreignKeys(of table: String) throws -> [ForeignKey] {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, "table", "from", "to", on_update, on_delete
                    FROM pragma_foreign_key_list(?) ORDER BY id, seq
                    """, arguments: [table])
            return Dictionary(grouping: rows) { Int(clamping: $0.integer("id") ?? 0) }
                .sorted { $0.key < $1.key }
                .compactMap { id, rows in
                    guard let first = rows.first, let target = first.text("table") else {
                        return nil
                    }
                    return ForeignKey(
                        id: id, table: table, columns: rows.compactMap { $0.text("from") },
                        target: target, targetColumns: rows.compactMap { $0.text("to") },
                        onUpdate: first.text("on_update") ?? "NO ACTION",
                        onDelete: first.text("on_delete") ?? "NO ACTION")
                }
        }
    }
}
