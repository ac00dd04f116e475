import Testing
import TidelineCore

@testable import TidelineUI

/// The screen of a store that was moved or deleted.
@Suite struct DeletedStoreTests {
    private func stage(
        keys: FakeSource, log: FakeSource? = nil, columns: Int = 120, rows: Int = 40
    ) async throws -> Stage {
        await Stage(try Sample.session(keys: keys, log: log), columns: columns, rows: rows)
    }

    private func deleteStore(_ stage: Stage) async {
        stage.session.status.phase = .missing
        await stage.refreshStatus()
        await stage.emit(.deleted)
    }

    /// A key in conflict, with a base for its sides.
    private func conflict() throws -> FakeSource {
        var entry = try Sample.entry("trip", "x", sides: ["red car", "blue car"])
        entry.base = "old car"
        return FakeSource("Keys", [entry])
    }

    @Test func lastRowIsVisibleAboveTheNotice() async throws {
        let stage = try await stage(keys: try Sample.many(100), columns: 80, rows: 24)
        await deleteStore(stage)
        await stage.press("G")
        let last = try #require(stage.lines.firstIndex { $0.contains("k00099") })
        #expect(stage.lines[last + 1].contains("! \(SessionState.whyMissing.prefix(20))"))
        await stage.press("gg")
        #expect(stage.model.list?.top == 0)
    }

    @Test func shownConflictKeepsItsLoadedSides() async throws {
        let keys = try conflict()
        let stage = try await stage(keys: keys)
        await stage.press("Enter")
        keys.entries[0].base = nil
        keys.entries[0].sides = ["red car", "green car"]
        await deleteStore(stage)
        #expect(stage.text.contains("old car") && stage.text.contains("blue car"))
        #expect(!stage.text.contains("no common base") && !stage.text.contains("green car"))
        #expect(stage.text.contains("! \(SessionState.whyMissing.prefix(48))"))
        stage.session.status.phase = .live
        await stage.refreshStatus()
        await stage.emit(.returned)
        #expect(stage.text.contains("green car"))
        #expect(!stage.text.contains("moved or deleted"))
    }

    @Test func visibleRowsKeepTheirLoadedSides() async throws {
        let keys = try conflict()
        let stage = try await stage(keys: keys, columns: 200, rows: 60)
        let known = stage.model.panelStates.conflicts.known
        #expect(known[RowID("trip")]?.sides.count == 2)
        keys.entries[0].sides = ["red car"]
        await deleteStore(stage)
        #expect(stage.model.panelStates.conflicts.known == known)
        keys.entries[0].sides = ["red car", "green car"]
        stage.session.status.phase = .live
        await stage.refreshStatus()
        await stage.emit(.returned)
        #expect(stage.model.panelStates.conflicts.known != known)
    }

    @Test func rowsKeepTheirLoadedCells() async throws {
        let keys = try Sample.notes()
        let stage = try await stage(keys: keys, columns: 80, rows: 24)
        let row = try #require(stage.model.list?.rows.first)
        let text = try #require(row.cells.first { $0.text.count > 2 }?.text)
        await deleteStore(stage)
        keys.entries = []
        await stage.emit(.loaded)
        #expect(stage.text.contains(text), "\(stage.text)")
        stage.session.status.phase = .live
        await stage.refreshStatus()
        await stage.emit(.returned)
        #expect(stage.model.list?.rows.isEmpty == true, "\(stage.text)")
    }

    @Test(arguments: [(80, 24), (100, 30), (200, 60)])
    func conflictShowsTheNoticeOnce(_ columns: Int, _ rows: Int) async throws {
        let stage = try await stage(keys: try conflict(), columns: columns, rows: rows)
        await stage.press("Enter")
        await deleteStore(stage)
        #expect(stage.text.ranges(of: "moved or deleted").count == 1)
        await stage.press("Esc")
        #expect(stage.text.ranges(of: "moved or deleted").count == 1)
    }

    @Test func loadedListWithoutRowsIsReported() async throws {
        let log = FakeSource("Log")
        let stage = try await stage(keys: try Sample.notes(), log: log)
        await stage.press("2", "1")
        log.failure = CoreError(.noAnswer, "the log can't be read")
        await deleteStore(stage)
        await stage.press("2")
        #expect(stage.text.contains("Log: no rows"))
        #expect(!stage.text.contains("had not loaded when"))
    }

    @Test func unloadedConflictIsReportedAsResolved() async throws {
        let keys = try conflict()
        let stage = try await stage(keys: keys, columns: 80, rows: 24)
        keys.entries = []
        stage.session.status.phase = .missing
        await stage.refreshStatus()
        await stage.press("Enter")
        #expect(!stage.text.contains("red car, "))
        let view = try #require(stage.conflictView)
        #expect(view.conflict == nil)
        #expect(stage.text.contains("! \(try #require(view.problem))"))
    }

    @Test func inspectorOfAnUnloadedListShowsNoRow() async throws {
        let log = FakeSource("Log", [try Sample.entry("a", "1")])
        log.failure = CoreError(.noAnswer, "the log can't be read")
        let stage = try await stage(keys: try Sample.notes(), log: log)
        #expect(stage.text.contains("Inspector: note/1/due"))
        await deleteStore(stage)
        await stage.press("2")
        #expect(stage.model.list?.source.title == "Log")
        #expect(!stage.text.contains("Inspector: "))
        await stage.press("1")
        #expect(stage.text.contains("note/1/due"))
    }

    @Test func emptyListHintsOnlyAtOtherTabs() async throws {
        let log = FakeSource("Log")
        let stage = try await stage(keys: try Sample.notes(), log: log)
        await stage.press("2")
        await deleteStore(stage)
        #expect(
            stage.model.panelStates.list.hints(in: stage.model.context) == ["next-pane", "help"])
        #expect(stage.model.panelStates.list.place(in: stage.model.context).isEmpty)
    }

    @Test func timelineHidesUnavailableTimeTravel() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        #expect(stage.text.contains("t time travel"))
        await deleteStore(stage)
        #expect(!stage.text.contains("time travel"))
    }

    @Test func deletedStoreInTimeTravelShowsBothBadges() async throws {
        let stage = try await stage(keys: try Sample.notes())
        await stage.press("t")
        await deleteStore(stage)
        #expect(stage.lines[0].contains(" PAST MISSING "))
    }

    @Test func listHintsOnlyAtActionsThatNeedNoStore() async throws {
        let stage = try await stage(keys: try Sample.notes())
        #expect(stage.model.panelStates.list.hints(in: stage.model.context).contains("filter"))
        await deleteStore(stage)
        #expect(stage.text.contains("note/2/body"))
        #expect(
            stage.model.panelStates.list.hints(in: stage.model.context)
                == ["enter", "next-pane", "help"])
        await stage.press("j")
        #expect(
            stage.model.panelStates.list.hints(in: stage.model.context) == ["next-pane", "help"])
        await stage.press("0")
        #expect(!stage.model.panelStates.inspector.hints(in: stage.model.context).contains("copy"))
    }
}
