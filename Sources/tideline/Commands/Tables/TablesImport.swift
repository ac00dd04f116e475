import ArgumentParser
import CommandSupport
import Replication
import Tables
import TidelineCore

extension TablesCommands {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add the rows of a CSV, TSV or JSON file to a table.",
            discussion: """
                All rows are added, or none. CSV and TSV start with the names of the columns. An \
                empty field is NULL, and "" is an empty text. A JSON file is an array of objects, \
                and JSON Lines has one object per line. In all formats, bytes are \
                {"$data": "BASE64"}. The output of 'tables show --json' can be imported.

                Example: tideline tables import shop.db orders orders.csv --create
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table.") var table: String
        @OptionGroup var source: ImportSource
        @Flag(help: "Create the table, with types that fit the values. The file is read twice.")
        var create = false

        func validate() throws {
            if create, source.file == "-" {
                throw ValidationError(
                    "--create can't read standard input, because it reads the file twice")
            }
            guard source.knownFormat != nil else {
                throw ValidationError(
                    "the format of \(source.file) is unknown: specify --format")
            }
        }

        func run() throws {
            guard let format = source.knownFormat else { return }
            let interruption = source.file == "-" ? nil : Interruption()
            let rows = source.rows(format) {
                if interruption?.exitCode != nil { throw CancellationError() }
            }
            do {
                let name = try create ? table : existing()
                let columns = try create ? inferredColumns(rows) : nil
                Output.text(Self.text(try insert(rows, into: name, creating: columns)))
            } catch {
                if let code = interruption?.exitCode { throw code }
                throw error
            }
        }

        private static func text(_ insertion: TableWriter.Insertion) -> String {
            let rows = Counted.text(insertion.count, "row")
            return switch insertion.replacedCount {
            case 0: rows
            case let count?: "\(rows), which replaced \(Counted.text(count, "row"))"
            case nil: "\(rows), which may have replaced other rows"
            }
        }

        private func insert(
            _ rows: TableImport, into name: String, creating columns: [InferredColumn]?
        ) throws -> TableWriter.Insertion {
            do {
                return try TableWriter(database.file).insert(rows, into: name, creating: columns)
            } catch let error as TablesError where error.code == .busy || error.code == .readOnly {
                throw Failure(error, while: database.path)
            } catch {
                throw Failure(error, while: source.name)
            }
        }

        /// Returns the name of the table in the database, as spelled in its schema.
        private func existing() throws -> String {
            let found = try database.read { $0.tables.table(table) }
            guard found != nil else {
                throw Failure(
                    .noSuchItem, table, "no such table", suggestion: "to create it: --create")
            }
            let named = try database.table(table)
            return try Failure.of(named.name) {
                try TableWriter.requireWritable(named.schema)
                return try named.insert([]).table
            }
        }

        private func inferredColumns(_ rows: TableImport) throws -> [InferredColumn] {
            let found = try database.read { $0.tables.table(table) }
            guard found == nil else {
                throw Failure(
                    .invalidRequest, table, "the table already exists",
                    suggestion: "leave out --create")
            }
            let columns = try Failure.of(source.name) { try rows.inferredColumns() }
            let definitions = columns.map(\.sql).joined(separator: ", ")
            Output.note("tideline: creating \(Printable.line("\(table) (\(definitions))"))")
            return columns
        }
    }
}
