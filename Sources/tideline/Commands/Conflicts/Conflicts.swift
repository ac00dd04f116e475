import ArgumentParser
import CommandSupport
import DocumentStore
import EntityStore
import KeyValueStore
import LosslessJSON
import Replication
import TidelineCore

struct Conflicts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the conflicts of keys, entity properties and places in documents.",
        discussion: """
            Resolve conflicts of keys with 'tideline resolve', of properties with \
            'tideline entities set', and of documents with 'tideline docs set'.

            Example: tideline conflicts Notes.store --json
            """)
    @OptionGroup var store: PathArgument
    @OptionGroup var json: JSONFlag

    func run() async throws {
        let ignored = try IgnoredConflicts(ofStoreAt: self.store.path)
        let store = try await ModelOpener.reading(KeyValuePart.self, of: self.store.path)
        let conflicts = try store.conflicts()
        for conflict in conflicts {
            for (device, problem) in conflict.unread.sorted(by: { $0.key < $1.key }) {
                Output.note(
                    "tideline: \(Printable.line(conflict.key)): the log of \(device) "
                        + "can't be read: \(Printable.line(problem))")
            }
        }
        if json.json {
            try printJSON(conflicts, of: store, ignored)
        } else {
            for conflict in conflicts { print(conflict, ignored) }
        }
        try await listEntities(ignored)
        try await listDocuments()
    }

    private func printJSON(
        _ conflicts: [KeyValueStore.Conflict], of store: KeyValueStore,
        _ ignored: IgnoredConflicts
    ) throws {
        let rows: [[LogRow]] = conflicts.map { $0.rows + ($0.base.map { [$0] } ?? []) }
        let parents = try store.parents(of: Array(rows.joined()))
        var firsts: [Int] = []
        var count = 0
        for rows in rows {
            firsts.append(count)
            count += rows.count
        }
        let starts = firsts
        Output.lines(conflicts.count) { number in
            let start = starts[number]
            let conflict = conflicts[number]
            return conflict.line(
                parents[start..<start + rows[number].count], isIgnored: ignored.contain(conflict))
        }
    }

    private func print(_ conflict: KeyValueStore.Conflict, _ ignored: IgnoredConflicts) {
        Output.text(
            Printable.line(conflict.key) + (conflict.isPossible ? "  (possible)" : "")
                + (ignored.contain(conflict) ? "  (ignored)" : ""))
        print("wins", conflict.winner)
        for row in conflict.others { print("also", row) }
        if let base = conflict.base { print("base", base) }
    }

    private func listEntities(_ ignored: IgnoredConflicts) async throws {
        guard case .package(let package)? = try? StoreKind(of: store.path),
            EntitiesPart.isPresent(in: package)
        else { return }
        let entities = try await ModelOpener.reading(EntitiesPart.self, of: store.path)
        for conflict in await entities.conflicts() {
            let isIgnored = ignored.contain(
                ConflictPlace(
                    part: PaneID.entities.part, row: RowID(conflict.identifier),
                    property: FieldPath(conflict.key)),
                conflict.sides.map { ($0.author, $0.set) })
            if json.json {
                let sides = conflict.sides.map(\.jsonOfSide)
                Output.json([
                    "entity": .string(conflict.identifier), "type": .string(conflict.type),
                    "key": .string(conflict.key), "winner": sides.first ?? .null,
                    "others": .array(Array(sides.dropFirst())),
                    "base": conflict.base?.jsonOfSide ?? .null, "ignored": .boolean(isIgnored),
                ])
            } else {
                Output.text(
                    Printable.line("\(conflict.identifier) \(conflict.key)")
                        + (isIgnored ? "  (ignored)" : ""))
                let types = conflict.distinguishingTypes(\.text)
                for (place, side) in conflict.sides.enumerated() {
                    print(place == 0 ? "wins" : "also", side, type: types[place])
                }
                if let base = conflict.base { print("base", base) }
            }
        }
    }

    private func listDocuments() async throws {
        guard case .package(let package)? = try? StoreKind(of: store.path),
            try package.devices().contains(where: { $0.has(.documents) }),
            let documents = try await OpenDocuments.reading(store.path)
        else { return }
        documents.forEachDocument { summary, opened in
            let id = documents.text(of: summary.id)
            do {
                if let document = try opened.get() {
                    Warnings.report(documents.problems(of: summary.id)?.lines ?? [], id)
                    try list(DocumentView(document, in: documents), summary, of: documents)
                }
            } catch {
                // The other documents are still listed.
                Output.note("tideline: \(Failure(error, while: id).why)")
            }
        }
    }

    private func list(
        _ view: DocumentView, _ document: DocumentSummary, of store: AutomergeStore
    ) throws {
        let id = store.text(of: document.id)
        let title = store.title(of: document, in: store.workspaceSummary(document.workspace))
        let unlisted = try view.forEachConflict { conflict in
            if json.json {
                Output.json(conflict.json(inDocument: id))
            } else {
                Output.text(Printable.line("\(title) \(conflict.pointer)"))
                ListDocumentConflicts.print(conflict)
            }
        }
        if let problem = DocumentView.unlisted(unlisted) {
            Output.note("tideline: \(id): \(problem)")
        }
    }

    /// Prints a side of a conflict.
    ///
    /// - Parameter type: The value's type; `nil` to omit it.
    private func print(_ label: String, _ entry: PropertyEntry, type: String? = nil) {
        print(
            label, entry.author, entry.authored,
            entry.property.value.text + (type.map { "  (\($0))" } ?? ""))
    }

    private func print(_ label: String, _ row: LogRow) {
        print(label, row.device, row.timestamp, row.valueText)
    }

    private func print(_ label: String, _ device: DeviceID, _ time: Timestamp, _ value: String) {
        Output.text(Printable.line("  \(label)  \(device)  \(time.iso8601)  \(value)"))
    }
}

/// The conflicts of a store that the user ignores.
private struct IgnoredConflicts: Sendable {
    private let marks: [ConflictPlace: IgnoredConflict]

    init(ofStoreAt path: String) throws {
        marks = try Failure.of("ignored conflicts") {
            try UserState().ignoredConflicts(ofStoreAt: path).marks()
        }
    }

    func contain(_ conflict: KeyValueStore.Conflict) -> Bool {
        contain(
            ConflictPlace(part: PaneID.keys.part, row: RowID(conflict.key)),
            conflict.rows.map { ($0.device, $0.timestamp) })
    }

    func contain(
        _ place: ConflictPlace, _ sides: [(device: DeviceID, instant: Timestamp)]
    ) -> Bool {
        marks[place]?.isAbout(sides) ?? false
    }
}

extension KeyValueStore.Conflict {
    /// Returns the conflict as a line of JSON in the documented form, with sorted members.
    ///
    /// - Parameter parents: The causal parents of each row of the conflict.
    fileprivate func line(
        _ parents: ArraySlice<[LogRow.Parent]>, isIgnored: Bool
    ) -> String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.key("base")
            if let base, let parents = parents.last {
                base.write(parents, to: &writer)
            } else {
                writer.null()
            }
            writer.key("ignored")
            writer.boolean(isIgnored)
            writer.key("key")
            writer.string(key)
            writer.key("others")
            writer.array { writer in
                for (row, parents) in zip(others, parents.dropFirst()) {
                    row.write(parents, to: &writer)
                }
            }
            writer.key("possible")
            writer.boolean(isPossible)
            writer.key("winner")
            winner.write(parents.first ?? [], to: &writer)
        }
        return writer.text
    }
}
