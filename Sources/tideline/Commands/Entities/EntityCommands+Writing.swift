import ArgumentParser
import CommandSupport
import EntityStore
import Foundation
import Replication
import TidelineCore

extension EntityCommands {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an entity and print its identifier.",
            discussion: """
                Example: tideline entities add Notes.store --type person name=Anna city=Kyoto
                """)
        @OptionGroup var store: PathArgument
        @Option(parsing: .unconditional, help: "The type of the entity.") var type: String
        @Option(parsing: .unconditional, help: "The identifier (default: a random UUID).")
        var id: String?
        @Argument(help: "Properties, each as KEY=VALUE.") var properties: [Pair] = []
        @OptionGroup var valueType: ValueOption
        @OptionGroup var device: DeviceOption

        func run() async throws {
            var dictionary = PropertyDictionary()
            for pair in properties {
                guard dictionary[pair.key] == nil else {
                    throw Failure(.invalidRequest, "add", "\(pair.key) is set twice")
                }
                dictionary[pair.key] = Property(try valueType.entityValue(pair.value))
            }
            Output.text(
                try await EditRunner.entity(
                    of: store, as: device, .make(type: type, identifier: id, dictionary), "add"))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a property of an entity.",
            discussion: """
                Earlier values stay in the history. With --append, the other values of the \
                property also stay current.

                Example: tideline entities set Notes.store test-person age 21 --as integer
                """, helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var words: LastArguments<Words>
        @OptionGroup var type: ValueOption
        @Option(parsing: .unconditional, help: "The semantic type of the value.") var tag: String?
        @Flag(help: "Add a value and keep the existing ones.") var append = false
        @OptionGroup var device: DeviceOption

        enum Words: ArgumentNames {
            static let names = ["id", "key", "value"]
            static let help = """
                The entity's identifier; the property's name; and the value. With --as plist the \
                value is a file, or - for standard input. Put -- before a value that starts with \
                two dashes.
                """
        }

        func run() async throws {
            let given = try words.texts()
            let (id, key, value) = (given[0], given[1], given[2])
            var properties = PropertyDictionary()
            properties[key] = Property(try type.entityValue(value), type: tag)
            try await EditRunner.entity(
                of: store, as: device, .set(.identifier(id), properties, keepsOthers: append),
                "set",
                prepare: { store in
                    guard !type.isGiven, !append else { return }
                    let record = try await store.records(of: [.identifier(id)], keys: [key])[0]
                    if let old = record?[value: key] {
                        Warnings.reportString(replacing: old.typeName, at: "\(key) of \(id)")
                    }
                })
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a property with all its values, or one of several values.",
            discussion: """
                Example: tideline entities unset Notes.store test-book tags --value fiction
                """, helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var words: LastArguments<Words>
        @Option(
            parsing: .unconditional,
            help: """
                Delete only this value: a string, number, boolean, date, or the identifier of a \
                related entity.
                """)
        var value: String?
        @OptionGroup var device: DeviceOption

        enum Words: ArgumentNames {
            static let names = ["id", "key"]
            static let help = "The entity's identifier, and the property's name."
        }

        func run() async throws {
            let given = try words.texts()
            let (id, key) = (given[0], given[1])
            let edit: EntityEdit =
                if let value {
                    .removeValues(EntityValue.spelled(value), key: key, of: .identifier(id))
                } else {
                    .remove(keys: [key], of: .identifier(id))
                }
            try await EditRunner.entity(of: store, as: device, edit, "unset") { error, store in
                guard error.code == .unchanged else { return }
                throw await Failure.missing(
                    "unset \(key) of \(id)",
                    value == nil ? "no such property" : "no such value", among: store.devices)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an entity with its properties and the relationships to it.",
            discussion: "Example: tideline entities delete Notes.store test-book",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var identifier: LastArguments<IdentifierName>
        @OptionGroup var device: DeviceOption

        private var id: String { identifier.text }

        func run() async throws {
            try await EditRunner.entity(
                of: store, as: device, .delete([.identifier(id)]), "delete"
            ) { error, store in
                guard error.code == .notFound else { return }
                try Failure.refuseEmpty(id, to: "delete", "identifier")
                throw await Failure.missing(
                    "delete \(id)", "no such entity", among: store.devices)
            }
        }
    }

    struct Relate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a relationship from one entity to another.",
            discussion: """
                A property can have many relationships. Each call adds one relationship.

                Example: tideline entities relate Notes.store test-book author test-person
                """, helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var words: LastArguments<Words>
        @Option(parsing: .unconditional, help: "The kind of relationship.") var tag: String?
        @OptionGroup var device: DeviceOption

        enum Words: ArgumentNames {
            static let names = ["id", "key", "target"]
            static let help = """
                The entity's identifier, the property's name, and the identifier of the other \
                entity.
                """
        }

        func run() async throws {
            let given = try words.texts()
            let (id, key, target) = (given[0], given[1], given[2])
            var properties = PropertyDictionary()
            properties[key] = Property(.relationship(.identifier(target)), type: tag)
            try await EditRunner.entity(
                of: store, as: device, .set(.identifier(id), properties, keepsOthers: true),
                "relate")
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print all entities in the interchange format (JSON).",
            discussion: "Example: tideline entities export Notes.store > notes.json")
        @OptionGroup var store: PathArgument
        @Flag(help: "Print only current values, in the shortest form.") var compact = false
        @Option(parsing: .unconditional, help: "Only entities of this type.") var type: String?

        func run() async throws {
            let store = try await ModelOpener.reading(EntitiesPart.self, of: self.store.path)
            let query = EntityQuery(types: type.map { [Name($0)] })
            Output.bytes(try await store.export(compact ? .compact : .normalized, query))
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a file of entities. If one is invalid, none is imported.",
            discussion: """
                FILE is in the interchange format, or it has one row per entity: a CSV or TSV \
                file, JSON Lines, or a JSON array of objects. The columns identifier, type and \
                datestamp describe the entity. Every other column is a property. The name of the \
                column can contain the type of the property, after a colon (born:integer). Without \
                a type, the type is derived from the values. To remove a property, write null in \
                JSON, and an empty field in CSV and TSV; the \
                field "" is an empty text.

                Example: tideline entities import Notes.store notes.json
                Example: tideline entities import Notes.store people.csv --type person
                """)
        @OptionGroup var store: PathArgument
        @OptionGroup var source: ImportSource
        @Option(
            parsing: .unconditional,
            help: "The type of the entities that have no type in the file.")
        var type: String?
        @OptionGroup var device: DeviceOption

        func run() async throws {
            let summary = try await ModelOpener.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                do {
                    switch try content() {
                    case .rows(let rows): return try await store.setProperties(of: rows.interchange)
                    case .interchange(let entities):
                        return try await store.importInterchange(entities)
                    }
                } catch let error as EntityStoreError {
                    throw Failure(error, while: source.name)
                }
            }
            for note in summary.notes { Output.note("tideline: \(note)") }
            Output.note(
                Counted.text(summary.madeCount, "entity", "entities")
                    + " created, \(Counted.grouped(summary.changedCount)) changed, "
                    + "\(Counted.text(summary.entryCount, "value")) added, "
                    + "\(Counted.grouped(summary.knownCount)) already present"
                    + (summary.removedCount == 0
                        ? "" : ", \(Counted.grouped(summary.removedCount)) deleted"))
        }

        /// Reads the file, and prints the inferred types.
        private func content() throws -> Content {
            let content = try source.read { rows in
                Content.rows(try EntityImport(rows, type: type))
            } object: {
                Content.interchange(try EntityInterchange($0))
            }
            if case .rows(let rows) = content {
                for (name, kind) in rows.inferredKinds {
                    Output.note("tideline: \(Printable.line(name)): \(kind.rawValue)")
                }
            }
            return content
        }

        private enum Content {
            case rows(EntityImport)
            case interchange(EntityInterchange)
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an empty store package.",
            discussion: "Example: tideline entities create Notes.store")
        @OptionGroup var store: PathArgument

        func run() throws { try NewPackage.make(store.path) }
    }
}

extension ValueOption {
    /// Parses the value of a property with the given type.
    fileprivate func entityValue(_ text: String) throws -> EntityValue {
        try Failure.of("--as \(type)") {
            guard type == "plist" else {
                return try typed(text).value()
            }
            guard let value = EntityValue(converting: try value(text)) else {
                throw EditError(.invalid, "it has an integer that is too large for a property")
            }
            return value
        }
    }
}
