import ArgumentParser
import CommandSupport
import Replication
import Tables
import TidelineCore

/// Writing one row of a database.
private struct TableToWrite {
    let database: DatabaseArgument
    let table: NamedTable

    init(_ database: DatabaseArgument, _ name: String) throws {
        self.database = database
        table = try database.table(name)
        try Failure.of(table.name) { try TableWriter.requireWritable(table.schema) }
    }

    func column(_ name: String) throws -> NamedTable.Column {
        guard let column = table.column(name) else {
            throw Failure(
                .noAnswer, name, "\(table.name) has no such column",
                wayOut:
                    "There are: \(table.columns.prefix(40).map(\.name).joined(separator: ", ")).")
        }
        return column
    }

    func row(_ text: String) throws -> RowKey {
        try Failure.of(text) { try RowKey(text, of: table.schema) }
    }

    @discardableResult
    func apply(_ changes: [TableChange]) throws -> TableWriter.Outcome {
        let outcome = try Failure.of(database.path) {
            try TableWriter(database.file).apply(changes)
        }
        if outcome.furtherChanges > 0 {
            Output.note(
                "tideline: \(table.name): the database changed \(outcome.furtherChanges) more rows "
                    + "by its triggers and foreign keys")
        }
        return outcome
    }
}

extension TablesCommands {
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Write a value into a row.",
            usage: """
                tideline tables set <path> [--raw] <table> <rowid> <column> [<value>] [--as <as>]
                """,
            discussion: """
                ROWID is the row's integer key; a row of a table without rowid is named by its \
                primary key, as a JSON array where that has several columns.
                Example: tideline tables set shop.db orders 17 note "by hand"
                Example: tideline tables set shop.db orders 17 note - --as null
                """, helpNames: .long)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "A table or entity.") var table: String
        // As three arguments, a word that begins with a dash would be the value wherever it stands.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                """
                The row; the column to write; and the value: none for --as null, with --as plist \
                the file that holds it, - for standard input. One that begins with two dashes \
                follows on --.
                """, valueName: "rowid> <column> <value"))
        var words: [String] = []
        @Option(
            name: .customLong("as"),
            help:
                "The type of VALUE: string, integer, real, boolean, date, data, json, plist, null.")
        var type = "string"

        private static let names = ["rowid", "column", "value"]

        private func checkedWords() throws -> [String] {
            let words = try GivenWords(words, count: Self.names.count).checked()
            let needed = type == "null" ? 2 : 3
            guard words.count >= needed else {
                throw ValidationError("Missing expected argument '<\(Self.names[words.count])>'")
            }
            return words
        }

        func validate() throws { _ = try checkedWords() }

        func run() throws {
            let words = try checkedWords()
            let row = words[0]
            let target = try TableToWrite(database, table)
            let key = try target.row(row)
            let column = try target.column(words[1])
            let old = try database.read { reader in
                try RowWalk(target.table.schema).values(reader.db, of: key, [column.schema.name])
            }?.first
            guard let old else {
                throw Failure(.noAnswer, row, "\(target.table.name) has no such row")
            }
            let value = words.count > 2 ? words[2] : ""
            let text = try TypedText(
                argument: value, as: type, of: TypedText.Kind.ofValues + [.null])
            let new = try Failure.of(column.name) {
                try text.tableValue(for: column, replacing: old)
            }
            try target.apply([target.table.update(key, column, from: old, to: new)])
        }
    }

    struct Insert: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a row and print its key.",
            discussion: """
                COLUMN=VALUE is a text, which the column's own type may make a number; \
                COLUMN:=JSON a number, null, a text or {"$data": "BASE64"}.
                Example: tideline tables insert shop.db orders customer=Anna total:=12.5 note:=null
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "A table or entity.") var table: String
        @Argument(help: "Columns, COLUMN=VALUE or COLUMN:=JSON.") var cells: [String] = []

        func run() throws {
            let target = try TableToWrite(database, table)
            var given: [TableChange.Cell] = []
            for text in cells {
                let (name, value) = try Self.cell(text)
                let column = try target.column(name).schema.name
                guard !given.contains(where: { $0.column == column }) else {
                    throw Failure(.usage, "insert", "\(name) is given twice")
                }
                given.append(.init(column, value))
            }
            let change = try Failure.of(target.table.name) { try target.table.insert(given) }
            let outcome = try target.apply([change])
            Output.text(outcome.keys.first?.text ?? "")
        }

        private static func cell(_ text: String) throws -> (String, TableValue) {
            guard let equals = text.firstIndex(of: "=") else {
                throw Failure(.usage, text, "not of the form COLUMN=VALUE")
            }
            let value = String(text[text.index(after: equals)...])
            let name = text[..<equals]
            guard name.hasSuffix(":") else { return (String(name), .text(value)) }
            guard let parsed = TableValue(jsonText: value) else {
                throw Failure(
                    .usage, text,
                    "after := there is JSON: a number, null, a text in quotation marks")
            }
            return (String(name.dropLast()), parsed)
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a row.",
            discussion: "Example: tideline tables delete shop.db orders 17", helpNames: .long)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "A table or entity.") var table: String
        // A word of its own, as the key of a row may be negative.
        @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The row.", valueName: "rowid"))
        var words: [String] = []

        private func checkedRow() throws -> String {
            guard let row = try GivenWords(words).checked().first else {
                throw ValidationError("Missing expected argument '<rowid>'")
            }
            return row
        }

        func validate() throws { _ = try checkedRow() }

        func run() throws {
            let row = try checkedRow()
            let target = try TableToWrite(database, table)
            let key = try target.row(row)
            let change = try Failure.of(target.table.name) { try target.table.delete(key) }
            try target.apply([change])
        }
    }
}
