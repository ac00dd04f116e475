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
        @Option(help: "The entity's type: what kind of thing it is.") var type: String
        @Option(parsing: .unconditional, help: "Its identifier; by default a random UUID.")
        var id: String?
        @Argument(help: "Properties, KEY=VALUE.") var properties: [Pair] = []
        @OptionGroup var valueType: ValueOption
        @OptionGroup var device: DeviceOption

        func run() async throws {
            var dictionary = PropertyDictionary()
            for pair in properties {
                guard dictionary[pair.key] == nil else {
                    throw Failure(.usage, "add", "\(pair.key) is given twice")
                }
                dictionary[pair.key] = Property(try valueType.entityValue(pair.value))
            }
            let made = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                try await store.add([(.new(type, identifier: id), dictionary)])
            }
            Output.text(made[0].identifier ?? "")
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a property a value.",
            discussion: """
                The older value stays in the history. With --append it also stays a value, one of \
                many.
                Example: tideline entities set Notes.store test-person age 21 --as integer
                """, helpNames: .long)
        @OptionGroup var store: PathArgument
        @Argument(help: "The entity's identifier.") var id: String
        @Argument(help: "The property's name.") var key: String
        @OptionGroup var value: ValueArgument
        @OptionGroup var type: ValueOption
        @Option(help: "The semantic type: what the value means.") var tag: String?
        @Flag(help: "One more value, beside those that are there.") var append = false
        @OptionGroup var device: DeviceOption

        func run() async throws {
            var properties = PropertyDictionary()
            properties[key] = Property(try type.entityValue(value.text), type: tag)
            let change = [(entity: EntityReference.identifier(id), properties: properties)]
            _ = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                append ? try await store.add(change) : try await store.set(change)
            }
        }
    }

    struct Unset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a property with all its values, or one value of several.",
            discussion: """
                Example: tideline entities unset Notes.store test-book author --value test-person
                """)
        @OptionGroup var store: PathArgument
        @Argument(help: "The entity's identifier.") var id: String
        @Argument(help: "The property's name.") var key: String
        @Option(
            parsing: .unconditional,
            help: """
                Only the value that is written so: a string, number, boolean, date, or the \
                identifier that a relationship points to.
                """)
        var value: String?
        @OptionGroup var device: DeviceOption

        func run() async throws {
            _ = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                let reference = EntityReference.identifier(id)
                let removal =
                    if let value {
                        try await store.remove(
                            values: EntityValue.spelled(value), key: key, of: reference)
                    } else {
                        try await store.remove([key], of: [reference])
                    }
                guard !removal.isEmpty else {
                    throw Failure(
                        .noAnswer, "unset \(key) of \(id)",
                        value == nil ? "no such property" : "no such value")
                }
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an entity, its properties and the relationships to it.",
            discussion: "Example: tideline entities delete Notes.store test-book")
        @OptionGroup var store: PathArgument
        @Argument(help: "The entity's identifier.") var id: String
        @OptionGroup var device: DeviceOption

        func run() async throws {
            _ = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                guard try await store.delete([.identifier(id)]).entityCount > 0 else {
                    throw Failure(.noAnswer, "delete \(id)", "no such entity")
                }
            }
        }
    }

    struct Relate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Point from one entity to another.",
            discussion: """
                A property may point to many: each relate adds one.
                Example: tideline entities relate Notes.store test-book author test-person
                """)
        @OptionGroup var store: PathArgument
        @Argument(help: "The entity's identifier.") var id: String
        @Argument(help: "The property's name.") var key: String
        @Argument(help: "The identifier of the other entity.") var target: String
        @Option(help: "The kind of relationship.") var tag: String?
        @OptionGroup var device: DeviceOption

        func run() async throws {
            _ = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                try await store.relate(
                    [(.identifier(id), .identifier(target))], key: key, type: tag)
            }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print all entities in the interchange format, as JSON.",
            discussion: "Example: tideline entities export Notes.store > notes.json")
        @OptionGroup var store: PathArgument
        @Flag(help: "Current values only, written as plainly as possible.") var compact = false
        @Option(help: "Only entities of this type.") var type: String?

        func run() async throws {
            let store = try await Opened.reading(EntitiesPart.self, of: self.store.path)
            let query = EntityQuery(types: type.map { [Name($0)] })
            Output.bytes(try await store.export(compact ? .compact : .normalised, query))
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take in entities in the interchange format: all of the file or nothing.",
            discussion: "Example: tideline entities import Notes.store notes.json")
        @OptionGroup var store: PathArgument
        @Argument(help: "A JSON file, - for standard input.", completion: .file()) var file: String
        @OptionGroup var device: DeviceOption

        func run() async throws {
            let data = try InputFile.data(file)
            let summary = try await Opened.writing(
                EntitiesPart.self, of: store.path, as: device
            ) { store in
                do {
                    return try await store.importInterchange(data)
                } catch let error as EntityStoreError {
                    throw Failure(error, while: file == "-" ? "standard input" : file)
                }
            }
            for note in summary.notes { Output.note("tideline: \(note)") }
            Output.note(
                Counted.text(summary.madeCount, "entity", "entities")
                    + " made, \(summary.changedCount) changed, "
                    + "\(Counted.text(summary.entryCount, "value")) added, "
                    + "\(summary.knownCount) there already")
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a new empty store package.",
            discussion: "Example: tideline entities create Notes.store")
        @OptionGroup var store: PathArgument

        func run() throws { try NewPackage.make(store.path) }
    }
}

extension ValueOption {
    /// The value of a property that the command line gives by type and text.
    fileprivate func entityValue(_ text: String) throws -> EntityValue {
        try Failure.of("--as \(type)") {
            if type == "json" { return try TypedText(.json, text).entityValue() }
            return try EntityValue(try value(text))
        }
    }
}
