import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct MovingTests {
    private func stage(_ count: Int = 1_000) async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.many(count)))
    }

    /// Types `2` and a movement before the first rows of that tab arrive.
    @Test(arguments: ["j", "G", "PgDn"])
    func movementWaitsForTheFirstRows(_ name: String) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: try Sample.many(3)))
        stage.take(.input(.key(.character("2"))))
        #expect(stage.model.list?.isLoaded == false)
        for key in try #require(KeyNotation.keys(in: name)) { stage.take(.input(.key(key))) }
        await stage.settle()
        #expect(stage.model.pane?.id == .log)
        #expect(stage.model.list?.cursor == (name == "j" ? 1 : 2))
        #expect(stage.model.pendingInput.waiting.isEmpty)
    }

    /// A screen whose store is still loading and has no rows yet, with its source of keys.
    private func loadingStage() async throws -> (Stage, FakeSource) {
        let keys = FakeSource("Keys")
        let session = try Sample.session(keys: keys, log: FakeSource("Log"))
        session.status.phase = .loading(stage: "reading ipad", fraction: 0.4)
        return (await Stage(session), keys)
    }

    @Test(arguments: ["j", "G"])
    func movementWaitsWhileTheStoreLoads(_ name: String) async throws {
        let (stage, keys) = try await loadingStage()
        #expect(stage.model.list?.isLoaded == true && stage.model.list?.total == 0)
        await stage.press(name)
        keys.entries = try Sample.many(3).entries
        stage.session.status.phase = .live
        await stage.refreshStatus()
        #expect(stage.model.list?.total == 3)
        #expect(stage.model.list?.cursor == (name == "j" ? 1 : 2))
        #expect(stage.model.pendingInput.waiting.isEmpty)
    }

    @Test func reloadingAnEmptyListHoldsNoKeys() async throws {
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys"), log: FakeSource("Log")))
        // Another device writes, and the rows are requested again.
        stage.take(
            .event(
                SessionEvent(
                    .changed(.log, rows: [RowID("x"): .new], isOwn: false),
                    date: stage.model.now.date,
                    summary: "+1 x")))
        #expect(stage.model.list?.pending != nil)
        stage.take(.input(.key(.character("j"))))
        stage.take(.input(.key(.character("2"))))
        #expect(stage.model.pane?.id == .log && stage.model.pendingInput.waiting.isEmpty)
        await stage.settle()
    }

    @Test func otherKeysDoNotWaitForRows() async throws {
        let (stage, _) = try await loadingStage()
        let panes = stage.model.navigation.panes
        // The key is typed before the panes exist.
        stage.model.navigation.panes = []
        stage.take(.input(.key(.character("?"))))
        #expect(stage.model.pendingInput.waiting.count == 1)
        stage.model.navigation.panes = panes
        await stage.send(.woke(.ages))
        #expect(stage.model.overlay?.module is Help && stage.model.pendingInput.waiting.isEmpty)
    }

    @Test func slowLoadingReleasesHeldMovements() async throws {
        let (stage, _) = try await loadingStage()
        await stage.press("j", "2")
        #expect(stage.model.pane?.id == .keys && stage.model.pendingInput.waiting.count == 2)
        await stage.send(.woke(.opening))
        #expect(stage.model.pane?.id == .log && stage.model.pendingInput.waiting.isEmpty)
    }

    @Test func sideScrollingStopsAtTheTextEnds() async throws {
        let keys = FakeSource(
            "Keys",
            [
                try Sample.entry("a", String(repeating: "x", count: 100) + "END"),
                try Sample.entry("b", String(repeating: "y", count: 60) + "END"),
            ])
        let stage = await Stage(try Sample.session(keys: keys))
        for _ in 0..<30 { await stage.press("L") }
        #expect(stage.lines.filter { $0.contains("xxxEND") || $0.contains("yyyEND") }.count >= 2)
        // A single step back moves the longest text.
        let scrolled = try #require(stage.model.list?.sideScroll)
        await stage.press("H")
        #expect(try #require(stage.model.list?.sideScroll) < scrolled)
        #expect(!stage.lines[2].contains("END") && stage.lines[3].contains("yyyEND"))
    }

    @Test func escapeCancelsAPendingMovement() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: try Sample.many(3)))
        stage.take(.input(.key(.character("2"))))
        stage.take(.input(.key(.character("j"))))
        stage.take(.input(.key(Key(.escape))))
        #expect(stage.model.pendingInput.waiting.isEmpty)
        await stage.settle()
        #expect(stage.model.list?.cursor == 0)
    }

    @Test func keysMoveTheSelection() async throws {
        let stage = try await stage()
        await stage.press("j", "j", "Down")
        #expect(stage.model.list?.cursorID == RowID("k00003"))
        await stage.press("k")
        #expect(stage.model.list?.cursorID == RowID("k00002"))
        await stage.press("G")
        #expect(stage.model.list?.cursorID == RowID("k00999"))
        await stage.press("gg")
        #expect(stage.model.list?.cursorID == RowID("k00000"))
    }

    @Test func pagesMoveByTheVisibleHeight() async throws {
        let stage = try await stage()
        let height = stage.model.layout.listHeight
        await stage.press("PgDn")
        #expect(stage.model.list?.cursor == height - 1)
        await stage.press("^d")
        #expect(stage.model.list?.cursor == height - 1 + height / 2)
        await stage.press("^u", "PgUp")
        #expect(stage.model.list?.cursor == 0)
    }

    @Test func countRepeatsAMovement() async throws {
        let stage = try await stage()
        await stage.press("M-2", "5", "j")
        #expect(stage.model.list?.cursor == 25)
        await stage.press("M-5", "G")
        #expect(stage.model.list?.cursor == 4)
        await stage.press("M-9", "Esc", "j")
        #expect(stage.model.list?.cursor == 5)
    }

    @Test func movementStaysWithinTheList() async throws {
        let stage = try await stage(5)
        await stage.press("k", "M-9", "9", "9", "9", "9", "9", "9", "9", "9", "j")
        #expect(stage.model.list?.cursor == 4)
        await stage.press("^d", "PgDn", "j")
        #expect(stage.model.list?.cursor == 4)
    }

    @Test func onlyRowsNearTheVisibleOnesAreRequested() async throws {
        let stage = try await stage(20_000)
        for _ in 0..<5 { await stage.press("G", "PgUp", "gg", "PgDn") }
        let counts = stage.effects.compactMap { effect -> Int? in
            if case .window(_, _, let request) = effect { request.count } else { nil }
        }
        #expect(!counts.isEmpty)
        #expect(counts.allSatisfy { $0 <= 200 })
        #expect((stage.model.list?.rows.count ?? 0) <= 200)
    }

    @Test func stepWithinTheWindowRequestsNoRows() async throws {
        let stage = try await stage()
        let before = stage.effects.count
        await stage.press("j")
        let asked = stage.effects.dropFirst(before).contains { effect in
            if case .window = effect { true } else { false }
        }
        #expect(!asked)
    }

    @Test func visibleRowsAreLoadedAfterEveryAnswer() async throws {
        let stage = try await stage(5_000)
        var random = SeededRandom(seed: 7)
        for _ in 0..<100 {
            let keys = ["j", "k", "G", "gg", "PgDn", "PgUp", "^d", "^u"]
            await stage.press(keys.randomElement(using: &random) ?? "j")
            let list = try #require(stage.model.list)
            let visible = list.top..<min(list.total, list.top + stage.model.layout.listHeight)
            #expect(!visible.isEmpty && visible.allSatisfy { list.row(at: $0) != nil })
            #expect(list.row(at: list.cursor)?.id == list.cursorID)
        }
    }

    @Test func wheelScrollsAndClickSelects() async throws {
        let stage = try await stage()
        await stage.send(.input(.mouse(MouseEvent(.wheelDown, column: 5, row: 5))))
        #expect(stage.model.list?.top == 3)
        let row = stage.lines.firstIndex { $0.contains("k00010") }
        await stage.send(.input(.mouse(MouseEvent(.click, column: 5, row: try #require(row)))))
        #expect(stage.model.list?.cursorID == RowID("k00010"))
    }

    @Test func clickOnATitleSortsAndSecondClickReverses() async throws {
        let stage = try await stage(20)
        let row = try #require(stage.lines.firstIndex { $0.contains("KEY") })
        await stage.send(.input(.mouse(MouseEvent(.click, column: 3, row: row))))
        #expect(stage.model.list?.query.sort == .init(column: "key"))
        await stage.send(.input(.mouse(MouseEvent(.click, column: 3, row: row))))
        #expect(stage.model.list?.query.sort == .init(column: "key", isDescending: true))
        #expect(stage.model.list?.rows.first?.id == RowID("k00019"))
    }

    @Test func longTextsScrollSideways() async throws {
        let keys = FakeSource(
            "Keys",
            [
                try Sample.entry(
                    "a",
                    String(repeating: "x", count: 40) + "END" + String(repeating: "y", count: 90))
            ])
        let stage = await Stage(try Sample.session(keys: keys), columns: 60, rows: 12)
        #expect(!stage.lines[2].contains("END"))
        await stage.press("M-5", "L")
        // The mark for scrolled text replaces a letter.
        #expect(stage.lines[2].contains("…NDy"))
        await stage.press("M-9", "H")
        #expect(!stage.lines[2].contains("END"))
    }

    @Test func numbersAndTabsChooseThePane() async throws {
        let log = FakeSource("Log", [try Sample.entry("x", "1")], isNewestFirst: true)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: log))
        await stage.press("2")
        #expect(stage.model.pane?.id == .log)
        await stage.press("3")
        #expect(stage.model.panels.focus == .list)
        #expect(stage.text.contains("no tab 3"))
        await stage.press("E")
        #expect(stage.model.panels.focus == .events)
        await stage.press("1")
        #expect(stage.model.pane?.id == .keys)
        #expect(stage.model.panels.focus == .list)
        await stage.press("]")
        #expect(stage.model.pane?.id == .log)
        await stage.press("[", "Tab")
        #expect(stage.model.panels.focus == .inspector)
        await stage.press("BackTab")
        #expect(stage.model.panels.focus == .list)
    }

    @Test func eventsAreTheLastTab() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: try Sample.many(3)))
        func shown() -> String? {
            stage.model.panels.focus == .events ? "events" : stage.model.pane?.id.name
        }
        var seen: [String?] = []
        for _ in 0..<4 {
            await stage.press("]")
            seen.append(shown())
        }
        #expect(seen == ["log", "events", "keys", "log"])
        await stage.press("E", "]")
        #expect(shown() == "keys")
        await stage.press("[", "[")
        #expect(shown() == "log")
    }

    @Test func innerListsOpenAndClose() async throws {
        let keys = try Sample.notes()
        keys.put(
            FakeSource("Inside", [try Sample.entry("deep", "1")]), inside: RowID("note/2/body"))
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "j", "Enter")
        #expect(stage.model.breadcrumb == "Keys › Inside")
        #expect(stage.model.list?.cursorID == RowID("deep"))
        await stage.press("Esc")
        #expect(stage.model.breadcrumb == "Keys")
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
        #expect(stage.effects.contains { if case .release = $0 { true } else { false } })
    }

    @Test func escapeFirstClearsTheFilterOfAnInnerList() async throws {
        let keys = try Sample.notes()
        keys.put(
            FakeSource("Inside", [try Sample.entry("deep", "1"), try Sample.entry("other", "2")]),
            inside: RowID("note/2/body"))
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "j", "Enter")
        for filter in ["deep", "nothing of this"] {
            await stage.press("f")
            await stage.type(filter)
            await stage.press("Enter")
            if filter != "deep" { #expect(stage.text.contains("Esc to clear it")) }
            await stage.press("Esc")
            #expect(stage.model.breadcrumb == "Keys › Inside")
            #expect(stage.model.list?.query.filter == "" && stage.model.list?.total == 2)
        }
        await stage.press("Esc")
        #expect(stage.model.breadcrumb == "Keys")
    }

    @Test func escapeFirstClearsTheFilterAfterALink() async throws {
        let log = FakeSource(
            "Log", [try Sample.entry("other", "1"), try Sample.entry("note/1/title", "2")])
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: log), columns: 120, rows: 40)
        await stage.press("j", "Enter", "G", "Enter", "f")
        #expect(stage.model.pane?.id == .log)
        await stage.type("zzz")
        await stage.press("Enter", "Esc")
        #expect(stage.model.pane?.id == .log)
        #expect(stage.model.list?.query.filter == "" && stage.model.list?.total == 2)
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .keys)
    }

    @Test func serverGroupKeepsItsFilterWhenOpened() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "servers")
        await stage.press("f")
        await stage.type("country:FR tier:0 servers>0")
        await stage.press("Enter")
        let group = try #require(stage.model.list?.selectedRow)
        await stage.press("Enter")
        #expect(stage.model.pane?.lists.count == 2)
        #expect(stage.model.list?.query.filter == "country:FR tier:0")
        #expect(stage.model.list.map { String($0.total) } == group.cells[2].text)
        // Escape removes the typed part first and keeps the filter of the link.
        await stage.press("f")
        await stage.type(" load<0")
        #expect(stage.model.list?.total == 0)
        await stage.press("Enter", "Esc")
        #expect(stage.model.list?.query.filter == "country:FR tier:0")
        #expect(stage.model.pane?.lists.count == 2)
        await stage.press("Esc")
        #expect(stage.model.pane?.lists.count == 1)
        #expect(stage.model.list?.query.filter == "country:FR tier:0 servers>0")
        await session.close()
    }

    @Test func linkLeadsToARowAndBack() async throws {
        let log = FakeSource(
            "Log", [try Sample.entry("other", "1"), try Sample.entry("note/1/title", "2")])
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: log), columns: 120, rows: 40)
        await stage.press("j", "Enter")
        #expect(stage.model.panels.focus == .inspector)
        await stage.press("G", "Enter")
        #expect(stage.model.pane?.id == .log)
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .keys)
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
    }

    @Test func listScrollsBackToFillFreedSpace() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(69)))
        await stage.press("G")
        let top = try #require(stage.model.list).top
        // This state occurs after a hidden timeline frees its rows.
        stage.model.navigation.withList { $0.top = 68 }
        await stage.send(.woke(.marks))
        #expect(stage.model.list?.top == top)
    }
}
