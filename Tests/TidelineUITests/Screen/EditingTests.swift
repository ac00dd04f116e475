import Foundation
import class GRDB.DatabaseQueue
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore
@testable import TidelineUI

@Suite struct EditingTests {
    private let keys: FakeSource

    init() throws { keys = try Sample.notes() }

    private func stage(unlocked: Bool = true, locked: String? = nil) async throws -> Stage {
        let stage = await Stage(try Sample.session(keys: keys), locked: locked)
        // The second row has no conflict.
        await stage.press("j")
        if unlocked { await stage.press("w") }
        return stage
    }

    private func value(_ name: String) -> String? {
        keys.entries.first { $0.id.name == name }?.value
    }

    @Test func lockedSessionWritesNothing() async throws {
        let stage = try await stage(unlocked: false)
        await stage.press("i")
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoWriting)))
        await stage.press("w")
        #expect(stage.lines[0].contains("[WRITE]"))
        await stage.press("w")
        #expect(stage.lines[0].contains("[RO]"))
    }

    @Test(arguments: [
        ("set a", "set a"), ("resolve a as ipad has it", "resolved a as ipad has it"),
        ("save the query all", "saved the query all"), ("create a note", "created a note"),
        ("UPDATE a SET b = 1", "UPDATE a SET b = 1"), ("addition", "addition"),
    ])
    func resultMessagesUseThePastTense(_ summary: String, _ result: String) {
        #expect(AppliedEdit.done(summary) == result)
    }

    /// Shows an edit that waits for another program's lock.
    private func waitingEdit(_ stage: Stage) async throws {
        let applied = AppliedEdit(
            summary: "set note/1/title", date: Stage.start.date, rows: [], undo: [],
            isPending: true)
        stage.model.writing.journal.record(
            .init(pane: "keys", applied: applied, direction: .edit))
        stage.session.status.unsaved = UnsavedChanges(
            subjects: ["note/1/title"], reason: "the file is locked")
        await stage.refreshStatus()
        #expect(stage.lines[0].contains("UNSAVED"))
    }

    @Test func savedWaitingEditIsReportedAndItsRowReadAgain() async throws {
        let stage = try await stage()
        try await waitingEdit(stage)
        keys.entries[1].value = "Saved"
        stage.session.status.unsaved = nil
        await stage.refreshStatus()
        #expect(stage.lines[23].contains("saved: set note/1/title"), "\(stage.lines[23])")
        #expect(stage.text.contains("Saved") && !stage.lines[0].contains("UNSAVED"))
        #expect(stage.model.writing.journal.entries.allSatisfy { !$0.applied.isPending })
    }

    @Test func quitPromptShowsTheReasonForAnUnsavedEdit() async throws {
        let stage = try await stage()
        try await waitingEdit(stage)
        stage.session.status.unsaved?.reason = "locked by another process (Devices/here/Logs.db)"
        await stage.refreshStatus()
        await stage.press("q")
        #expect(
            stage.text.contains("not saved: locked by another process")
                && stage.text.contains("(Devices/here/Logs.db)"), "\(stage.text)")
    }

    @Test func discardedWaitingEditIsRemovedFromTheJournal() async throws {
        let stage = try await stage()
        try await waitingEdit(stage)
        _ = update(&stage.model, .input(.key(.character("W"))))
        stage.session.status.unsaved = nil
        await stage.refreshStatus()
        await stage.send(.withdrawn(RequestID(0), .success(["note/1/title"])))
        #expect(stage.lines[23].contains("discarded: note/1/title"), "\(stage.lines[23])")
        #expect(stage.model.writing.journal.entries.isEmpty)
    }

    @Test func textOfAnUnsavedEditIsKnownUntilItIsSaved() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type("!")
        await stage.press("Enter")
        _ = update(&stage.model, .input(.key(.character("y"))))
        let id = try #require((stage.model.overlay?.module as? PreviewDialog)?.pending)
        let applied = AppliedEdit(
            summary: "set note/1/title", date: Stage.start.date, rows: [], undo: [],
            isPending: true)
        stage.session.status.unsaved = UnsavedChanges(
            subjects: ["note/1/title"], reason: "the file is locked")
        await stage.send(.applied(id, [applied], left: [], failure: nil))
        await stage.refreshStatus()
        #expect(stage.model.unwrittenText == nil)
        #expect(stage.model.unsavedText == "Groceries!")
        stage.session.status.unsaved = nil
        await stage.refreshStatus()
        #expect(stage.model.unsavedText == nil)
    }

    @Test func renamedRowStaysSelected() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        let store = KeyValueStore(
            package: try StorePackage(creating: path), device: try DeviceID("mac"))
        try await store.load()
        for key in ["a", "b", "c"] { try store.set("value of \(key)", forKey: key) }
        try await store.save()
        try store.close()
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press("w", "r", "^u")
        await stage.type("z")
        await stage.press("Enter", "y")
        #expect(stage.model.list?.selectedRow?.id.name == "z", "\(stage.text)")
        await session.close()
    }

    @Test func journalMarksUndoneEntriesBeforeTheirSummary() async throws {
        let stage = try await stage()
        let name = String(repeating: "a long name ", count: 20)
        func applied() -> AppliedEdit {
            AppliedEdit(
                summary: "set \(name)", date: Stage.start.date, rows: [],
                undo: [.remove([], field: nil)])
        }
        let entry = UndoHistory.Entry(pane: "keys", applied: applied(), direction: .edit)
        stage.model.writing.journal.record(entry)
        await stage.press("@")
        #expect(!stage.text.contains("undone"))
        await stage.press("Esc")
        stage.model.writing.journal.record(
            .init(pane: "keys", applied: applied(), direction: .undo, subject: entry.id))
        await stage.press("@")
        #expect(stage.text.contains("undone set a long name"), "\(stage.text)")
        #expect(stage.text.contains("undo: set a long name"), "\(stage.text)")
    }

    @Test func onlyScrollablePreviewsMentionScrolling() async throws {
        let stage = try await stage()
        await stage.press("i", "x", "Enter")
        #expect(!stage.lines[23].contains("scroll"), "\(stage.lines[23])")
        guard var dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("\(stage.text)")
            return
        }
        dialog.previews[0].warnings = (0..<20).map { "warning \($0)" }
        stage.model.overlay = Overlay(dialog)
        #expect(stage.lines[23].contains("scroll"), "\(stage.lines[23])")
    }

    @Test func journalShowsTheValuesOfEachWrite() async throws {
        let stage = try await stage()
        for text in [" list", " of the week"] {
            await stage.press("i")
            await stage.type(text)
            await stage.press("Enter", "y")
        }
        await stage.press("@")
        let start = "set note/1/title → Groceries list"
        #expect(stage.lines.count { $0.contains(start) } == 2, "\(stage.text)")
        #expect(stage.text.contains("\(start) of the week"))
        // The selected entry is shown with both values.
        #expect(stage.text.contains("  - Groceries list"))
        #expect(stage.text.contains("  + Groceries list of the week"))
        await stage.press("k")
        #expect(stage.text.contains("  + Groceries list "))
        #expect(!stage.text.contains("  - Groceries list"))
    }

    @Test func longJournalShowsTheEntriesNextToTheSelectedEntry() async throws {
        let stage = try await stage()
        for index in 1...1_000 {
            stage.model.writing.journal.record(
                .init(
                    pane: "keys",
                    applied: AppliedEdit(
                        summary: "set number \(index)",
                        date: Stage.start.date.addingTimeInterval(Double(index)), rows: [],
                        undo: []),
                    direction: .edit))
        }
        await stage.press("@")
        #expect(stage.text.contains("set number 998 "), "\(stage.text)")
        await stage.press("g")
        #expect(stage.text.contains("set number 3 "), "\(stage.text)")
        for _ in 0..<20 { await stage.press("j") }
        #expect(stage.text.contains("set number 19 "), "\(stage.text)")
        #expect(stage.text.contains("set number 22 "), "\(stage.text)")
    }

    @Test func selectedJournalEntryIsShownInFull() async throws {
        let stage = try await stage()
        let words = (1...12).map { "word\($0)" }
        for index in 1...40 {
            stage.model.writing.journal.record(
                .init(
                    pane: "keys",
                    applied: AppliedEdit(
                        summary: "set \(words.joined(separator: " and "))",
                        date: Stage.start.date.addingTimeInterval(Double(index)), rows: [],
                        undo: []),
                    direction: .edit, reason: "its undo data was not recorded"))
        }
        await stage.press("@")
        for word in words { #expect(stage.text.contains(word), "\(word)") }
        #expect(stage.text.contains("its undo data was not recorded"))
        #expect(stage.text.contains("2026-05-09 06:14:00Z  keys"), "\(stage.text)")
        // The selected entry stays in sight.
        for key in ["k", "k", "g", "j", "G"] {
            await stage.press(key)
            guard let journal = stage.model.overlay?.module as? JournalView else {
                Issue.record("\(stage.text)")
                return
            }
            let time = TimeText.time(
                .init(stage.model.writing.journal.entries[journal.cursor].applied.date), offset: 0)
            #expect(stage.lines.contains { $0.contains(" \(time)  set word1") }, "\(key)")
        }
    }

    @Test func undoOffersTheNewerWriteOfAnotherWindow() async throws {
        let stage = try await stage()
        await stage.press("i", "x", "Enter", "y")
        (keys.refusal, keys.refusalCode) = ("can't undo: this device wrote it again", .builtOn)
        await stage.press("z")
        #expect(stage.model.overlay == nil && stage.effects.contains(.readJournal))
        let written = EditRecord(
            summary: "set note/1/title", model: "keys",
            changes: [.init(subject: "note/1/title", old: "z", new: "x")])
        var newer = JournalEntry(
            AppliedEdit(
                summary: "set note/1/title", date: Stage.start.date, rows: [],
                undo: [.revert(written)]),
            direction: .edit, pane: "keys")
        newer.changes = [.init(subject: "note/1/title", old: "x", new: "z")]
        let refused = try #require(stage.model.writing.journal.nextToUndo)
        await stage.send(
            .journal([JournalEntry(refused.applied, direction: .edit, pane: "keys"), newer]))
        #expect(
            stage.model.notice?.text.hasSuffix(" set note/1/title (x → z)") == true,
            "\(stage.text)")
        keys.refusal = nil
        await stage.press("z")
        guard let dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(dialog.subject == newer.id && dialog.direction == .undo)
    }

    @Test func refusedUndoOffersTheEarlierChanges() async throws {
        let stage = try await stage()
        keys.refusalCode = .notFound
        for hint in ["", "; @: undo an earlier change"] {
            keys.refusal = nil
            await stage.press("i", "x", "Enter", "y")
            keys.refusal = "can't undo: the row is missing"
            await stage.press("z")
            #expect(stage.effects.contains(.readJournal))
            await stage.send(.journal([]))
            #expect(stage.model.notice?.text == "can't undo: the row is missing\(hint)")
        }
    }

    @Test func currentValueIsNotWrittenAgain() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        let store = KeyValueStore(
            package: try StorePackage(creating: path), device: try DeviceID("mac"))
        try await store.load()
        try store.set("value", forKey: "a")
        try await store.save()
        try store.close()
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press("w", "i", "Enter")
        #expect(stage.text.contains("! \(EditError.sameValue.message)"), "\(stage.text)")
        #expect(stage.model.overlay?.module is FieldEditor)
        await session.close()
    }

    @Test func refusalOmitsTheActionNameInANarrowWindow() async throws {
        let stage = try await stage(unlocked: false)
        await stage.press("i")
        #expect(stage.lines[23].hasPrefix("! Edit"), "\(stage.lines[23])")
        stage.take(.input(.resize(columns: 40, rows: 24)))
        await stage.press("i")
        let reason = try #require(stage.model.whyNoWriting)
        #expect(stage.lines[23] == "! \(reason)")
    }

    @Test func writeReportsItsResult() async throws {
        let stage = try await stage()
        await stage.press("d", "y")
        #expect(stage.lines[23].hasPrefix("✓ deleted note/1/title"), "\(stage.lines[23])")
    }

    /// A database with one customer.
    private func shop(_ path: String) async throws -> DatabaseQueue {
        let database = try DatabaseQueue(path: path)
        try await database.write {
            try $0.execute(
                sql: "CREATE TABLE customer (name TEXT); INSERT INTO customer VALUES ('Ann')")
        }
        return database
    }

    @Test func editingARowWithFieldsFocusesTheInspector() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("shop.db")
        try await shop(path).close()
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "tables")
        await stage.press("Enter", "w")
        #expect(stage.model.hints.contains(Hint(keys: "i", title: "edit")))
        await stage.press("i")
        #expect(stage.model.panels.focus == .inspector)
        #expect(stage.lines[23].contains("then press i"))
        await stage.press("i")
        guard let editor = stage.model.overlay?.module as? FieldEditor else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(editor.value.text == "Ann")
        await session.close()
    }

    @Test func readOnlySessionExplainsWhyItStaysLocked() async throws {
        let stage = try await stage(unlocked: false, locked: "opened with --read-only")
        await stage.press("w")
        #expect(!stage.model.writing.isWritable)
        #expect(stage.lines[23].contains("opened with --read-only"))
    }

    @Test func writingLocksAgainAfterTenIdleMinutes() async throws {
        let stage = try await stage()
        #expect(stage.effects.contains { if case .wake(.relock, _) = $0 { true } else { false } })
        stage.advance(seconds: 300)
        await stage.press("j")
        stage.advance(seconds: 301)
        await stage.send(.woke(.relock))
        #expect(stage.model.writing.isWritable)
        stage.advance(seconds: 300)
        await stage.send(.woke(.relock))
        #expect(!stage.model.writing.isWritable)
        #expect(
            stage.effects.last { if case .setWritable = $0 { true } else { false } }
                == .setWritable(false))
    }

    @Test(arguments: [["d"], ["d", "F1"], ["i"]])
    func lockingClosesAChangeThatCouldNoLongerBeWritten(_ keys: [String]) async throws {
        let stage = try await stage()
        for key in keys { await stage.press(key) }
        stage.advance(seconds: 601)
        await stage.send(.woke(.relock))
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains("writing is locked"), "\(stage.lines[23])")
        await stage.press("w", "d", "y")
        #expect(stage.lines[23].contains("deleted note/1/title"), "\(stage.lines[23])")
    }

    @Test func writingStaysUnlockedForATypedText() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type("!")
        stage.advance(seconds: 601)
        await stage.send(.woke(.relock))
        #expect(stage.model.writing.isWritable)
        await stage.press("Enter", "y", "e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("no editor was asked for")
            return
        }
        stage.advance(seconds: 3_600)
        stage.take(.edited(id, .success("From the editor")))
        await stage.send(.woke(.relock))
        #expect(stage.text.contains("Write?"))
        await stage.press("y")
        #expect(value("note/1/title") == "From the editor")
    }

    @Test func plusAndMinusCountOnlyOnCounters() async throws {
        keys.entries[1].kind = .counter
        keys.entries[1].value = "5"
        let stage = try await stage(unlocked: false)
        #expect(stage.model.list?.selectedRow?.isCounter == true)
        // While locked, the keys explain how to unlock.
        await stage.press("+")
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoWriting)))
        await stage.press("w", "+")
        #expect(stage.text.contains("+ 1 more") && keys.writes == 0)
        // The key that opened the preview doesn't confirm it. It adds to the count.
        await stage.press("+", "+")
        #expect(stage.text.contains("+ 3 more") && keys.writes == 0)
        #expect(stage.lines[23].contains("+ - adjust"))
        await stage.press("-", "-", "y")
        #expect(value("note/1/title") == "6")
        await stage.press("M-3", "-", "y")
        #expect(value("note/1/title") == "3")
        await stage.press("z", "y")
        #expect(value("note/1/title") == "6")
        #expect(
            stage.model.helpLines(filter: "selected counter").contains(
                .keys("+", title: "Increase the selected counter", reason: nil)))
        // On other rows and in other panels, the keys do nothing.
        await stage.press("j")
        let reason = "no counter is selected"
        #expect(
            stage.model.helpLines(filter: "selected counter").contains(
                .keys("+", title: "Increase the selected counter", reason: reason)))
        for keys in [["+"], ["k", "0", "+"]] {
            for key in keys { await stage.press(key) }
            #expect(stage.model.overlay == nil)
            #expect(stage.model.notice?.text.hasPrefix("+ has no function") == true)
        }
        #expect(keys.writes == 3)
    }

    @Test func zeroCountClosesThePreview() async throws {
        keys.entries[1].kind = .counter
        keys.entries[1].value = "5"
        let stage = try await stage()
        await stage.press("+", "-")
        #expect(stage.model.overlay == nil && keys.writes == 0)
        #expect(stage.lines[23].contains("nothing to write"))
        // A preview of another edit explains why it can't count.
        await stage.press("d", "+")
        #expect(stage.model.overlay != nil && keys.writes == 0)
        #expect(stage.model.notice?.text.contains("counter") == true)
    }

    @Test func countingKeysCanBeRebound() async throws {
        keys.entries[1].kind = .counter
        keys.entries[1].value = "5"
        var configuration = Configuration()
        configuration.keymap =
            Keymap.standard.overridden(by: ["count-up": ["U"], "count-down": []]).keymap
        let stage = await Stage(try Sample.session(keys: keys), configuration: configuration)
        await stage.press("j", "w", "+")
        #expect(stage.model.overlay == nil)
        await stage.press("U", "y")
        #expect(value("note/1/title") == "6")
    }

    @Test func valueIsEditedPreviewedConfirmedAndUndone() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type(" list")
        #expect(stage.text.contains("Groceries list"))
        await stage.press("Enter")
        #expect(stage.text.contains("- Groceries"))
        #expect(stage.text.contains("+ Groceries list"))
        #expect(stage.text.contains("devices/me/Logs.db"))
        #expect(keys.writes == 0)
        // The key that opened the preview doesn't confirm it.
        await stage.press("i", "Enter")
        #expect(keys.writes == 0)
        await stage.press("y")
        #expect(value("note/1/title") == "Groceries list")
        #expect(stage.model.overlay == nil)
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
        await stage.press("z")
        #expect(stage.text.contains("Undo this change?"))
        await stage.press("y")
        #expect(value("note/1/title") == "Groceries")
        await stage.press("Z", "y")
        #expect(value("note/1/title") == "Groceries list")
        await stage.press("@")
        #expect(stage.text.contains("undo:"))
        #expect(stage.text.contains("redo:"))
    }

    @Test(arguments: [300, 2_000])
    func previewScrollsThroughALongValue(_ length: Int) async throws {
        let stage = try await stage()
        let text = (0..<length / 4).map { " w\(100 + $0)" }.joined()
        await stage.press("i")
        await stage.send(.input(.paste(text)))
        await stage.press("Enter")
        var seen = stage.text
        for _ in 0..<40 {
            await stage.press("PgDn")
            seen += stage.text
        }
        for word in text.split(separator: " ") { #expect(seen.contains(word), "\(word)") }
        for _ in 0..<40 { await stage.press("PgUp") }
        #expect(stage.text.contains("- Groceries"))
    }

    @Test func veryLongValueIsMarkedAsTruncated() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.send(.input(.paste(String(repeating: "long ", count: 10_000))))
        await stage.press("Enter")
        for _ in 0..<60 { await stage.press("PgDn") }
        #expect(stage.text.contains("… more"))
    }

    @Test func escapeWritesNothing() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type("x")
        await stage.press("Enter", "Esc")
        #expect(keys.writes == 0)
        #expect(stage.lines[23].contains("nothing was written"))
    }

    @Test func invalidValueStaysInTheFieldWithItsReason() async throws {
        let stage = try await stage()
        await stage.press("i", "^t", "Enter")
        #expect(stage.text.contains("! Groceries is "))
        #expect(stage.text.contains("integer"))
        await stage.press("^u")
        await stage.type("12")
        await stage.press("Enter", "y")
        #expect(value("note/1/title") == "12")
    }

    @Test func firstWriteAnnouncesTheNewDevice() async throws {
        keys.isNewDevice = true
        let stage = try await stage()
        await stage.press("i")
        await stage.type("!")
        await stage.press("Enter")
        #expect(stage.text.contains("New device: "))
        #expect(stage.text.contains("y: write"))
        #expect(keys.writes == 0)
        await stage.press("y")
        #expect(keys.writes == 1)
    }

    @Test func changesToManyRowsAreConfirmedByTypingTheCount() async throws {
        let stage = try await stage()
        await stage.press("Space", "Space", "d")
        #expect(stage.text.contains("Type 2 and Enter"))
        await stage.press("y")
        #expect(keys.writes == 0)
        #expect(stage.text.contains(": type 2 and Enter"))
        await stage.press("3", "Enter")
        #expect(keys.writes == 0)
        await stage.press("Backspace", "2", "Enter")
        #expect(keys.entries.count == 2)
    }

    @Test func countConfirmationOffersNoSingleKey() async throws {
        let stage = try await self.stage()
        await stage.press("Space", "Space", "d", "?")
        #expect(stage.text.contains("after typing the row count"))
        #expect(!stage.lines.contains { $0.contains("│ y ") || $0.contains("Write ") })
        let other = try await self.stage()
        await other.press("d", "?")
        #expect(other.text.contains("Write"))
        #expect(!other.text.contains("after typing the row count"))
    }

    @Test func typingIntoNullCreatesAValue() async throws {
        let stage = try await self.stage()
        let source = try #require(stage.model.list?.source.id)
        stage.model.overlay = Overlay(
            FieldEditor(
                source: source, purpose: .set(RowID("note/1"), field: nil),
                kinds: [.string, .integer, .null], kind: .null, part: .value))
        func typed() -> TypedText? {
            guard let editor = stage.model.overlay?.module as? FieldEditor,
                case .set(_, _, let typed) = editor.edits.first
            else { return nil }
            return typed
        }
        #expect(typed() == TypedText(.null, ""))
        await stage.type("two")
        #expect(typed() == TypedText(.string, "two"))
        await stage.press("^n")
        #expect(typed() == TypedText(.null, ""))
    }

    @Test func previewNamesEachFileOnce() async throws {
        let stage = try await self.stage()
        let source = try #require(stage.model.list?.source.id)
        stage.model.overlay = Overlay(
            PreviewDialog(
                source: source, direction: .edit,
                previews: ["Logs.db", "Entities.db", "Logs.db", "Blobs/a"].map { file in
                    EditPreview(
                        edit: .remove([RowID("a")], field: nil), summary: "delete a", changes: [],
                        file: file)
                }))
        let lines = stage.lines
        let first = try #require(lines.firstIndex { $0.contains("file    Logs.db") })
        #expect(lines[first + 1].contains("        Entities.db"))
        #expect(lines[first + 2].contains("        Blobs/a"))
        #expect(!lines[first + 3].contains("Logs.db"))
    }

    @Test func warningOfALongChangeStaysNextToTheQuestion() async throws {
        let stage = try await self.stage()
        let source = try #require(stage.model.list?.source.id)
        let changes = (0..<40).map { index in
            EditPreview.Change(subject: "row \(index)", old: .init("old"), new: nil)
        }
        stage.model.overlay = Overlay(
            PreviewDialog(
                source: source, direction: .edit,
                previews: [
                    EditPreview(
                        edit: .remove([RowID("a")], field: nil), summary: "delete rows",
                        changes: changes, file: "Logs.db", warnings: ["other rows change, too"])
                ]))
        #expect(stage.lines.count { $0.contains("! other rows change, too") } == 1)
    }

    @Test func changeWithoutAFileIsKeptInMemory() async throws {
        let stage = try await self.stage()
        let source = try #require(stage.model.list?.source.id)
        stage.model.notice = nil
        func ask(_ edit: Edit, _ summary: String) {
            stage.model.overlay = Overlay(
                PreviewDialog(
                    source: source, direction: .edit,
                    previews: [EditPreview(edit: edit, summary: summary, changes: [], file: nil)]))
        }
        ask(
            .add(name: "all", parent: nil, TypedText(.string, "select 1")), "keep the query all")
        #expect(stage.text.contains("┌Keep?") && stage.text.contains("keep the query all"))
        #expect(stage.text.contains("file    none (kept in memory for this run)"))
        #expect(stage.text.contains("y: keep   Esc: cancel"))
        #expect(stage.lines[23].contains("y keep") && !stage.text.contains("write"))
        ask(.remove([RowID("query/1")], field: nil), "forget all")
        #expect(stage.text.contains("┌Forget?"))
        #expect(stage.text.contains("y: forget   Esc: cancel"))
        #expect(stage.lines[23].contains("y forget"))
    }

    @Test func rowMenuShowsItsKeysAndHints() async throws {
        let stage = try await self.stage()
        await stage.press("x")
        let edit = try #require(stage.lines.first { $0.contains("Edit value ") })
        #expect(edit.hasSuffix("i│") || edit.contains("  i"), "\(edit)")
        guard let menu = stage.model.overlay?.module as? Menu else {
            Issue.record("no menu is shown")
            return
        }
        let last = min(9, menu.items.count)
        #expect(stage.lines[23].contains("Enter 1-\(last) choose  Esc close"))
        #expect(!stage.lines[23].contains("show or hide"))
    }

    @Test func rowMenuListsOnlyAvailableActions() async throws {
        func names(_ stage: Stage) -> [String] {
            guard let menu = stage.model.overlay?.module as? Menu else { return [] }
            return menu.items.compactMap { item in
                if case .action(let name) = item.choice { name } else { nil }
            }
        }
        let locked = await Stage(try Sample.session(keys: keys))
        await locked.press("x")
        // The first row is in conflict.
        #expect(names(locked).starts(with: ["enter", "ignore"]))
        #expect(locked.text.contains("Resolve this conflict"))
        #expect(names(locked).contains("unlock") && !names(locked).contains("edit"))
        await locked.press("Esc", "t", "x")
        #expect(locked.text.contains("Show this conflict"))
        await locked.press("Esc", "t", "0", "x")
        #expect(!names(locked).contains("inspector"))
        let stage = try await self.stage()
        await stage.press("x")
        #expect(names(stage).contains("edit") && !names(stage).contains("unlock"))
        #expect(!names(stage).contains("ignore"))
    }

    /// A stage with the confirmation prompt for deleting more rows than fit on the screen.
    private func manyDeleted(columns: Int = 80, rows: Int = 24) async throws -> Stage {
        keys.entries = try (100..<140).map { try Sample.entry("key/\($0)", "\($0)") }
        let stage = await Stage(try Sample.session(keys: keys), columns: columns, rows: rows)
        await stage.press("w", "v", "G", "d")
        return stage
    }

    @Test(arguments: [(80, 24), (60, 12), (120, 40), (200, 60)])
    func wrongCountIsReportedWithAnyNumberOfRows(
        _ columns: Int, _ rows: Int
    ) async throws {
        let stage = try await manyDeleted(columns: columns, rows: rows)
        await stage.press("y")
        #expect(stage.text.contains(": type 40 and Enter"))
        #expect(stage.text.contains("Type 40 and Enter to write: _"))
        await stage.press("5", "Enter")
        #expect(stage.text.contains("! type 40 "))
        #expect(stage.text.contains("Type 40 and Enter to write: 5_"))
        await stage.press("x")
        #expect(stage.text.contains("! type 40 and Enter to write; ↓ ↑ PgDn PgUp"))
        #expect(keys.writes == 0)
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func changesOfAJournalEntryScroll(_ columns: Int, _ rows: Int) async throws {
        let stage = try await manyDeleted(columns: columns, rows: rows)
        await stage.press("4", "0", "Enter")
        #expect(keys.entries.isEmpty)
        await stage.press("@")
        let known = try #require(stage.model.writing.journal.entries.last?.applied.changes.count)
        var shown: Set<Int> = []
        func look() {
            for key in 100..<140 where stage.text.contains("   key/\(key) ") { shown.insert(key) }
        }
        look()
        #expect(shown.contains(100), "\(stage.text)")
        // On a high screen, all changes fit.
        #expect(stage.text.contains("PgDn") == (rows == 24), "\(stage.text)")
        for _ in 0..<40 {
            await stage.press("PgDn")
            look()
        }
        #expect(shown == Set(100..<100 + known), "\(stage.text)")
        // The journal has only the first changes of a write.
        #expect(known == 40 || stage.text.contains("  and \(40 - known) more"), "\(stage.text)")
        for _ in 0..<40 { await stage.press("PgUp") }
        #expect(stage.text.contains("   key/100 "), "\(stage.text)")
    }

    @Test(arguments: [("G", "g"), ("End", "Home")])
    func keysJumpToTheEndsOfAPreview(_ end: String, _ start: String) async throws {
        let stage = try await manyDeleted()
        #expect(stage.text.contains("key/100") && !stage.text.contains("devices/me/Logs.db"))
        await stage.press(end)
        #expect(stage.text.contains("devices/me/Logs.db") && !stage.text.contains("key/100"))
        // Scrolling up moves by one line from the end.
        await stage.press("Up", "k", "k")
        #expect(!stage.text.contains("devices/me/Logs.db") && stage.text.contains("key/139"))
        await stage.press("Down", "j", "j")
        #expect(stage.text.contains("devices/me/Logs.db"))
        await stage.press(start)
        #expect(stage.text.contains("key/100"))
        #expect(stage.text.contains("Type 40 and Enter to write: _"))
    }

    @Test func wrongConfirmationKeyReportsTheRightKey() async throws {
        let stage = try await stage()
        await stage.press("i", "x", "Enter", "Enter")
        #expect(stage.text.contains("! Enter doesn't confirm here; press y"))
        #expect(keys.writes == 0)
        await stage.press("y")
        #expect(keys.writes == 1)
    }

    @Test func oneKeyUndoesAChangeToManyRows() async throws {
        let stage = try await stage()
        await stage.press("Space", "Space", "d", "2", "Enter", "z", "y")
        #expect(keys.entries.count == 4)
        // Redoing the change asks for the count again.
        await stage.press("Z", "y")
        #expect(keys.entries.count == 4)
        await stage.press("2", "Enter")
        #expect(keys.entries.count == 2)
    }

    @Test func addedRowIsSelected() async throws {
        let stage = try await stage()
        await stage.press("a")
        await stage.type("zebra")
        await stage.press("Enter")
        await stage.type("striped")
        await stage.press("Enter", "y")
        #expect(value("zebra") == "striped")
        #expect(stage.model.list?.cursorID == RowID("zebra"))
    }

    @Test func rowIsRenamed() async throws {
        let stage = try await stage()
        await stage.press("r")
        await stage.type("s")
        await stage.press("Enter")
        await stage.press("y")
        #expect(value("note/1/titles") == "Groceries")
    }

    @Test func concurrentlyChangedRowIsShownThreeWaysAndNotOverwritten() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type(" (mine)")
        await stage.press("Enter")
        keys.entries[1].value = "Groceries (theirs)"
        await stage.press("y")
        try await expectThreeWays(stage, was: "Groceries")
    }

    /// Expects the edit of the first title next to another device's write, then writes it anyway.
    private func expectThreeWays(_ stage: Stage, was: String) async throws {
        #expect(stage.model.overlay?.module is ChangedRowDialog)
        for text in [
            "previous \(was)", "current  Groceries (theirs)", "yours    Groceries (mine)",
        ] {
            #expect(stage.text.contains(text), "\(text)")
        }
        #expect(value("note/1/title") == "Groceries (theirs)")
        await stage.press("p", "y")
        #expect(value("note/1/title") == "Groceries (mine)")
    }

    @Test func previewShowsTheValueThatChangedAgain() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type(" (mine)")
        keys.entries[1].value = "Groceries (theirs)"
        await stage.press("Enter")
        #expect(stage.text.contains("current  Groceries (theirs)"))
        keys.entries[1].value = "Groceries (newer)"
        await stage.press("p")
        #expect(stage.text.contains("Write?") && stage.text.contains("- Groceries (newer)"))
        await stage.press("y")
        #expect(value("note/1/title") == "Groceries (mine)")
    }

    @Test func impossibleEditIsReported() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type("5")
        await stage.press("Enter")
        keys.entries[1].value = "theirs"
        // The other device's write makes the edit impossible.
        keys.refusal = "note/1/title was deleted"
        await stage.press("y")
        #expect(stage.text.contains("! note/1/title was deleted"))
        #expect(stage.text.contains("your value can no longer be written"))
        #expect(!stage.text.contains("loading the current value"))
        await stage.press("Esc")
        #expect((stage.model.overlay?.module as? FieldEditor)?.value.text == "Groceries5")
        await stage.press("Esc")
        #expect(stage.model.overlay == nil && value("note/1/title") == "theirs")
    }

    @Test func editOfADeletedRowShowsItAsDeleted() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("shop.db")
        let database = try await shop(path)
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "tables")
        await stage.press("Enter", "w", "i", "i")
        await stage.type("a")
        await stage.press("Enter")
        try await database.write { try $0.execute(sql: "DELETE FROM customer") }
        await stage.press("y")
        for text in [
            "Changed in the meantime", "previous Ann", "current  (nothing)", "yours    Anna",
            "your value can no longer be written",
        ] {
            #expect(stage.text.contains(text), "\(text): \(stage.text)")
        }
        #expect(!stage.text.contains("loading the current value"))
        await session.close()
        try database.close()
    }

    @Test func valueChangedWhileTypingIsShownThreeWays() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type(" (mine)")
        keys.entries[1].value = "Groceries (theirs)"
        await stage.press("Enter")
        let dialog = try #require(stage.model.overlay?.module as? ChangedRowDialog)
        #expect(dialog.problem?.contains("changed") == true)
        // The key that confirms a preview writes nothing here.
        await stage.press("y")
        try await expectThreeWays(stage, was: "\"Groceries\"")
    }

    @Test func keepingTheOtherValueReturnsToTheTypedText() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type(" (mine)")
        keys.entries[1].value = "Groceries (theirs)"
        for keys in [["Enter", "Esc"], ["Enter", "p", "Esc"]] {
            for key in keys { await stage.press(key) }
            #expect(
                (stage.model.overlay?.module as? FieldEditor)?.value.text == "Groceries (mine)")
        }
        #expect(value("note/1/title") == "Groceries (theirs)")
    }

    @Test func valueChangedDuringExternalEditingIsShownThreeWays() async throws {
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("no editor was asked for")
            return
        }
        keys.entries[1].value = "Groceries (theirs)"
        await stage.send(.edited(id, .success("From the editor")))
        #expect(stage.text.contains("current  Groceries (theirs)"))
        #expect(stage.text.contains("yours    From the editor"))
        await stage.press("p", "y")
        #expect(value("note/1/title") == "From the editor")
    }

    @Test func externalEditorResultIsPreviewed() async throws {
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, let text, let ending) = try #require(stage.requests.last) else {
            Issue.record("no editor was asked for")
            return
        }
        #expect(text == "Groceries")
        #expect(ending == "txt")
        await stage.send(.edited(id, .success("From the editor\n")))
        #expect(stage.text.contains("+ From the editor"))
        await stage.press("y")
        #expect(value("note/1/title") == "From the editor")
    }

    @Test func textThatIsNotWrittenYetIsKnownUntilItIsWritten() async throws {
        let stage = try await stage()
        await stage.press("i")
        #expect(stage.model.unwrittenText == nil)
        await stage.type("!")
        #expect(stage.model.unwrittenText == "Groceries!")
        await stage.press("F1")
        #expect(stage.model.unwrittenText == "Groceries!")
        await stage.press("Esc", "Enter")
        #expect(stage.text.contains("Write?"))
        #expect(stage.model.unwrittenText == "Groceries!")
        await stage.press("y")
        #expect(stage.model.unwrittenText == nil)
        await stage.press("d")
        #expect(stage.text.contains("Write?"))
        #expect(stage.model.unwrittenText == nil)
    }

    @Test func canceledPreviewOffersTheEditedTextAgain() async throws {
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("no editor was asked for")
            return
        }
        await stage.send(.edited(id, .success("From the editor\n")))
        await stage.press("Esc")
        #expect(stage.text.contains("The text is kept"))
        #expect(stage.model.unwrittenText == "From the editor\n")
        // Leaving the editor without saving, or an editor that fails, keeps the earlier text.
        let failure = RequestFailure(.other, "vi exited with 1")
        for answer in [Answer<String?>.success(nil), .failure(failure)] {
            await stage.press("Enter")
            guard case .edit(let again, let text, _) = try #require(stage.requests.last) else {
                Issue.record("\(stage.text)")
                return
            }
            #expect(text == "From the editor\n")
            await stage.send(.edited(again, answer))
            #expect(stage.text.contains("+ From the editor"))
            await stage.press("Esc")
        }
    }

    @Test func keptTextOfAFailedEditorIsShownAtTheNextStartIfItWasNotSeen() async throws {
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("no editor was asked for")
            return
        }
        var failure = RequestFailure(.other, "vi exited with 129; the text is in /tmp/kept")
        failure.keptPath = "/tmp/kept"
        await stage.send(.edited(id, .failure(failure)))
        let view = stage.model.view
        #expect(view.keptTextPath == "/tmp/kept")
        let next = await Stage(try Sample.session(keys: keys), view: view)
        #expect(next.text.contains("/tmp/kept"))
        #expect(next.model.view.keptTextPath == nil)
        await stage.press("j")
        #expect(stage.model.view.keptTextPath == nil)
    }

    @Test func invalidTextIsOfferedForEditingAgain() async throws {
        keys.entries[1].kind = .integer
        keys.entries[1].value = "5"
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        await stage.send(.edited(id, .success("five\n")))
        #expect(stage.text.contains("five is "))
        await stage.press("Enter")
        guard case .edit(_, let text, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(text == "five\n")
    }

    @Test func unchangedEditorTextChangesNothing() async throws {
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        await stage.send(.edited(id, .success("Groceries\n")))
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains(EditError.sameValue.message))
    }

    @Test func anotherUnicodeFormIsAChangeOfTheText() async throws {
        keys.entries[1].value = "caf\u{E9}"
        let stage = try await stage()
        await stage.press("e")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        await stage.send(.edited(id, .success("cafe\u{301}\n")))
        #expect(stage.model.overlay?.module is PreviewDialog)
    }

    @Test func quittingWithUnsavedTextAsks() async throws {
        let stage = try await stage()
        await stage.press("i")
        await stage.type("x")
        await stage.press("Enter")
        let before = stage.requests.count
        await stage.press("^c")
        #expect(stage.requests.count == before)
        #expect(stage.text.contains("Quit?"))
        await stage.press("n")
        #expect(stage.text.contains("+ Groceriesx"))
        await stage.press("^c", "y")
        #expect(stage.requests.last == .leave(.quit))
    }

    @Test func choosingASideResolvesTheConflict() async throws {
        let stage = try await stage()
        await stage.press("k", "Enter")
        #expect(stage.text.contains("dev0"))
        #expect(stage.text.contains("dev1"))
        #expect(stage.text.contains("★"))
        await stage.press("2")
        #expect(stage.text.contains("that of dev1"))
        await stage.press("y")
        #expect(value("note/1/due") == "5")
        #expect(keys.entries[0].sides.isEmpty)
    }

    @Test func resolvedRowMayLeaveTheList() async throws {
        let conflicts = FakeSource(
            "Conflicts", [try Sample.entry("a", "1", sides: ["1", "2"])], leavesWhenResolved: true)
        let stage = await Stage(try Sample.session(keys: conflicts))
        await stage.press("w", "Enter", "1", "y")
        #expect(stage.model.list?.total == 0)
        #expect(stage.lines[23].contains("resolved a"))
    }

    @Test func inspectorEditAppliesToTheLine() async throws {
        let stage = try await stage()
        await stage.press("0", "j", "d")
        #expect(stage.text.contains("Write?"))
        await stage.press("Esc", "G", "d")
        #expect(stage.model.overlay == nil)
        #expect(stage.text.contains("this line is not"))
        #expect(keys.writes == 0)
    }

    @Test func relationIsPreviewed() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("relate parent note/2/body child")
        await stage.press("Enter")
        #expect(stage.text.contains("relate note/1/title"))
        await stage.press("y")
        #expect(keys.writes == 1)
    }

    /// The edit of the open preview.
    private func previewed(_ stage: Stage) -> Edit? {
        guard let dialog = stage.model.overlay?.module as? PreviewDialog else { return nil }
        return dialog.previews.first?.edit
    }

    @Test func relationTakesNamesWithSpacesInQuotes() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("relate \"lent to\" 'note 2' \"a \\\"b\"")
        await stage.press("Enter")
        #expect(
            previewed(stage)
                == .relate(
                    RowID("note/1/title"), field: "lent to", to: RowID("note 2"), kind: "a \"b"))
        await stage.press("Esc", ":")
        await stage.type("relate \"lent to note")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("a quote (\") isn't closed"), "\(stage.lines[23])")
        await stage.press(":")
        await stage.type("relate a b c d")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("in quotes"))
    }

    @Test func relationCompletesFieldsAndRows() async throws {
        keys.entries.append(try Sample.entry("old note", "x"))
        let stage = try await stage()
        await stage.press(":")
        await stage.type("relate ")
        #expect(stage.text.contains("relate value "), "\(stage.text)")
        await stage.type("va")
        await stage.press("Tab")
        await stage.type("old")
        #expect(stage.text.contains("relate value \"old note\""), "\(stage.text)")
        await stage.press("Tab", "Enter")
        #expect(
            previewed(stage)
                == .relate(
                    RowID("note/1/title"), field: "value", to: RowID("old note"), kind: ""))
        // Enter on a field continues with the row.
        await stage.press("Esc", ":")
        await stage.type("relate va")
        await stage.press("Down", "Enter")
        guard let palette = stage.model.overlay?.module as? CommandPalette else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(palette.text.text == "relate value ")
    }

    @Test func conflictIsMergedInTheEditor() async throws {
        let stage = try await stage()
        stage.session.status.devices.append(
            .init(id: try DeviceID("dev1"), name: "Ben's phone", state: "ok"))
        await stage.refreshStatus()
        await stage.press("k", "Enter", "m")
        guard case .edit(let id, let text, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(text.hasPrefix("3\n" + EditorJob.scissors))
        #expect(text.contains("# dev0 ") && text.contains("# Ben's phone "), "\(text)")
        await stage.send(.edited(id, .success("4\n" + EditorJob.scissors + "\nwhatever")))
        await stage.press("y")
        #expect(value("note/1/due") == "4")
    }

    @Test func editRefusalIsShownInFull() async throws {
        let stage = try await stage()
        keys.refusal =
            "name also needs a value: leave the column empty, and let the value be an object of "
            + "JSON: {\"name\": …}"
        await stage.press("i", "Enter")
        #expect(
            stage.text.contains("name also needs a value") && stage.text.contains("\"name\": …}"))
    }

    @Test func invalidTextReturnsToItsConflict() async throws {
        let stage = try await stage()
        await stage.press("k", "Enter", "m")
        guard case .edit(let id, _, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        keys.refusal = "four is not a whole number"
        await stage.send(.edited(id, .success("four\n" + EditorJob.scissors + "\n")))
        #expect(stage.text.contains("! four is not a whole number"))
        await stage.press("Enter")
        guard case .edit(let again, let text, _) = try #require(stage.requests.last) else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(text.hasPrefix("four\n"))
        keys.refusal = nil
        await stage.send(.edited(again, .success("five\n" + EditorJob.scissors + "\n")))
        await stage.press("Esc", "Esc")
        guard stage.model.overlay?.module is ConflictView else {
            Issue.record("\(stage.text)")
            return
        }
        #expect(stage.model.notice?.text == "nothing was written")
    }

    @Test func lockedSessionShowsSidesButResolvesNothing() async throws {
        let stage = try await stage(unlocked: false)
        await stage.press("k", "Enter")
        #expect(stage.text.contains("dev1"))
        #expect(stage.text.contains(try #require(stage.model.whyNoWriting)))
        await stage.press("1")
        #expect(keys.writes == 0)
    }

    @Test func unlockingReportsSuccess() async throws {
        let stage = try await self.stage(unlocked: false)
        await stage.press("w")
        #expect(stage.model.notice?.kind == .done)
    }

    @Test func canceledUnlockingStaysLocked() async throws {
        let stage = try await self.stage(unlocked: false)
        stage.take(.input(.key(.character("w"))))
        stage.take(.input(.key(Key(.escape))))
        await stage.settle()
        #expect(!stage.model.writing.isWritable && !stage.effects.contains(.setWritable(true)))
        await stage.press("w")
        #expect(stage.model.writing.isWritable)
    }

    @Test func unlockingWithAnObstacleStaysLockedAndDropsTypedKeys() async throws {
        let stage = try await self.stage(unlocked: false)
        stage.session.obstacle = "the file system of /notes is read-only"
        for key in "wdq" { stage.take(.input(.key(.character(key)))) }
        await stage.settle()
        #expect(stage.model.notice?.kind == .error)
        #expect(stage.lines[23].contains("the file system of /notes is read-only"))
        #expect(!stage.model.writing.isWritable && stage.model.overlay == nil)
        #expect(stage.lines[0].contains("[RO]"))
        #expect(
            !stage.effects.contains(.setWritable(true)), "the session stays locked until then")
        stage.session.obstacle = nil
        await stage.press("w")
        #expect(stage.model.writing.isWritable)
    }

    @Test func deletionPreviewOffersNoCounting() async throws {
        let stage = try await self.stage()
        await stage.press("d")
        #expect(stage.model.overlay?.module is PreviewDialog)
        await stage.press("?")
        #expect(!stage.text.contains("Increase the amount by one"))
    }
}

