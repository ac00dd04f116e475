import Foundation
import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Conflicts that the user chose to ignore.
@Suite struct IgnoredConflictTests {
    private let keys: FakeSource

    init() throws {
        keys = FakeSource(
            "Keys",
            [
                try Sample.entry("a", "1", sides: ["1", "2"]), try Sample.entry("b", "2"),
                try Sample.entry("c", "3", sides: ["3", "4"]),
            ])
    }

    private func stage() async throws -> Stage { await Stage(try Sample.session(keys: keys)) }

    private func kept(_ stage: Stage) -> [IgnoredConflict] {
        stage.effects.flatMap { effect -> [IgnoredConflict] in
            if case .keepIgnored(let marks) = effect { marks } else { [] }
        }
    }

    private func mark(_ stage: Stage, _ note: String = "") async {
        await stage.press("I")
        await stage.type(note)
        await stage.press("Enter")
    }

    @Test func ignoredConflictIsDimmedAndCountedSeparately() async throws {
        let stage = try await stage()
        #expect(stage.lines[0].contains("≠2"))
        await mark(stage, "both are right")
        #expect(stage.lines[0].contains("≠1") && stage.lines[0].contains("1 ignored"))
        #expect(stage.lines[2].hasPrefix("≈ a"))
        #expect(stage.text.contains("≈ ignored: both are right"))
        #expect(kept(stage).map(\.note) == ["both are right"])
        await stage.press("0")
        #expect(stage.text.contains("Ignored") && stage.text.contains("both are right"))
        await stage.press("Esc", "Enter")
        #expect(stage.lines.contains { $0.contains("≈ ignored: both are right  (since 2026") })
        #expect(!stage.model.writing.isWritable)
    }

    @Test func problemsCannotBeIgnored() async throws {
        let session = FakeSession(
            path: "/nowhere/a.store", panes: [Pane(.problems, keys, in: .package)],
            status: SessionStatus(phase: .live))
        let stage = await Stage(session)
        await stage.press("I")
        #expect(stage.text.contains("a conflict copy can't"), "\(stage.text)")
        await stage.press("j", "I")
        #expect(stage.text.contains(try #require(stage.model.whyNoIgnoring)), "\(stage.text)")
    }

    @Test func sidesStayVisibleWhileTypingTheNote() async throws {
        let stage = try await stage()
        await stage.press("Enter")
        #expect(stage.lines[23].contains("I ignore") && stage.lines[23].contains("c next≠"))
        await stage.press("I")
        await stage.type("both")
        #expect(stage.lines[23].contains("both") && stage.text.contains("≠ a"), "\(stage.text)")
        await stage.press("Enter")
        #expect(kept(stage).map(\.note) == ["both"])
    }

    @Test func resolvedConflictCannotBeIgnored() async throws {
        let stage = try await stage()
        await stage.press("Enter")
        keys.entries[0].sides = []
        await stage.emit(.changed(.keys, rows: [RowID("a"): .changed], isOwn: false))
        let view = try #require(stage.conflictView)
        #expect(view.conflict == nil)
        #expect(stage.text.contains(try #require(view.problem)))
        // By now the list of conflicts has selected the next row.
        stage.model.selectInList(2)
        await stage.press("I")
        #expect(stage.model.notice?.text.contains(try #require(stage.model.whyNoIgnoring)) == true)
        #expect(!stage.text.contains("because:"))
    }

    @Test func ignoreKeyAlsoStopsIgnoring() async throws {
        let stage = try await stage()
        await mark(stage)
        await stage.press("I")
        #expect(stage.lines[0].contains("≠2") && !stage.lines[0].contains("ignore"))
        #expect(stage.lines[23].contains("no longer ignored: a"))
        #expect(kept(stage).map(\.isWithdrawn) == [false, true])
    }

    @Test func ignoredRowIsNamedWithItsDocument() async throws {
        let row = try Sample.entry("7B0E4C52/bread", "1", sides: ["1", "2"])
        let concurrent = FakeSource("Concurrent", [row], subject: "Shopping")
        let stage = await Stage(try Sample.session(keys: concurrent))
        await mark(stage)
        #expect(stage.lines[23].contains(": Shopping 7B0E4C52/bread ("))
    }

