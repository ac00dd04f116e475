import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The journal of written edits, which is stored between runs.
@Suite struct EditJournalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func state() -> UserState {
        UserState(environment: ["XDG_STATE_HOME": folder.appending("state")])
    }

    private func journal(_ store: String = "/srv/Notes.store") -> EditJournal {
        state().journal(ofStoreAt: store)
    }

    private func entry(_ summary: String, text: String = "") -> JournalEntry {
        let written = EditRecord(
            summary: summary, model: "keys", token: Data(text.utf8))
        return JournalEntry(
            AppliedEdit(
                summary: summary, date: Date(timeIntervalSinceReferenceDate: 1), rows: [],
                undo: [.revert(written)]),
            direction: .edit, pane: "keys")
    }

    private func append(_ bytes: String, to journal: EditJournal) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: journal.path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes.utf8))
        try file.close()
    }

    @Test func journalOfADeviceHasOnlyItsEdits() throws {
        let store = "/srv/Notes.store"
        try journal(store).append(entry("by an earlier version"))
        for name in ["desk", "phone"] {
            try state().journal(ofStoreAt: store, by: DeviceID(name)).append(entry("by \(name)"))
        }
        let desk = try state().journal(ofStoreAt: store, by: DeviceID("desk")).entries()
        #expect(desk.map(\.summary) == ["by an earlier version", "by desk"])
        #expect(try journal(store).entries().count == 3)
    }

    @Test func journalPersistsAndIsPrivateToTheUser() throws {
        #expect(try journal().entries().isEmpty)
        let entries = [entry("one"), entry("two\nlines"), entry("drei")]
        for entry in entries { try journal().append(entry) }
        let read = try journal().entries()
        #expect(read.map(\.id) == entries.map(\.id))
        #expect(read.map(\.summary) == entries.map(\.summary))
        #expect(read.map(\.undo) == entries.map(\.undo))
        #expect(try journal("/srv/Other.store").entries().isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: journal().path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func changesOfSingleValuesAreShortened() {
        func change(_ old: String?, _ new: String?) -> String? {
            let change = EditPreview.Change(
                subject: "a", old: old.map { .init($0) }, new: new.map { .init($0) })
            return [change].shortChange
        }
        #expect(change("a", "b") == "a → b")
        #expect(change("a", nil) == "a" && change(nil, "b") == "b")
        let start = String(repeating: "x", count: 40)
        #expect(change(start + "1", start + "2") == "…xxxxxxxx1 → …xxxxxxxx2")
        #expect(change("1" + start, "2" + start) == "1\(start.prefix(22))… → 2\(start.prefix(22))…")
        #expect([EditPreview.Change]().shortChange == nil)
    }

    @Test func firstChangesArePersisted() throws {
        let changes = (1...6).map {
            EditPreview.Change(subject: "k\($0)", old: nil, new: .init("\"\($0)\""))
        }
        let preview = EditPreview(
            edit: .remove([], field: nil), summary: "set 6 keys", changes: changes, file: nil)
        let applied = AppliedEdit(
            summary: "set 6 keys", date: Date(timeIntervalSinceReferenceDate: 1), rows: [], undo: []
        ).noting([preview])
        let whole = try #require(AppliedEdit([applied, applied]))
        #expect(whole.changes == Array(changes.prefix(4)) && whole.changeCount == 12)
        try journal().append(JournalEntry(whole, direction: .edit, pane: "keys"))
        // Entries of earlier versions have no changes.
        let plain = try JSONSerialization.jsonObject(
            with: try JSONEncoder().encode(entry("one")))
        var members = try #require(plain as? [String: Any])
        members["changes"] = nil
        members["changeCount"] = nil
        let old = try JSONDecoder().decode(
            JournalEntry.self, from: try JSONSerialization.data(withJSONObject: members))
        try journal().append(old)
        #expect(
            try journal().entries().map(\.applied.changes) == [Array(changes.prefix(4)), []])
        #expect(try journal().entries().map(\.applied.changeCount) == [12, 0])
    }

    @Test func longValuesDoNotPreventUndo() throws {
        let long = String(repeating: "x", count: 300_000)
        let preview = EditPreview(
            edit: .remove([], field: nil), summary: "set a text",
            changes: [.init(subject: "text", old: .init(long), new: .init("short"))], file: nil)
        let written = EditRecord(
            summary: "set a text", model: "entities", token: Data(long.utf8),
            changes: [.init(subject: "text", old: .init("short"), new: .init(long))])
        let applied = AppliedEdit(
            summary: "set a text", date: Date(timeIntervalSinceReferenceDate: 1), rows: [],
            undo: [.revert(written)]
        ).noting([preview])
        #expect(
            try journal().append(JournalEntry(applied, direction: .edit, pane: "entities")))
        let read = try #require(try journal().entries().first)
        #expect(read.undo.count == 1 && read.reason == nil)
        #expect(
            read.changes.map { [$0.old?.line, $0.new?.line] }
                == [["\(long.prefix(JournalEntry.longestValue))…", "short"]])
    }

    @Test func longNamesDoNotPreventUndo() throws {
        let name = String(repeating: "k", count: 70_000)
        let change = EditPreview.Change(subject: name, old: .init("1"), new: .init("2"))
        let preview = EditPreview(
            edit: .remove([], field: nil), summary: "set \(name)", changes: [change], file: nil)
        let written = EditRecord(
            summary: "set \(name)", model: "keys", token: Data(name.utf8), changes: [change])
        let applied = AppliedEdit(
            summary: "set \(name)", date: Date(timeIntervalSinceReferenceDate: 1), rows: [],
            undo: [.revert(written)]
        ).noting([preview])
        #expect(try journal().append(JournalEntry(applied, direction: .edit, pane: "keys")))
        let read = try #require(try journal().entries().first)
        #expect(read.summary == "set \(name.prefix(JournalEntry.longestValue - 4))…")
        #expect(try read.undo.map { try $0.loaded().token } == [Data(name.utf8)])
        #expect(read.reason == nil)
    }

    @Test func truncatedLineIsSkippedAndTheNextIsRead() throws {
        let journal = journal()
        try journal.append(entry("one"))
        try append("{\"id\": \"cut", to: journal)
        #expect(try journal.entries().map(\.summary) == ["one"])
        try journal.append(entry("two"))
        try append("no JSON at all\n\u{0}\u{0}\n[]\n", to: journal)
        try journal.append(entry("three"))
        #expect(try journal.entries().map(\.summary) == ["one", "two", "three"])
    }

    @Test func oldestEntriesAreDroppedAtTheSizeLimit() throws {
        let journal = journal()
        let text = String(repeating: "x", count: 50_000)
        for number in 0..<60 { try journal.append(entry("\(number)", text: text)) }
        let size = try FileManager.default.attributesOfItem(atPath: journal.path)[.size] as? Int
        let byteCount = try #require(size)
        #expect(byteCount <= StoreStateFile.limit)
        let read = try journal.entries().map(\.summary)
        #expect(read.count > 5)
        #expect(read == (60 - read.count..<60).map(String.init))
        let attributes = try FileManager.default.attributesOfItem(atPath: journal.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func largeUndoDataIsKeptInAFileOfItsOwn() throws {
        let long = entry("long", text: String(repeating: "x", count: 3_000_000))
        #expect(try journal().append(long))
        try journal().append(entry("short"))
        let size = try FileManager.default.attributesOfItem(atPath: journal().path)[.size] as? Int
        #expect(try #require(size) < EditJournal.entryLimit)
        let read = try journal().entries()
        #expect(read.map(\.summary) == ["long", "short"])
        let stored = try #require(read[0].undo.first)
        #expect(stored.token.isEmpty && read[0].reason == nil)
        #expect(try stored.loaded() == long.undo[0])
        let folder = journal().path + ".undo"
        let attributes = try FileManager.default.attributesOfItem(atPath: folder)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        try FileManager.default.removeItem(atPath: folder)
        #expect(throws: EditError.self) { try stored.loaded() }
    }

    @Test func oldestUndoFilesAreDeletedAtTheSizeLimit() throws {
        let text = String(repeating: "x", count: 7 << 20)
        for number in 0..<8 { try journal().append(entry("\(number)", text: text)) }
        let folder = journal().path + ".undo"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count > 3 && files.count < 8)
        let read = try journal().entries()
        // An entry without its file can't be undone, and doesn't prevent undoing earlier ones.
        let oldest = try #require(read.first)
        #expect(oldest.undo.isEmpty && oldest.reason?.contains("no longer stored") == true)
        let newest = try #require(read.last?.undo.first)
        #expect(try newest.loaded().token.count == text.utf8.count)
    }

    @Test func entryTooLongToUndoLaterIsMarked() throws {
        let text = String(repeating: "x", count: 13 << 20)
        #expect(try !journal().append(entry("long", text: text)))
        let read = try #require(try journal().entries().first)
        #expect(read.undo.isEmpty)
        #expect(read.reason?.contains("too large") == true)
    }

    @Test func largeEditIsUndoneAfterARestart() async throws {
        let shared = try SharedPackage()
        let journal = journal(shared.path)
        let names = (0..<4_000).map { "list/\($0)/a-name-of-some-length" }
        try shared.write(
            "anna", Dictionary(uniqueKeysWithValues: names.map { (Name($0), .integer(1)) }))
        var pane = try await PaneSession(shared.path)
        let removed = try await pane.perform(.remove(names.map { RowID($0) }, field: nil))
        try journal.append(JournalEntry(removed, direction: .edit, pane: "keys"))
        await pane.close()
        pane = try await PaneSession(shared.path)
        let entry = try #require(try journal.entries().first)
        let source = try pane.source(.keys)
        let previews = try await source.previews(of: entry.applied.undo, typedOver: nil)
        #expect(try await pane.names(.keys, "list/").isEmpty)
        let failure = await source.apply(previews).failure
        #expect(failure == nil)
        #expect(try await pane.names(.keys, "list/").count == names.count)
        await pane.close()
    }

    @Test func editThatCannotBeUndoneDoesNotBlockEarlierOnes() throws {
        let first = entry("first")
        let final = JournalEntry(
            AppliedEdit(
                summary: "final", date: Date(timeIntervalSinceReferenceDate: 2), rows: [],
                undo: []),
            direction: .edit, pane: "blobs")
        var state = UndoHistory()
        state.read([final])
        #expect(state.undoable.isEmpty && state.nextToUndo?.id == final.id)
        #expect(state.nextToUndo?.reason != nil)
        state.read([first, final])
        #expect(state.nextToUndo?.id == first.id)
        #expect(state.entries.map(\.id) == [first.id, final.id])
    }

    @Test func newestEditIsTheLastInTheFileEvenIfTheClockWasWrong() throws {
        let entries = [3e8, 9e8, 4e8].map { seconds in
            JournalEntry(
                AppliedEdit(
                    summary: "\(seconds)", date: Date(timeIntervalSinceReferenceDate: seconds),
                    rows: [],
                    undo: [.revert(EditRecord(summary: "\(seconds)", model: "keys"))]),
                direction: .edit, pane: "keys")
        }
        var state = UndoHistory()
        state.read(entries)
        #expect(state.entries.map(\.id) == entries.map(\.id))
        #expect(state.nextToUndo?.id == entries[2].id)
        // The file has dropped its oldest line.
        state.read(Array(entries.dropFirst()))
        #expect(state.entries.map(\.id) == entries.map(\.id))
        // Another process wrote an entry before the last one of this process.
        let other = entry("other")
        state = UndoHistory()
        state.read(Array(entries.dropFirst()))
        state.read([entries[0], other, entries[2]])
        #expect(
            state.entries.map(\.id) == [entries[0], other, entries[1], entries[2]].map(\.id))
    }

    @Test func concurrentAppendsLoseNoEntry() async throws {
        let journal = journal()
        let entries = (0..<80).map { entry("\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for entry in entries { group.addTask { _ = try? journal.append(entry) } }
        }
        #expect(Set(try journal.entries().map(\.id)) == Set(entries.map(\.id)))
    }

    @Test func everyEntryCanBeUndoneAfterARestart() async throws {
        let shared = try SharedPackage()
        let journal = journal(shared.path)
        var pane = try await PaneSession(shared.path)
        let before = try await pane.rows(.keys).map { $0.cells[1].text }
        let resolved = try await pane.perform(
            .resolve(RowID("note/1/due"), .take(.init(.device(try DeviceID("cleo"))))),
            in: .conflicts)
        try journal.append(JournalEntry(resolved, direction: .edit, pane: "conflicts"))
        let removed = try await pane.perform(.remove([RowID("note/4/new")], field: nil))
        try journal.append(JournalEntry(removed, direction: .edit, pane: "keys"))
        await pane.close()
        pane = try await PaneSession(shared.path)
        for entry in try journal.entries() {
            for edit in entry.applied.undo { try await pane.perform(edit) }
        }
        #expect(try await pane.rows(.keys).map { $0.cells[1].text } == before)
        #expect(pane.session.status.conflictCount == 1)
        // A second undo fails, because the edit is already undone.
        let first = try #require(try journal.entries().first?.applied.undo.first)
        let error = await #expect(throws: EditError.self) { try await pane.perform(first) }
        #expect(error?.code == .notFound)
        await pane.close()
    }

    @Test func reopenedConflictIsReportedByTheDeviceThatUndid() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let key = RowID("note/1/due")
        func cells() async throws -> [RowCell] {
            try #require(try await pane.rows(.keys).first { $0.id == key }).cells
        }
        let before = try await cells()
        let resolved = try await pane.perform(
            .resolve(key, .take(.init(.device(try DeviceID("cleo"))))), in: .conflicts)
        let events = EventLog(pane.session)
        for edit in resolved.undo { try await pane.perform(edit) }
        let event = try #require(await events.next { $0.kind == .conflict(.conflicts, key) })
        #expect(event.device == pane.session.status.ownDevice)
        // The value has its original writer and write time.
        #expect(try await cells() == before)
        await pane.close()
    }

    @Test func undoOfAnEditThatOthersBuiltOnFailsWithAReason() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path)
        let applied = try await pane.perform(
            .set(RowID("note/1/title"), field: nil, TypedText(.string, "mine")))
        try shared.sync("anna")
        try shared.write("anna", ["note/1/title": "on top of it"])
        try await pane.session.reload()
        let undo = try #require(applied.undo.first)
        let error = await #expect(throws: EditError.self) {
            try await pane.source(.keys).preview(undo)
        }
        #expect(error?.code == .builtOn)
        let message = error?.message ?? ""
        #expect(message.contains("anna") && message.contains("\"note/1/title\""))
        // Libraries don't know the time zone; the session words the time as the screen shows it.
        #expect(message.contains(#/at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\b/#), "\(message)")
        await pane.close()
    }

    @Test func entityEditsAreUndoneAfterARestartUnlessOthersBuiltOnThem() async throws {
        let shared = try SharedPackage()
        let journal = journal(shared.path)
        var pane = try await PaneSession(shared.path)
        func keep(_ applied: AppliedEdit) throws {
            try journal.append(JournalEntry(applied, direction: .edit, pane: "entities"))
        }
        func perform(_ edit: Edit) async throws -> AppliedEdit {
            let source = try #require(pane.session.panes.first { $0.id == .entities }).source
            return try await source.apply(try await source.preview(edit))
        }
        let made = try await perform(.add(name: "person", parent: nil, TypedText(.string, "Ada")))
        try keep(made)
        let ada = try #require(made.rows.first)
        let aged = try await perform(.set(ada, field: "age", TypedText(.integer, "36")))
        try keep(aged)
        try keep(try await perform(.set(ada, field: "age", TypedText(.integer, "37"))))
        await pane.close()
        pane = try await PaneSession(shared.path)
        let entries = try journal.entries()
        // A later edit changed the same property again, so the middle edit can't be undone on its
        // own. In reverse order, all edits can be undone.
        let built = await #expect(throws: EditError.self) {
            try await perform(try #require(entries[1].applied.undo.first))
        }
        #expect(built?.code == .builtOn)
        #expect(built?.message.contains("Ada › age") == true, "\(built?.message ?? "")")
        for entry in entries.reversed() {
            _ = try await perform(try #require(entry.applied.undo.first))
        }
        #expect(try await pane.rows(.entities).isEmpty)
        await pane.close()
    }
}