/// Keys typed faster than the answers arrive.
@Suite struct TypingAheadTests {
    private func take(_ stage: Stage, _ keys: [Key]) {
        for key in keys { stage.take(.input(.key(key))) }
    }

    @Test func editTypedAheadRunsInOrder() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        let text = "milk".map { Key.character($0) }
        take(stage, [.character("w"), .character("j"), .character("i")])
        take(stage, [.character("u", .control)] + text + [Key(.enter), .character("y")])
        #expect(keys.writes == 0)
        await stage.settle()
        #expect(keys.entries[1].value == "milk")
        #expect(stage.model.overlay == nil)
        #expect(stage.model.pendingInput.waiting.isEmpty)
    }

    @Test func movementAfterASearchStartsAtItsMatch() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(5_000)))
        let text = "k03000".map { Key.character($0) }
        take(stage, [.character("/")] + text + [Key(.enter), .character("j"), .character("j")])
        await stage.settle()
        #expect(stage.model.list?.cursorID == RowID("k03002"))
    }

    @Test func deletionAfterAFilterAppliesToTheFilteredRows() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        let text = "body".map { Key.character($0) }
        take(stage, [.character("w"), .character("f")] + text + [Key(.enter), .character("d")])
        await stage.settle()
        #expect(stage.text.contains("note/2/body"))
        #expect(stage.text.contains("Write?"))
        await stage.press("y")
        #expect(keys.entries.map(\.id.name) == ["note/1/due", "note/1/title", "note/2/title"])
    }

    @Test func keysTypedAfterUnlockingWaitForIt() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        take(stage, [.character("w"), .character("i")])
        // Whether the value can be edited is known only after the session has unlocked.
        #expect(stage.model.pendingInput.waiting == [.key(.character("i"))])
        await stage.settle()
        #expect(stage.text.contains("Enter: preview"))
    }

    @Test func escapeCancelsPendingRequestsAndKeys() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        take(stage, [.character("w"), .character("i"), .character("d"), Key(.escape)])
        await stage.settle()
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains("canceled"))
    }

    @Test func keysTypedBeforeThePaneLoadsApplyToItsRows() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.many(3), conflicts: try Sample.notes()))
        take(stage, [.character("2"), Key(.enter)])
        #expect(stage.model.overlay == nil)
        await stage.settle()
        guard let view = stage.model.overlay?.module as? ConflictView else {
            Issue.record("the conflict is not open")
            return
        }
        #expect(view.row == RowID("note/1/due"))
    }

    @Test func quittingDoesNotWait() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        take(stage, [.character("y"), .character("q")])
        #expect(stage.requests.contains(.leave(.quit)))
        await stage.settle()
    }

    @Test func heldKeyQueueIsLimited() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("t")
        take(stage, [Key](repeating: Key(.left), count: 500))
        #expect(stage.model.pendingInput.waiting.count <= 16)
        await stage.settle()
    }

    @Test func equalLookingValuesStartAtTheirDifference() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let source = try #require(stage.model.list).source.id
        func value(_ end: String) -> EditPreview.Value {
            EditPreview.Value(
                "<0001 … 48 B>", whole: TypedText(.data, String(repeating: "00", count: 40) + end),
                isCut: true)
        }
        let preview = EditPreview(
            edit: .set(RowID("k"), field: nil, TypedText(.data, "")), summary: "set k",
            changes: [.init(subject: "k", old: value("a1"), new: value("b2"))],
            device: try DeviceID("me"), file: "Logs.db")
        stage.model.showPreviews([preview], direction: .edit, source: source)
        #expect(stage.text.contains("- …00000000a1") && stage.text.contains("+ …00000000b2"))
    }
}
