import ArgumentParser
import CommandSupport
import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// `tideline kv`: the dictionary.
struct KeyValueCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kv", abstract: "Read and write the keys of a store package.",
        discussion: "Example: tideline kv get Notes.store note/1/title",
        subcommands: [List.self, Get.self, Set.self, Unset.self, Import.self, Create.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List keys and values, as they are or as they were.",
            discussion: """
                Example: tideline kv list Notes.store --prefix note/ --json
                A value of more than 8 MiB is left out, as standard error says: 'kv get' has it.
                """)
        @OptionGroup var store: PathArgument
        @Option(parsing: .unconditional, help: "Only keys that begin with this (case counts).")
        var prefix = ""
        @Option(parsing: .unconditional, help: TimeArgument.help("The state at an instant"))
        var at: TimeArgument?
        @OptionGroup var json: JSONFlag

        func run() async throws {
            let store = try await Opened.reading(KeyValuePart.self, of: self.store.path)
            if json.json {
                // One object may be large: its members are written as they come.
                Output.piece("{")
                var isFirst = true
                try forEach(store) { key, value in
                    Output.piece(isFirst ? "" : ",")
                    isFirst = false
                    Output.piece(PropertyList.json(string: key) + ":" + (try value.json()))
                }
                Output.line("}")
            } else {
                try forEach(store) { key, value in
                    Output.text("\(Printable.line(key))  \(Printable.line(try value.json()))")
                }
            }
        }

        private func forEach(
            _ store: KeyValueStore, _ body: (String, PropertyList) throws -> Void
        ) throws {
            if let at {
                let (rows, unread) = try store.readableRows(at: at.timestamp, prefix: prefix)
                Warnings.tell(unread: unread)
                for row in rows.values.sorted(by: { Name($0.key) < Name($1.key) }) {
                    if row.isLeftInLog {
                        tellLong(row.key, row.byteCount)
                    } else if let bytes = row.bytes {
                        try decode(row.key, bytes, body)
                    }
                }
            } else {
                try store.forEach(
                    prefix: prefix, longest: store.configuration.longestValue, leftOut: tellLong
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
                Output.note("tideline: \(key): left out: its value cannot be read: \(error)")
                return
            }
            try body(key, value)
        }

        private func tellLong(_ key: String, _ byteCount: Int) {
            Output.note(
                "tideline: \(key): left out: its value has \(byteCount) bytes; "
                    + "'tideline kv get' prints it")
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the value of a key.",
            discussion:
                "Example: tideline kv get Notes.store note/1/title --at 2026-11-20T12:00:00Z")
        @OptionGroup var store: PathArgument
        @Argument(help: "The key.") var key: String
        @Option(parsing: .unconditional, help: TimeArgument.help("The value at an instant"))
        var at: TimeArgument?
        @OptionGroup var json: JSONFlag

        func run() async throws {
            let store = try await Opened.reading(KeyValuePart.self, of: self.store.path)
            let found: PropertyList?
            if let at {
                let (row, unread) = try store.readableRow(forKey: key, at: at.timestamp)
                Warnings.tell(unread: unread)
                found = try row.flatMap { try store.value(of: $0) }
            } else {
                found = try store.entry(forKey: key).flatMap { try store.value(of: $0) }
            }
            guard let found else {
                throw Failure(.noAnswer, "get \(key)", "no such key")
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
            abstract: "Give a key a value.",
            discussion: "Example: tideline kv set Notes.store settings/font-size 14 --as integer",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @Argument(help: "The key.") var key: String
        @OptionGroup var value: ValueArgument
        @OptionGroup var type: ValueOption
        @OptionGroup var device: DeviceOption

        func run() async throws {
            let value = try type.value(value.text)
            try await Opened.writing(KeyValuePart.self, of: store.path, as: device) {
                try $0.set(value, forKey: key)
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a key.",
            discussion: "Example: tideline kv unset Notes.store note/1/due")
        @OptionGroup var store: PathArgument
        @Argument(help: "The key.") var key: String
        @OptionGroup var device: DeviceOption

        func run() async throws {
            try await Opened.writing(KeyValuePart.self, of: store.path, as: device) { store in
                guard store.entry(forKey: key)?.isRemoved == false else {
                    throw Failure(.noAnswer, "unset \(key)", "no such key")
                }
                try store.removeValue(forKey: key)
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set and remove many keys as one transaction.",
            discussion: """
                FILE is one JSON object, key to value; null removes a key.
                Example: tideline kv import Notes.store changes.json
                """)
        @OptionGroup var store: PathArgument
        @Argument(help: "A JSON file, - for standard input.", completion: .file()) var file: String
        @OptionGroup var device: DeviceOption

        func run() async throws {
            let entries = try InputFile.read(file) { try PropertyList.entries(json: $0) }
            _ = try await Opened.writing(KeyValuePart.self, of: store.path, as: device) {
                try $0.set(contentsOf: entries)
            }
            Output.note(entries.count == 1 ? "1 key" : "\(entries.count) keys")
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a new empty store package.",
            discussion: """
                Example: tideline kv create Notes.parstore --format parstore-1
                With --format parstore-1 this device gets an empty log in the form of PARStore 1, and \
                every device that writes to the package later writes that form. Core Data's tables, \
                columns, indexes and metadata are those that are known; the hashes of PARStore's \
                model are not, so an Apple program may refuse to open the log. To write for one, \
                start from a package that it made.
                """)
        @OptionGroup var store: PathArgument
        @Option(
            help: ArgumentHelp(
                "The form of its logs: tideline-2 or parstore-1.", valueName: "format"),
            transform: {
                guard let format = LogFormat(rawValue: $0) else {
                    throw ValidationError("There is no format '\($0)': tideline-2 or parstore-1")
                }
                return format
            })
        var format = LogFormat.tideline2
        @OptionGroup var device: DeviceOption

        func run() throws {
            try NewPackage.make(
                store.path, asParstoreOf: format == .parstore1 ? device.forWriting() : nil)
        }
    }
}
