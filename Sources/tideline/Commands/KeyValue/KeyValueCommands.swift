import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import Tables
import TidelineCore

struct KeyValueCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kv", abstract: "Read and write the keys of a store package.",
        discussion: "Example: tideline kv get Notes.store note/1/title",
        subcommands: [List.self, Get.self, Set.self, Unset.self, Import.self, Create.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List keys and values, now or at an earlier time.",
            discussion: """
                Values of more than 8 MiB are skipped with a warning; print them with 'kv get'. \
                --json prints one object with a member for each key. --format prints one row per \
                key, with the key and the value. In CSV, TSV and SQL, the row also has the type of \
                the value. 'kv import' reads all of these formats except SQL.

                Example: tideline kv list Notes.store --prefix note/ --json
                Example: tideline kv list Notes.store --format csv > notes.csv
                """)
        @OptionGroup var store: PathArgument
        @Option(parsing: .unconditional, help: "Only keys with this prefix (case-sensitive).")
        var prefix = ""
        @Option(
            parsing: .unconditional, help: TimeArgument.help("Show the state as of a time"),
            transform: TimeArgument.parse)
        var at: TimeArgument?
        @OptionGroup var format: RowFormat

        func run() async throws {
            let store = try await ModelOpener.reading(KeyValuePart.self, of: self.store.path)
            if let chosen = format.format {
                let columns = RowRecord.keyColumns(chosen)
                var output = RowOutput(format, sql: format.names("keys", columns))
                try forEach(store) { key, value in
                    output.add(try RowRecord(key: key, value, as: chosen))
                }
                output.end(names: columns)
            } else if format.json.json {
                // The object can be large, so its members are written one by one.
                Output.piece("{")
                var isFirst = true
                try forEach(store) { key, value in
                    Output.piece(isFirst ? "" : ",")
                    isFirst = false
                    Output.piece(PropertyList.json(string: key) + ":" + (try value.json()))
                }
                Output.line("}")
            } else if Output.isTerminal {
                var rows = StreamedTable()
                try forEach(store) { key, value in
                    rows.add([key, try value.json()], titles: ["KEY", "VALUE"])
                }
                rows.end()
            } else {
                try forEach(store) { key, value in
                    Output.line("\(Printable.line(key))  \(Printable.line(try value.json()))")
                }
            }
        }

        private func forEach(
            _ store: KeyValueStore, _ body: (String, PropertyList) throws -> Void
        ) throws {
            if let at {
                let (rows, unread) = try store.readableRows(at: at.timestamp, prefix: prefix)
                Warnings.report(unread: unread)
                for row in rows.values.sorted(by: { Name($0.key) < Name($1.key) }) {
                    if row.isLeftInLog {
                        reportLongValue(row.key, row.byteCount)
                    } else if let bytes = row.bytes {
                        try decode(row.key, bytes, body)
                    }
                }
            } else {
                try store.forEach(
                    prefix: prefix, longest: store.configuration.longestValue,
                    leftOut: reportLongValue
                ) { key, bytes in
                    try decode(key, bytes, body)
                }
            }
        }

        private func decode(
            _ key: String, _ bytes: some ContiguousBytes,
            _ body: (String, PropertyList) throws -> Void
        ) throws {
            let value: PropertyList
            do {
                value = try PropertyList(binary: bytes)
            } catch {
                Output.note("tideline: \(key): skipped: invalid value: \(error)")
                return
            }
            try body(key, value)
        }

        private func reportLongValue(_ key: String, _ byteCount: Int) {
            Output.note(
                "tideline: \(key): skipped: the value has \(Counted.text(byteCount, "byte")); "
                    + "print it with 'tideline kv get'")
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the value of a key.",
            discussion:
                "Example: tideline kv get Notes.store note/1/title --at 2026-11-20T12:00:00Z",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var name: LastArguments<KeyName>
        @Option(
            parsing: .unconditional, help: TimeArgument.help("Show the value as of a time"),
            transform: TimeArgument.parse)
        var at: TimeArgument?
        @OptionGroup var json: JSONFlag

        private var key: String { name.text }

        func run() async throws {
            let store = try await ModelOpener.reading(KeyValuePart.self, of: self.store.path)
            let found: PropertyList?
            var unread: [DeviceID: String] = [:]
            if let at {
                let past = try store.readableRow(forKey: key, at: at.timestamp)
                unread = past.unread
                Warnings.report(unread: unread)
                found = try past.row.flatMap { try store.value(of: $0) }
            } else {
                found = try store.entry(forKey: key).flatMap { try store.value(of: $0) }
            }
            guard let found else {
                try Failure.refuseEmpty(key, to: "get")
                throw Failure.missing(
                    "get \(key)", "no such key", among: store.devices, unread: unread)
            }
            if json.json {
                try Output.json(found)
            } else {
                switch found {
                case .string(let text): Output.text(text)
                case .data(let data) where !Output.isTerminal: Output.bytes(data)
                default: Output.text(TypedText(found).text)
                }
            }
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the value of a key.",
            discussion: "Example: tideline kv set Notes.store settings/font-size 14 --as integer",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var words: LastArguments<Words>
        @OptionGroup var type: ValueOption
        @OptionGroup var device: DeviceOption

        enum Words: ArgumentNames {
            static let names = ["key", "value"]
            static let help = """
                The key and the value. With --as plist the value is a file, or - for standard \
                input. Put -- before a value that starts with two dashes.
                """
        }

        func run() async throws {
            let given = try words.texts()
            let key = given[0]
            try Failure.refuseEmpty(key, to: "set")
            let value = try type.value(given[1])
            try await EditRunner.key(key, "set", of: store, as: device) { store in
                if !type.isGiven, let old = store[key] {
                    Warnings.reportString(replacing: old.typeName, at: key)
                }
                try store.set(value, forKey: key)
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a key.",
            discussion: "Example: tideline kv unset Notes.store note/1/due", helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var name: LastArguments<KeyName>
        @OptionGroup var device: DeviceOption

        private var key: String { name.text }

        func run() async throws {
            try await EditRunner.key(key, "delete", of: store, as: device) { store in
                guard store.entry(forKey: key)?.isRemoved == false else {
                    try Failure.refuseEmpty(key, to: "unset")
                    throw Failure.missing("unset \(key)", "no such key", among: store.devices)
                }
                try store.removeValue(forKey: key)
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set and delete many keys in one transaction.",
            discussion: """
                FILE is a JSON object with a member for each key, or it has one row per key. Rows \
                are a CSV or TSV file with the columns key and value, or JSON Lines or a JSON \
                array of objects with these members. A column named type contains the type of \
                each value. Without this column, the type is derived from the value. To delete a key, \
                write null in JSON, and an empty field in CSV and TSV; the \
                field "" is an empty text. Keys that already have their value are not written, \
                except to resolve a conflict.

                Example: tideline kv import Notes.store changes.json
                Example: tideline kv import Notes.store notes.csv
                """)
        @OptionGroup var store: PathArgument
        @OptionGroup var source: ImportSource
        @OptionGroup var device: DeviceOption

        func run() async throws {
            let (entries, kind) = try source.read { rows in
                let keys = try KeyImport(rows)
                return (keys.entries, keys.inferredKind)
            } object: {
                (try PropertyList.entries(json: $0), nil)
            }
            guard !entries.keys.contains(where: \.isEmpty) else {
                throw Failure(.badData, source.name, "a key is empty")
            }
            if let kind { Output.note("tideline: type of the values: \(kind.rawValue)") }
            let written = try await ModelOpener.writing(
                KeyValuePart.self, of: store.path, as: device
            ) { store in
                let changes = entries.filter { key, value in
                    !Self.isCurrent(value, of: key.text, in: store)
                }
                try store.set(contentsOf: changes)
                return changes.count
            }
            Output.note(
                "\(Counted.text(written, "key")) changed, "
                    + "\(Counted.grouped(entries.count - written)) unchanged")
        }

        /// Returns whether a key has the value, or no value for `nil`, and isn't in conflict.
        private static func isCurrent(
            _ value: PropertyList?, of key: String, in store: KeyValueStore
        ) -> Bool {
            guard let entry = store.entry(forKey: key), !entry.isConflict else { return false }
            guard let value else { return entry.isRemoved }
            return !entry.isRemoved && store.value(forKey: key) == value
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an empty store package.",
            discussion: """
                With --format parstore-1, this device gets an empty log in the PARStore 1 format, \
                and every device that writes to the package later uses that format. The log has \
                Core Data's tables, columns, indexes and metadata, as far as they are known. It \
                lacks the hashes of PARStore's model, so an Apple program may refuse to open it. \
                To share a package with such a program, let the program create the package.

                Example: tideline kv create Notes.parstore --format parstore-1
                """)
        @OptionGroup var store: PathArgument
        @Option(
            help: ArgumentHelp(
                "The log format: tideline-2 or parstore-1.", valueName: "format"),
            transform: {
                guard let format = LogFormat(rawValue: $0) else {
                    throw ValidationError("unknown format '\($0)': choose tideline-2 or parstore-1")
                }
                return format
            })
        var format = LogFormat.tideline2
        @OptionGroup var device: DeviceOption

        func run() throws {
            try NewPackage.make(
                store.path, asParstoreOf: format == .parstore1 ? device.forWriting(to: nil) : nil)
        }
    }
}
