import ArgumentParser
import CommandSupport
import Foundation
import Replication
import TidelineCore

struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undo an edit made on this machine, or list the edits.",
        discussion: """
            The change journal contains the edits that you made as this device in the browser or \
            with commands such as 'tideline kv set'. Imports and merges are not in the journal. \
            Without ENTRY, undoes the newest edit that is not undone yet. Each undo is an entry, \
            too. To redo the edit, undo that entry.

            Example: tideline undo Notes.store --list
            """)
    @OptionGroup var store: PathArgument
    @Argument(help: "The entry to undo, or the start of its identifier.") var entry: String?
    @Flag(help: "List the edits, newest first.") var list = false
    @OptionGroup var json: JSONFlag
    @OptionGroup var device: DeviceOption

    func validate() throws {
        guard !list || entry == nil else { throw ValidationError("--list takes no entry") }
        guard list || !json.json else { throw ValidationError("--json requires --list") }
    }

    func run() async throws {
        let journal = try history()
        guard !list else { return printEntries(of: journal) }
        let entry = try subject(in: journal)
        let models = Set(entry.applied.undo.compactMap(\.undoneModel))
        try await EditRunner.store(store.path, as: device, models: models) { editor in
            let direction: UndoHistory.Direction = entry.direction == .undo ? .redo : .undo
            let pane = editor.paneName(undoing: entry)
            let previews: [EditPreview]
            do {
                let source = try editor.source(ofPane: pane)
                previews = try await source.previews(of: entry.applied.undo, typedOver: nil)
            } catch {
                throw failure(error, undoing: entry, in: journal)
            }
            EditRunner.print(previews)
            let applied = try await editor.apply(
                previews, pane: pane, direction, subject: entry.id)
            Output.note(
                "\(direction == .undo ? "undone" : "redone"): "
                    + Printable.line(
                        journal.summary(ofSubject: entry.subject) ?? entry.applied.undoneSummary))
            return applied
        }
    }

    private func history() throws -> UndoHistory {
        _ = try Failure.of(store.path) { try StoreKind(of: store.path) }
        let own = try device.forBrowser(of: store.path, isReadOnly: true)
        var history = UndoHistory()
        history.read(
            try Failure.of("change journal") {
                try UserState().journal(ofStoreAt: store.path, by: own).entries()
            })
        return history
    }

    private func subject(in journal: UndoHistory) throws -> UndoHistory.Entry {
        guard let entry else {
            guard let last = journal.nextToUndo else {
                throw Failure(.noSuchItem, "undo", "there is no edit to undo")
            }
            do {
                return try checked(last, in: journal)
            } catch {
                throw failure(error, undoing: last, in: journal)
            }
        }
        try Failure.refuseEmpty(entry, to: "undo", "entry")
        let found = journal.entries.filter { $0.name.hasPrefix(entry.lowercased()) }
        guard let first = found.first else {
            throw Failure(
                .noSuchItem, "undo \(entry)", "no such entry",
                suggestion: "list the entries with 'tideline undo \(store.path) --list'")
        }
        guard found.count == 1 else {
            throw Failure(
                .invalidRequest, "undo \(entry)", "\(found.count) entries start with this text")
        }
        return try checked(first, in: journal)
    }

    /// Returns the failure to undo an entry. If the command names no entry, the same edit would fail
    /// each time, so the failure suggests an older edit.
    private func failure(
        _ error: any Error, undoing entry: UndoHistory.Entry, in journal: UndoHistory
    ) -> Failure {
        let failure = Failure(error, while: store.path)
        guard self.entry == nil, failure.suggestion == nil,
            let older = journal.undoable.last(where: { $0.id != entry.id })
        else { return failure }
        let naming = ShellCommand.line("tideline", "undo", store.path, older.shortName)
        let listing = ShellCommand.line("tideline", "undo", store.path, "--list")
        return Failure(
            failure.category, failure.what, failure.why,
            suggestion: "to undo the edit before it: \(naming); to list all edits: \(listing)")
    }

    private func checked(
        _ entry: UndoHistory.Entry, in journal: UndoHistory
    ) throws -> UndoHistory.Entry {
        let what = "undo \(entry.shortName)"
        guard !journal.isUndone(entry) else {
            throw Failure(.noSuchItem, what, "already undone")
        }
        guard !entry.applied.undo.isEmpty else {
            throw Failure(.noSuchItem, what, entry.reason ?? "it can't be undone")
        }
        let models = entry.applied.undo.compactMap(\.undoneModel)
        guard models.allSatisfy({ model in PaneID.standard.contains { $0.part == model } }) else {
            throw Failure(.noSuchItem, what, "another version of this program wrote this entry")
        }
        return entry
    }

    // MARK: The list

    private func printEntries(of journal: UndoHistory) {
        var table = Table("ENTRY", "DATE", "STATE", "PANE", "EDIT", isJSON: json.json)
        for entry in journal.entries.reversed() {
            let state =
                journal.isUndone(entry)
                ? "undone" : entry.applied.undo.isEmpty ? "final" : "done"
            table.add(
                entry.shortName, Timestamp(entry.applied.date).iso8601, state, entry.pane,
                entry.direction.title + entry.applied.summary
                    + (entry.applied.changes.shortChange.map { ": \($0)" } ?? ""),
                json: entry.json(state: state))
        }
        table.print()
    }
}

extension UndoHistory.Entry {
    fileprivate var name: String { id.uuidString.lowercased() }
    fileprivate var shortName: String { String(name.prefix(8)) }

    fileprivate func json(state: String) -> JSONValue {
        var members: [Name: JSONValue] = [
            "entry": .string(name), "date": .string(Timestamp(applied.date).iso8601),
            "pane": .string(pane), "state": .string(state), "summary": .string(applied.summary),
            "undoes": .null, "change": .optional(applied.changes.shortChange),
        ]
        if direction != .edit, let subject {
            members["undoes"] = .string(subject.uuidString.lowercased())
        }
        if state == "final" { members["reason"] = .string(reason ?? "it can't be undone") }
        return .object(members)
    }
}
