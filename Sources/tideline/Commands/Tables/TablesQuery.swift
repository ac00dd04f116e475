import ArgumentParser
import CommandSupport
import Replication
import Tables
import TidelineCore

extension TablesCommands {
    struct Query: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Run one read-only SQL query.",
            discussion: """
                With --plan, prints SQLite's query plan instead of running the query.

                Example: tideline tables query places.sqlite "SELECT count(*) FROM moz_places"
                Example: tideline tables query shop.db "SELECT * FROM orders" --format csv
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The SQL statement.") var sql: String
        @Flag(help: "Print the query plan instead of running the query.") var plan = false
        @Option(help: "The maximum number of rows.") var limit: Int?
        @Option(help: "The table name in the statements of --format sql.") var table = "query"
        @OptionGroup var format: RowFormat

        func validate() throws {
            if plan, format.format != nil {
                throw ValidationError("--plan can't be combined with --format")
            }
            if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        }

        func run() throws {
            let query = ReadOnlyQuery(sql)
            try Failure.of(database.path) { try database.requireDatabase() }
            do {
                plan ? try printPlan(query) : try printRows(query)
            } catch let error as TablesError where error.code == .usage {
                let advice = try? database.read { $0.tables.advice(on: error) }
                throw Failure(
                    .invalidRequest, "query", error.message,
                    suggestion: advice ?? error.suggestion?.words)
            } catch {
                throw Failure(error, while: database.path)
            }
        }

        private func printPlan(_ query: ReadOnlyQuery) throws {
            let (steps, _) = try database.file.read { try query.plan($0) }
            for step in steps {
                if format.json.json {
                    Output.json(["depth": .count(step.depth), "detail": .string(step.detail)])
                } else {
                    Output.text(
                        String(repeating: "  ", count: step.depth) + Printable.line(step.detail))
                }
            }
        }

        private func printRows(_ query: ReadOnlyQuery) throws {
            var titles: [String] = []
            var output: RowOutput?
            var held = BufferedRows()
            var missing: [String] = []
            let collations = try query.missingCollations(in: database.file)
            let print = { (row: [TableValue]) in
                if output?.isForPeople == true {
                    let cells = zip(titles, row).map { title, value in
                        NamedTable.text(value, nil, uuid: .init(columnNamed: title))
                    }
                    output?.add(cells, titles: titles)
                } else {
                    output?.add(Self.record(titles, row))
                }
            }
            let begin = { (columns: [String]) in
                titles = names(columns)
                let sql =
                    format.schema
                    ? ExportWriter.SQLNames.creating(table, titles) : .init(table)
                output = RowOutput(format, sql: sql)
            }
            // There is no limit, because the user can interrupt the query.
            _ = try database.file.read(
                instructionsPerByte: .max, standsIn: !query.checksFile
            ) { db in
                missing = try query.missingFunctions(db)
                try held.begin()
                var rest = limit ?? .max
                try query.run(db, begin: begin) { row in
                    guard rest > 0 else { return false }
                    try held.add(row, print)
                    rest -= 1
                    return rest > 0
                }
            }
            try held.end(print)
            output?.end(names: titles)
            let notes = [
                NamedTable.note(missingCollations: collations),
                NamedTable.note(missingFunctions: missing),
            ]
            for note in notes.compactMap({ $0 }) { Output.note("tideline: query: \(note)") }
        }

        /// Returns distinct names for the values of a row: the second `id` becomes `id:2`. In SQL,
        /// `ID` is the same name.
        private func names(_ columns: [String]) -> [String] {
            var taken: Swift.Set<Name> = []
            return columns.map { column in
                let candidates = (1...).lazy.map { $0 == 1 ? column : "\(column):\($0)" }
                return candidates.first { name in
                    let isSQL = format.chosen == .sql
                    return taken.insert(Name(isSQL ? name.lowercased() : name)).inserted
                } ?? column
            }
        }

        private static func record(_ titles: [String], _ row: [TableValue]) -> RowRecord {
            RowRecord(
                zip(titles, row).map { .init($0, .verbatim($1.json), stored: $1) })
        }
    }

    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the persistent history of a Core Data store, oldest first.",
            discussion: """
                An update lists the properties that it wrote. A deletion lists the values \
                that the model preserves.

                Example: tideline tables history Notes.sqlite --json
                """)
        @OptionGroup var database: DatabaseArgument
        @Option(help: "The maximum number of changes; the newest ones are printed.")
        var limit: Int?
        @OptionGroup var json: JSONFlag

        func validate() throws {
            if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        }

        func run() throws {
            let changes = try database.read { reader in
                guard let history = CoreDataHistory(reader.tables.schema) else {
                    throw Failure(.noSuchItem, "history", "the database has no persistent history")
                }
                return try history.changes(
                    reader.db, of: reader.tables.model, limit: limit ?? .max)
            }
            var output = Table(
                "DATE", "AUTHOR", "CHANGE", "ENTITY", "ROW", "PROPERTIES", isJSON: json.json)
            for change in changes {
                output.add(
                    change.date.map { Timestamp($0).iso8601 } ?? "", change.author ?? "",
                    change.action.rawValue, change.entity ?? "?", String(change.row),
                    change.propertiesText, json: change.json)
            }
            output.print()
        }
    }
}

extension CoreDataHistory.Change {
    fileprivate var json: JSONValue {
        [
            "id": .integer(id), "transaction": .integer(transaction),
            "date": .optional(date.map { Timestamp($0).iso8601 }), "author": .optional(author),
            "process": .optional(process), "bundle": .optional(bundle),
            "change": .string(action.rawValue), "entity": .optional(entity),
            "rowid": .integer(row),
            "properties": properties.map { .array($0.map { .string($0) }) } ?? .null,
            "preserved": .object(
                Dictionary(keepingFirst: preserved.map { (Name($0.name), $0.json) })),
        ]
    }
}
