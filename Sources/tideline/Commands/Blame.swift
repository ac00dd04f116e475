import ArgumentParser
import CommandSupport
import KeyValueStore
import Replication
import TidelineCore

struct Blame: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print which device wrote each part of a text.",
        discussion: """
            NAME is a key. With --entity, it is a property (default: all). With --document, it is \
            a JSON Pointer (default: the whole document). In keys and properties, the versions \
            that the logs contain are compared word by word. In documents, the writer of every \
            character is recorded.

            Example: tideline blame Notes.store note/1/title
            Example: tideline blame Notes.store text --entity note-7 --json
            Example: tideline blame Notes.automerge /text
            """,
        helpNames: .long)
    @OptionGroup var store: PathArgument
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The key, property or JSON Pointer.", valueName: "name"))
    var words: [String] = []
    @Option(parsing: .unconditional, help: "The entity that has the property.") var entity: String?
    @Option(
        parsing: .unconditional,
        help: """
            The document: its identifier, the start of its identifier, or the name of its \
            workspace. Not needed for a file, or for a store with only one document.
            """)
    var document: String?
    @Option(
        parsing: .unconditional,
        help: TimeArgument.help("Print the text as it was at this time"),
        transform: TimeArgument.parse)
    var at: TimeArgument?
    @OptionGroup var json: JSONFlag

    func validate() throws {
        _ = try name()
        guard entity == nil || document == nil else {
            throw ValidationError("specify --entity or --document")
        }
    }

    private func name() throws -> String? { try ArgumentWords(words).checked().first }

    func run() async throws {
        let written = try await writtenTexts()
        if written.hasUnknownWriters {
            Output.note(
                "tideline: some writers are unknown: earlier values are missing from the logs, "
                    + "or are too many to compare")
        }
        if written.isCut {
            Output.note("tideline: only the first \(written.texts.count) parts are listed")
        }
        let package = try? StoreKind.package(at: store.path)
        BlamePrinter(isJSON: json.json, names: package?.deviceNames() ?? [:]).print(written)
    }

    private func writtenTexts() async throws -> WrittenTexts {
        let name = try name()
        let kind = try Failure.of(store.path) { try StoreKind(of: store.path) }
        if document != nil || kind.isAutomergeFile || kind.place is DocumentPlace {
            return try await ofDocument(name ?? "")
        }
        if let entity {
            return try await texts(
                EntitiesPart.self, .entities, entity, part: name.map { FieldPath($0) })
        }
        guard let name else {
            throw Failure(.invalidRequest, store.path, "specify a key, --entity or --document")
        }
        return try await texts(KeyValuePart.self, .keys, name, part: nil)
    }

    private func texts<Part: StandalonePart>(
        _ model: Part.Type, _ pane: PaneID, _ row: String, part: FieldPath?
    ) async throws -> WrittenTexts {
        let session = try await ModelOpener.session(model, of: store.path)
        let source = session.panes.first { $0.id == pane }?.source
        guard let source else {
            throw Failure.missing(
                "blame \(row)", "no such \(pane == .keys ? "key" : "entity")", in: session.status)
        }
        guard source.hasAuthors else {
            throw Failure(.badData, store.path, "this file doesn't record the writers of values")
        }
        let written = try await Failure.of(store.path) {
            try await source.writtenTexts(of: RowID(row), part: part, at: at?.timestamp)
        }
        if let written { return written }
        let kind = pane == .keys ? "key" : "entity"
        try Failure.refuseEmpty(row, to: "blame", kind)
        let place = part.map { "\(row) \($0.property)" } ?? row
        throw Failure.missing(
            "blame \(place)",
            "no such \(part == nil ? kind : "property")" + (at == nil ? "" : " at this time"),
            in: session.status)
    }

    private func ofDocument(_ pointer: String) async throws -> WrittenTexts {
        let view = try await OpenDocuments.view(document, of: store.path)
        return try Failure.of(store.path) {
            try view.writtenTexts(at: pointer, asOf: at?.timestamp, name: \.name)
        }
    }
}

/// Prints texts with the writer of each part.
private struct BlamePrinter {
    let isJSON: Bool
    let isColored = Output.hasColors
    /// The known display names of devices.
    let names: [DeviceID: String]

    private func name(of author: Author, in written: WrittenTexts) -> String {
        if case .device(let device) = author, let name = names[device] { return name }
        return written.name(of: author)
    }

    func print(_ written: WrittenTexts) {
        if isJSON { return printJSON(written) }
        let shares = written.shares
        let colors = Dictionary(
            keepingFirst: shares.enumerated().map {
                ($1.author, Self.colors[$0 % Self.colors.count])
            })
        func colored(_ text: String, _ author: Author) -> String {
            "\u{1B}[\(colors[author] ?? 0)m\(text)\u{1B}[0m"
        }
        if isColored {
            for (author, share) in shares {
                let name = Printable.line(name(of: author, in: written))
                Output.line(colored("\(name)  \(FractionText.percentage(share))", author))
            }
            if !shares.isEmpty { Output.line("") }
        }
        for text in written.texts {
            if !text.label.isEmpty { Output.text(Printable.line(text.label)) }
            let indent = text.label.isEmpty ? "" : "  "
            for line in text.lines {
                if isColored {
                    let parts = line.map { colored(Printable.line($0.text), $0.author) }
                    Output.line(indent + parts.joined())
                } else {
                    for part in line {
                        let name = name(of: part.author, in: written)
                        Output.text(Printable.line("\(indent)\(name): \(part.text)"))
                    }
                }
            }
        }
    }

    private static let colors = [36, 33, 35, 32, 34, 31, 96, 93, 95, 92, 94, 91]

    private func printJSON(_ written: WrittenTexts) {
        for text in written.texts {
            for part in text.parts {
                let author = part.writer.author
                var line: [Name: JSONValue] = [
                    "device": author == .unknown ? .null : .string(author.name),
                    "name": author == .unknown ? .null : .string(name(of: author, in: written)),
                    "text": .string(part.text),
                    "timestamp": .optional(part.writer.instant?.microseconds),
                    "date": .optional(part.writer.instant?.iso8601),
                ]
                if !text.label.isEmpty { line["part"] = .string(text.label) }
                Output.json(.object(line))
            }
        }
    }
}
