import ArgumentParser
import CommandSupport
import Replication
import Tables
import TidelineCore

/// A database in which a command writes one row.
private struct TableToWrite {
    let database: DatabaseArgument
    let table: NamedTable
    /// The device whose change journal records the edit.
    private let device: DeviceID

    init(_ database: DatabaseArgument, _ name: String, as option: DeviceOption) throws {
        let table = try database.table(name)
        try Failure.of(table.name) { try TableWriter.requireWritable(table.schema) }
        (self.database, self.table) = (database, table)
        device = try option.forWriting(to: database.path)
    }

    func row(_ text: String) throws -> RowKey {
        try Failure.of(text) { try RowKey(text, of: table.schema) }
    }

    /// Writes a change, and records it in the change journal.
    @discardableResult
    func apply(_ change: TableChange) throws -> TableWriter.Outcome {
        let (applied, outcome) = try Failure.of(database.path) {
            try table.write(change, to: database.file)
        }
        if outcome.furtherChanges > 0 {
            Output.note(
                "tideline: \(table.name): triggers and foreign keys changed "
                    + "\(Counted.text(outcome.furtherChanges, "more row"))")
        }
        let journal = UserState().journal(ofStoreAt: database.path, by: device)
        try EditRunner.report(
            journal.record(applied, pane: PaneID.tables.text), database.path)
        return outcome
    }
}

extension TablesCommands {
    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Set a value of a row.",
            usage: """
                tideline tables set <path> [--raw] <table> <rowid> <column> [<value>] \
                [--as <type>] [--device <device>]
                """,
            discussion: """
                ROWID is the row's integer key. A row of a table without rowid is identified by its \
                primary key, as a JSON array if the key has several columns. Without --as, a text \
                that doesn't fit the column's type is refused.

                Example: tideline tables set shop.db orders 17 note "by hand"
                Example: tideline tables set shop.db orders 17 note --as null
                """, helpNames: .long)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table or entity.") var table: String
        // Parse all words as one argument. If they were three arguments, a word that starts with a
        // dash would always become the value.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                """
                The row, the column and the value. With --as null there is no value. With --as \
                plist, the value is a file, or - for standard input. Put -- before a value that \
                starts with two dashes.
                """, valueName: "rowid> <column> <value"))
        var words: [String] = []
        @OptionGroup var type: TypeOption<ColumnTypes>
        @OptionGroup var device: DeviceOption

        private static let names = ["rowid", "column", "value"]

        private func checkedWords() throws -> [String] {
            let needed: [String] = type.type == "null" ? Self.names.dropLast() : Self.names
            return try ArgumentWords(words, count: Self.names.count).require(needed)
        }

        func validate() throws { _ = try checkedWords() }

        func run() throws {
            let words = try checkedWords()
            let row = words[0]
            let target = try TableToWrite(database, table, as: device)
            let key = try target.row(row)
            let column = try target.table.known(words[1])
            let old = try database.read { reader in
                try RowWalk(target.table.schema).values(reader.db, of: key, [column.schema.name])
            }?.first
            guard let old else {
                throw Failure(.noSuchItem, "row \(row)", "\(target.table.name) has no such row")
            }
            let value = words.count > 2 ? words[2] : ""
            let text = try type.typed(value)
            let new = try Failure.of(column.name) {
                try text.tableValue(for: column, replacing: old)
            }
            var change = target.table.update(key, column, from: old, to: new)
            // A program that uses Core Data can't read attributes of other types.
            change.acceptsAnyType = type.isGiven && target.table.entity == nil
            try target.apply(change)
        }
    }

    struct Insert: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a row and print its key.",
            discussion: """
                COLUMN=VALUE sets a text, which the column's type may convert to a number. \
                COLUMN:=JSON sets a number, null, a text or {"$data": "BASE64"}.

                Example: tideline tables insert shop.db orders customer=Anna total:=12.5
                """)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table or entity.") var table: String
        @Argument(help: "The columns, each as COLUMN=VALUE or COLUMN:=JSON.") var cells: [String] =
            []
        @OptionGroup var device: DeviceOption

        func run() throws {
            let target = try TableToWrite(database, table, as: device)
            var given: [TableChange.Cell] = []
            for text in cells {
                let (name, value, isTyped) = try Self.cell(text)
                let column = try target.table.known(name).schema
                guard !given.contains(where: { SQLName.areSame($0.column, column.name) }) else {
                    throw Failure(.invalidRequest, "insert", "\(name) is set twice")
                }
                if !isTyped { try check(value, column) }
                given.append(.init(column.name, value))
            }
            var change = try Failure.of(target.table.name) { try target.table.insert(given) }
            change.acceptsAnyType = true
            let outcome = try target.apply(change)
            Output.text(outcome.keys.first?.text ?? "")
        }

        /// Checks that a value without a specified type fits the column.
        private func check(_ value: TableValue, _ column: ColumnSchema) throws {
            do {
                try column.check(value, replacing: nil)
            } catch {
                guard error.code == .usage else { throw Failure(error, while: database.path) }
                throw Failure(
                    .invalidRequest, database.path, error.message,
                    suggestion: "to specify the type: \(column.name):=JSON")
            }
        }

        private static func cell(
            _ text: String
        ) throws -> (name: String, value: TableValue, isTyped: Bool) {
            // A combining character at the start of the value forms one `Character` with the sign.
            let scalars = text.unicodeScalars
            guard let equals = scalars.firstIndex(of: "=") else {
                throw Failure(.invalidRequest, text, "not of the form COLUMN=VALUE")
            }
            let value = String(scalars[scalars.index(after: equals)...])
            let name = String(scalars[..<equals])
            guard name.hasSuffix(":") else { return (name, .text(value), false) }
            guard let parsed = TableValue(jsonText: value) else {
                throw Failure(
                    .invalidRequest, text,
                    "the value after := must be JSON: null, a text in quotation marks, or a number "
                        + "(an integer has at most 64 bits)")
            }
            return (String(name.dropLast()), parsed, true)
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a row.",
            discussion: "Example: tideline tables delete shop.db orders 17", helpNames: .long)
        @OptionGroup var database: DatabaseArgument
        @Argument(help: "The table or entity.") var table: String
        @OptionGroup var row: LastArguments<RowName>
        @OptionGroup var device: DeviceOption

        /// The key of a row can be a negative number.
        enum RowName: ArgumentNames {
            static let names = ["rowid"]
            static let help = "The row."
        }

        func run() throws {
            let target = try TableToWrite(database, table, as: device)
            let key = try target.row(row.text)
            let change = try Failure.of(target.table.name) { try target.table.delete(key) }
            try target.apply(change)
        }
    }
}
