import ArgumentParser
import CommandSupport
import EntityStore
import Replication
import TidelineCore

struct EntityCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "entities",
        abstract: "Read and write entities, their properties and relationships.",
        discussion: """
            PATH is a package, one device's Entities.db, or a .sqlite file of the original \
            Datastore. The last two are read-only.

            Example: tideline entities list Notes.store --type person --where city=Kyoto
            """,
        subcommands: [
            List.self, Show.self, Add.self, Set.self, Unset.self, Delete.self, Relate.self,
            Related.self, Export.self, Import.self, Create.self,
        ])

    /// `KEY=VALUE`.
    struct Pair: ExpressibleByArgument {
        let key: String
        let value: String

        init?(argument: String) {
            // A combining character at the start of the value forms one `Character` with the sign.
            let scalars = argument.unicodeScalars
            guard let sign = scalars.firstIndex(of: "="), sign > scalars.startIndex else {
                return nil
            }
            key = String(scalars[..<sign])
            value = String(scalars[scalars.index(after: sign)...])
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List entities, oldest first.",
            discussion: """
                VALUE is a string, or the printed form of a number, boolean, date or relationship. \
                --format prints current values. 'entities import' reads these formats, except SQL. \
                In CSV and TSV, each property is a column NAME:TYPE.

                Example: tideline entities list Notes.store --where author=test-person
                Example: tideline entities list Notes.store --type book --format csv > books.csv
                """)
        @OptionGroup var store: PathArgument
        @Option(parsing: .unconditional, help: "Only entities of this type.") var type: String?
        @Option(
            name: .customLong("where"), parsing: .unconditionalSingleValue,
            help: "Only entities whose property KEY has VALUE; may be repeated.")
        var conditions: [Pair] = []
        @Option(
            parsing: .unconditional,
            help: "Only entities with words that start with this text.")
        var text = ""
        @Option(parsing: .unconditional, help: "Sort by this property.") var order: String?
        @Flag(help: "Reverse the order.") var descending = false
        @Option(help: "The maximum number of entities.") var limit: Int?
        @OptionGroup var format: RowFormat

        func validate() throws {
            if let limit, limit < 0 { throw ValidationError("--limit must not be negative") }
        }

        func run() async throws {
            let store = try await ModelOpener.reading(EntitiesPart.self, of: self.store.path)
            let query = EntityQuery(
                types: type.map { [Name($0)] },
                where: conditions.map { .isIn($0.key, EntityValue.spelled($0.value)) },
                text: text,
                order: order.map { [EntityOrder($0, descending: descending)] } ?? [])
            let total = min(try await store.count(query), limit ?? .max)
            // Read in windows, so that output starts early.
            func forEach(_ body: (EntityRecord) throws -> Void) async throws {
                let size = 1_000
                for start in stride(from: 0, to: total, by: size) {
                    let window = try await store.window(
                        query, from: start, count: min(size, total - start))
                    for record in window.records { try body(record) }
                }
            }
            guard let chosen = format.chosen else {
                var table = Table("IDENTIFIER", "TYPE", "MODIFIED", "PROPERTIES")
                try await forEach { record in
                    table.add(
                        record.identifier, record.type, record.modified.iso8601,
                        record.properties.map { "\($0.key)=\($0.property.value.line)" }
                            .joined(separator: " "))
                }
                return table.print()
            }
            var columns = EntityColumns(chosen)
            if columns.needsProperties { try await forEach { columns.add($0) } }
            var output = RowOutput(format, sql: format.names("entities", columns.names))
            try await forEach { output.add(columns.record($0)) }
            output.end(names: columns.names)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show an entity; with --history, all its earlier values too.",
            discussion: "Example: tideline entities show Notes.store test-book --history",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var identifier: LastArguments<IdentifierName>
        @Flag(help: "Show every entry of every property, newest first.") var history = false
        @OptionGroup var json: JSONFlag

        private var id: String { identifier.text }

        func run() async throws {
            let store = try await ModelOpener.reading(EntitiesPart.self, of: self.store.path)
            let reference = EntityReference.identifier(id)
            guard let record = try await store.records(of: [reference])[0] else {
                try Failure.refuseEmpty(id, to: "show", "identifier")
                throw await Failure.missing("show \(id)", "no such entity", among: store.devices)
            }
            let entries = history ? try await store.entries(of: [reference])[0] : []
            if json.json {
                guard case .object(var members) = record.json else { return }
                if history { members["history"] = .array(entries.map(\.json)) }
                Output.json(.object(members))
                return
            }
            Output.text(
                "\(Printable.line(record.identifier)): \(Printable.line(record.type)), "
                    + "created \(record.datestamp.iso8601), modified \(record.modified.iso8601)")
            if history {
                var table = Table("KEY", "TYPE", "DATE", "DEVICE", "", "VALUE")
                for entry in entries {
                    table.add(
                        entry.key, entry.property.type, entry.property.datestamp?.iso8601 ?? "",
                        entry.id.device.name,
                        entry.isCurrent ? "current" : entry.isRemoved ? "deleted" : "",
                        entry.property.value.line)
                }
                table.print()
            } else {
                var table = Table("KEY", "TYPE", "DEVICE", "VALUE")
                for element in record.properties {
                    table.add(
                        element.key, element.property.type,
                        element.property.device?.name ?? "", element.property.value.line)
                }
                table.print()
            }
        }
    }

    struct Related: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the relationships of an entity.",
            discussion: "Example: tideline entities related Notes.store test-person --incoming",
            helpNames: .long)
        @OptionGroup var store: PathArgument
        @OptionGroup var identifier: LastArguments<IdentifierName>
        @Flag(help: "List the relationships to the entity.") var incoming = false
        @OptionGroup var json: JSONFlag

        private var id: String { identifier.text }

        func run() async throws {
            let store = try await ModelOpener.reading(EntitiesPart.self, of: self.store.path)
            let reference = EntityReference.identifier(id)
            let relations =
                incoming
                ? try await store.relations(to: [reference])[0]
                : try await store.relations(from: [reference])[0]
            if relations.isEmpty, try await store.resolve([reference]) == [nil] {
                try Failure.refuseEmpty(id, to: "related", "identifier")
                throw await Failure.missing("related \(id)", "no such entity", among: store.devices)
            }
            var table = Table(
                "SOURCE", "KEY", "TARGET", "TYPE", "DATE", "DEVICE", isJSON: json.json)
            for relation in relations {
                table.add(
                    relation.source.identifier ?? "", relation.key,
                    (relation.target.identifier ?? "")
                        + (relation.isTargetMissing ? " (missing)" : ""),
                    relation.type, relation.datestamp.iso8601, relation.device.name,
                    json: relation.json)
            }
            table.print()
        }
    }
}