    @Test func ignoredInnerRowIsNamedWithItsOuterRow() async throws {
        let documents = FakeSource("Documents", [try Sample.entry("7B0E4C52", "3")])
        let row = try Sample.entry("7B0E4C52/items/bread", "1", sides: ["1", "2"])
        documents.put(FakeSource("Shopping", [row]), inside: RowID("7B0E4C52"))
        let stage = await Stage(try Sample.session(keys: documents))
        await stage.press("Enter")
        await mark(stage)
        #expect(stage.lines[23].contains(": Shopping /items/bread ("))
    }

    @Test func conflictScreenIgnoresItsRow() async throws {
        let stage = try await stage()
        await stage.press("Enter", "I")
        await stage.type("fine")
        await stage.press("Enter")
        #expect(stage.text.contains("┌≈ a (ignored)─") && stage.text.contains("≈ ignored: fine"))
        await stage.press("I")
        #expect(stage.lines[0].contains("≠2") && stage.text.contains("┌≠ a─"))
        await stage.press("Esc")
        #expect(stage.model.overlay == nil)
    }

    @Test func notePromptReturnsToItsConflict() async throws {
        let stage = try await stage()
        await stage.press("Enter", "j", "I")
        #expect(stage.lines[23].hasPrefix("ignore a, with note:  optional"))
        await stage.press("Esc")
        guard let view = stage.model.overlay?.module as? ConflictView else {
            Issue.record("the conflict is not shown again")
            return
        }
        #expect(view.cursor == 1)
        #expect(stage.lines[0].contains("≠2") && stage.text.contains("┌≠ a─"))
    }

    @Test func notePromptReturnsToItsList() async throws {
        let stage = try await stage()
        await stage.press("G", "I")
        #expect(stage.lines[23].hasPrefix("ignore c, with note:  optional"))
        await stage.press("Esc")
        #expect(stage.model.overlay == nil && stage.lines[0].contains("≠2"))
    }

    @Test func newSideEndsIgnoring() async throws {
        let stage = try await stage()
        await mark(stage)
        keys.entries[0].sides = ["1", "2", "5"]
        await stage.emit(.changed(.keys, rows: [RowID("a"): .changed], isOwn: false))
        #expect(stage.lines[0].contains("≠2") && !stage.lines[0].contains("ignore"))
        keys.entries[0].sides = ["1", "2"]
        await stage.emit(.changed(.keys, rows: [RowID("a"): .changed], isOwn: false))
        #expect(stage.lines[0].contains("1 ignored"))
    }

    @Test func titleMarksAnIgnoredConflict() async throws {
        let stage = try await stage()
        await stage.press("Enter")
        #expect(stage.text.contains("┌≠ a─"))
        await stage.press("Esc")
        await mark(stage)
        await stage.press("Enter")
        #expect(stage.text.contains("┌≈ a (ignored)─"))
    }

    @Test func ignoredConflictsAreSkipped() async throws {
        let stage = try await stage()
        await stage.press("G")
        await mark(stage)
        await stage.press("gg", "c")
        #expect(stage.model.list?.cursorID == RowID("a"))
        await stage.press("w", "M")
        #expect(stage.text.contains("1 row in conflict"))
        await stage.press("Esc", "gg")
        await mark(stage)
        await stage.press("c")
        #expect(stage.lines[23].contains("all 2 conflicts are ignored"))
        await stage.press("M")
        #expect(stage.lines[23].contains("all 2 conflicts are ignored; mark rows"))
    }

    @Test func markedRowsAreIgnoredTogether() async throws {
        let stage = try await stage()
        await stage.press("v", "G")
        await mark(stage, "all fine")
        #expect(stage.lines[0].contains("2 ignored") && !stage.lines[0].contains("≠"))
        #expect(kept(stage).map(\.place.row) == ["a", "c"])
        await stage.press("gg", "j", "I")
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoIgnoring)))
    }

    @Test func ignoredConflictsOfEarlierRunsApplyAfterComparison() async throws {
        let first = try await stage()
        await mark(first, "earlier")
        let stage = try await stage()
        #expect(stage.lines[0].contains("≠2"))
        await stage.send(.ignored(kept(first)))
        #expect(stage.lines[0].contains("1 ignored"))
    }
}
