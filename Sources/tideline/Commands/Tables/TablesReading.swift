import ArgumentParser
import CommandSupport
import Replication
import Tables
import TidelineCore

extension TablesCommands {
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List tables, views and virtual tables, and count their rows and columns.",
            discussion: """
                The number of rows is null if counting fails, or if a view takes too long. \
                Tables that SQLite, an index or a framework uses internally are left out; --raw \
                lists them, too.

                Example: tideline tables list places.sqlite --json
                """)
        @OptionGroup var database: DatabaseArgument
        @OptionGroup var json: JSONFlag

        func run() throws {
            let (tables, kept) = try database.read { ($0.tables.tables, $0.tables.kept) }
            let counts = try counts(of: tables)
            let lines = tables.map { ($0, counts[Name($0.name)]) }
            if json.json {
                for (table, rows) in lines { Output.json(Self.json(table, rows)) }
                return
            }
            var output = Table("NAME", "TYPE", "ROWS", "COLUMNS")
            for (table, rows) in lines {
                output.add(
                    table.name, table.kind, rows.map(String.init) ?? "?",
                    table.schema.problem.map { "! \($0)" }
                        ?? table.columnsAndMissing)
            }
            output.print()
            guard !kept.isEmpty else { return }
            Output.text("")
            for (keeper, tables) in Dictionary(grouping: kept, by: { $0.keeper ?? "" })
                .sorted(by: { $0.key < $1.key })
            {
                Output.text(
                    "\(Printable.line(keeper)): \(Counted.text(tables.count, "internal table")) (list with --raw)"
                )
            }
        }

        /// Returns the number of rows of each table. Views are counted last, because counting them
        /// can use up the time limit of the read.
        private func counts(of tables: [NamedTable]) throws -> [Name: Int] {
            var counts: [Name: Int] = [:]
            let sound = tables.filter { $0.schema.problem == nil }
            for isView in [false, true] {
                try database.read { reader in
                    for table in sound where (table.schema.kind == .view) == isView {
                        counts[Name(table.name)] = try? table.schema.count(
                            reader.db, where: table.condition)
                    }
                }
            }
            return counts
        }

        private static func json(_ table: NamedTable, _ rows: Int?) -> JSONValue {
            var members: [Name: JSONValue] = [
                "name": .string(table.name), "type": .string(table.kind),
                "rows": rows.map(JSONValue.count) ?? .null,
                "columns": .array(
                    table.columns.map { column in
                        var members: [Name: JSONValue] = [
                            "name": .string(column.name),
                            "type": .string(column.schema.declaredType),
                            "notNull": .boolean(column.schema.isNotNull),
                            "primaryKey": .boolean(column.schema.primaryKeyPosition > 0),
                        ]
                        if let target = column.target { members["target"] = .string(target) }
                        if let type = column.attributeType {
                            members["attribute"] = .string(type.rawValue)
                        }
                        if column.schema.needsMissingFunction {
                            members["needsMissingFunction"] = true
                        }
                        return .object(members)
                    }),
            ]
            let relationships = relationships(of: table)
            if !relationships.isEmpty { members["relationships"] = .array(relationships) }
            if !table.schema.missingCollations.isEmpty {
                members["missingCollations"] = .array(
                    table.schema.missingCollations.map { .string($0) })
            }
            if !table.schema.missingFunctions.isEmpty {
                members["missingFunctions"] = .array(
                    table.schema.missingFunctions.map { .string($0) })
            }
            if let problem = table.schema.problem { members["problem"] = .string(problem) }
            if table.entity != nil { members["table"] = .string(table.schema.name) }
            return .object(members)
        }

        private static func relationships(of table: NamedTable) -> [JSONValue] {
            guard let entity = table.entity else { return [] }
            return entity.links.map { link in
                [
                    "name": .string(link.name), "target": .string(link.target),
                    "table": .string(link.table), "isOrdered": .boolean(link.order != nil),
                ]
            }
                + entity.collections.map { collection in
                    [
                        "name": .string(collection.name), "target": .string(collection.target),
                        "column": .string(collection.column),
                        "isOrdered": .boolean(collection.order != nil),
                    ]
                }
        }
    }

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the SQL of all tables, or of one.",
            discussion: "Example: tideline tables schema places.sqlite moz_places")
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table (default: all, with their indexes and triggers).")
        var table: String?

        func run() throws {
            let statements = try database.read { reader in
                let name = try table.map { try reader.anyTable($0).schema.name }
                return try reader.statements(of: name)
            }
            for statement in statements { Output.text("\(statement);") }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the rows of a table.",
            discussion: """
                --where takes an SQL expression, and --filter takes a filter as in the browser. \
                Rows are in the order of their key, or of --order. With --json and --format, each \
                row also has its rowid, with the name "rowid". If a column has this name, the \
                rowid is called "_rowid_" or "oid". Output in csv, tsv, json and jsonl can be \
                imported.

                Example: tideline tables show shop.db orders --where "total > 100"
                Example: tideline tables show shop.db orders --format sql --schema > orders.sql
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table, view or entity.") var table: String
        @Option(
            name: .customLong("where"), parsing: .unconditional,
            help: "Only rows that match this SQL expression.")
        var condition: String?
        @Option(
            parsing: .unconditional,
            help: "Only rows that match this filter, as in the browser: total>100 name:a*")
        var filter: String?
        @Option(parsing: .unconditional, help: "Sort by this column.") var order: String?
        @Flag(help: "Sort in descending order.") var descending = false
        @Option(help: "The maximum number of rows.") var limit: Int?
        @Flag(
            help:
                "Print the values that Core Data keeps in files, instead of the names of the files."
        )
        var externalData = false
        @OptionGroup var format: RowFormat

        func validate() throws {
            if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        }

        func run() throws {
            let table = try database.table(table)
            if let note = table.readingNote { Output.note("tideline: \(table.name): \(note)") }
            var wanted = try condition.map { condition in
                try database.read { reader in
                    try Failure.of("--where") {
                        try RowCondition(
                            expression: condition, of: table.schema.name, reader.db)
                    }
                }
            }
            if let filter, !filter.isEmpty {
                let epochs = try Failure.of(database.path) {
                    try table.guessedEpochs(database.file)
                }
                let parsed = try Failure.of("--filter") {
                    try TableFilter(filter, table, epochs: epochs)
                }
                let problem = try Failure.of(database.path) {
                    try parsed.problem(in: database.file)
                }
                if let problem { throw Failure(problem, while: "--filter") }
                if let more = parsed.condition { wanted = wanted.map { $0 && more } ?? more }
            }
            if let order, !isRowID(order, table) { _ = try table.known(order) }
            let selection = table.selection(
                where: wanted, sort: order.map { .init($0, isDescending: descending) })
            let links = [nil, .sql].contains(format.chosen) ? [] : try links(of: table)
            // In JSON, every row has its rowid.
            let repeatsRowID = [.json, .jsonLines].contains(format.chosen)
            let names = table.recordNames(repeatsRowID: repeatsRowID) + links.map(\.link.name)
            var output = RowOutput(format, sql: try sqlNames(of: table))
            let folder = ExternalFolder(of: database.file.path)
            var missingCount = 0
            do {
                try Failure.of(database.path) {
                    try RowStream(database.file, table, selection)
                        .forEachRow(limit: limit ?? .max) { key, values in
                            var values = values
                            if externalData {
                                let found = try table.inlining(
                                    values, from: folder, limit: RowStream.longestValue)
                                values = found.values
                                missingCount += found.missing.count
                            }
                            if output.isForPeople {
                                output.add(
                                    zip(table.columns, values).map {
                                        NamedTable.text($1, $0, in: folder)
                                    },
                                    titles: table.columns.map(\.name),
                                    key: table.schema.rowID == nil ? nil : key?.text)
                            } else {
                                let row = key?.rowID
                                let found = links.map { link, targets in
                                    (link.name, row.flatMap { targets[$0] } ?? [])
                                }
                                output.add(
                                    table.record(
                                        key, values, repeatsRowID: repeatsRowID, links: found,
                                        in: folder))
                            }
                        }
                }
            } catch {
                output.flush()
                throw error
            }
            output.end(names: names)
            if missingCount > 0 {
                let files = Counted.text(
                    missingCount, "file with a value is", "files with values are")
                Output.note("tideline: \(table.name): \(files) missing in \(folder.path)")
            }
        }

        private func sqlNames(of table: NamedTable) throws -> ExportWriter.SQLNames {
            guard format.schema else { return ExportWriter.SQLNames(table.name) }
            return try database.read { try $0.exported(table) }
        }

        /// The maximum number of pairs of related objects to keep in memory.
        private static let pairLimit = 1_000_000

        private func links(
            of table: NamedTable
        ) throws -> [(link: CoreDataModel.Link, targets: [Int64: [Int64]])] {
            guard let entity = table.entity, !entity.links.isEmpty else { return [] }
            return try database.read { reader in
                try entity.links.map { ($0, try $0.targets(reader.db, limit: Self.pairLimit)) }
            }
        }

        private func isRowID(_ name: String, _ table: NamedTable) -> Bool {
            table.schema.rowID.map { SQLName.areSame($0, name) } ?? false
        }
    }
}
