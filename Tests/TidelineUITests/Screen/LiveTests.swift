import Replication
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct LiveTests {
    private let keys: FakeSource

    init() throws { keys = try Sample.notes() }

    private func stage(columns: Int = 80, rows: Int = 24) async throws -> Stage {
        await Stage(try Sample.session(keys: keys), columns: columns, rows: rows)
    }

    private func change(_ stage: Stage, to value: String) async {
        keys.entries[2].value = value
        await stage.emit(
            .changed(.keys, rows: [RowID("note/2/body"): .changed], isOwn: false),
            summary: "~1 note/2/body", device: "ipad")
    }

    @Test func remoteChangeIsShownAtOnceAndMarked() async throws {
        let stage = try await stage()
        await change(stage, to: "bread")
        #expect(stage.lines[4].hasPrefix("~ note/2/body"))
        #expect(stage.lines[4].contains("bread"))
        #expect(stage.surface[4, 4].style.attributes.contains(.bold))
        #expect(stage.model.list?.cursor == 0)
    }

    @Test func deviceEventsReloadTheList() async throws {
        let stage = try await stage()
        func asks(_ kind: SessionEvent.Kind) async -> Bool {
            let before = stage.effects.count
            await stage.emit(kind)
            return stage.effects.dropFirst(before).contains {
                if case .window = $0 { true } else { false }
            }
        }
        #expect(await asks(.devices))
        #expect(await !asks(.status))
    }

    @Test func marksFadeAndDisappearWithoutPolling() async throws {
        let stage = try await stage()
        await change(stage, to: "bread")
        let wakes = {
            stage.effects.compactMap { effect -> Duration? in
                if case .wake(.marks, let delay) = effect { delay } else { nil }
            }
        }
        #expect(wakes() == [.microseconds(1_500_000)])
        stage.advance(seconds: 1.5)
        await stage.send(.woke(.marks))
        #expect(!stage.surface[4, 4].style.attributes.contains(.bold))
        #expect(stage.lines[4].hasPrefix("~"))
        stage.advance(seconds: 10.5)
        await stage.send(.woke(.marks))
        #expect(stage.surface[0, 4].style.attributes.contains(.dim))
        stage.advance(seconds: 48)
        await stage.send(.woke(.marks))
        #expect(stage.lines[4].hasPrefix("  note/2/body"))
        // No alarm is set without marks.
        #expect(wakes().count == 3)
        #expect(stage.model.requests.alarms[.marks] == nil)
        #expect(stage.model.requests.alarms[.deletedRows] == nil)
    }

    @Test func everyMarkHasASign() async throws {
        let stage = try await stage()
        let rows: [RowID: RowMark] = [
            RowID("note/1/title"): .new, RowID("note/2/body"): .conflict,
            RowID("note/2/title"): .deleted,
        ]
        await stage.emit(.changed(.keys, rows: rows, isOwn: false))
        #expect(stage.lines[2...5].map { String($0.prefix(1)) } == ["≠", "+", "≠", "-"])
    }

    @Test func rowWithInnerConflictsHasADimmedSign() async throws {
        var entries = try ["a", "b", "c"].map { try Sample.entry($0, "1") }
        entries[1].inside = 2
        entries[2].sides = ["1", "2"]
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys", entries)))
        #expect(stage.lines[2...4].map { String($0.prefix(1)) } == [" ", "≠", "≠"])
        #expect(stage.surface[0, 3].style.attributes.contains(.dim))
        #expect(!stage.surface[0, 4].style.attributes.contains(.dim))
    }

    @Test func pausedFeedHoldsNewEvents() async throws {
        let stage = try await stage()
        await stage.press("P")
        await change(stage, to: "bread")
        await change(stage, to: "butter")
        #expect(stage.lines[0].contains("PAUSED 2 held"))
        // An event that the Events panel doesn't list isn't counted.
        await stage.emit(.devices)
        #expect(stage.lines[0].contains("PAUSED 2 held"))
        #expect(stage.lines[4].contains("milk, eggs"))
        await stage.press("P")
        #expect(stage.lines[4].contains("butter"))
        #expect(stage.lines[0].contains("LIVE"))
        #expect(stage.model.panelStates.events.lines.map(\.count) == [2])
    }

    @Test func footerOfTheListNamesTheKeysThatEndPausingAndFollowing() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 120, rows: 24)
        #expect(!stage.lines[23].contains("P ") && stage.lines[23].contains("F follow"))
        await stage.press("F")
        stage.model.notice = nil
        #expect(stage.lines[23].contains("F stop following"), "\(stage.lines[23])")
        await stage.press("P")
        stage.model.notice = nil
        #expect(stage.lines[23].hasPrefix(" P resume"), "\(stage.lines[23])")
        await stage.press("P", "F")
        stage.model.notice = nil
        #expect(!stage.lines[23].contains("resume") && stage.lines[23].contains("F follow"))
    }

    @Test func pausingDuringTimeTravelIsReported() async throws {
        let stage = try await stage()
        await stage.press("t", "P")
        #expect(stage.text.contains("events are paused; press P to resume"), "\(stage.text)")
        await stage.press("t")
        #expect(stage.lines[0].contains("PAUSED 0 held"), "\(stage.lines[0])")
    }

    @Test func pauseHintShowsTheCurrentEffect() async throws {
        let stage = try await stage()
        await stage.press("E")
        #expect(stage.lines.last?.contains("P pause") == true)
        await stage.press("P")
        #expect(stage.lines.last?.contains("P resume") == true)
        await change(stage, to: "bread")
        await stage.press("P")
        #expect(stage.lines.last?.contains("1 held event released") == true)
    }

    @Test func eventsAreListedNewestLast() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await change(stage, to: "bread")
        await stage.emit(.device(state: "unreadable", problem: "not a database"), device: "mac")
        let text = stage.text
        #expect(text.contains("ipad ~1 note/2/body"))
        #expect(text.contains("mac ! unreadable: not a database"))
    }

    @Test func eventLeadsToItsRow() async throws {
        let stage = try await stage()
        await change(stage, to: "bread")
        await stage.press("E", "Enter")
        #expect(stage.model.panels.focus == .list)
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
    }

    @Test func followingSelectsNewRowsUntilMovingAway() async throws {
        let log = FakeSource(
            "Log", try (0..<100).map { try Sample.entry("r\(1099 - $0)", "x") },
            isNewestFirst: true)
        let stage = await Stage(try Sample.session(keys: keys, log: log))
        await stage.press("2", "F")
        #expect(stage.lines[0].contains("FOLLOW"))
        #expect(stage.model.list?.cursorID == RowID("r1099"))
        log.entries.insert(try Sample.entry("r2000", "new"), at: 0)
        await stage.emit(.changed(.log, rows: [RowID("r2000"): .new], isOwn: false))
        #expect(stage.model.list?.cursorID == RowID("r2000"))
        #expect(stage.text.contains("r2000"))
        await stage.press("k")
        #expect(stage.lines[0].contains("FOLLOW"))
        await stage.press("j")
        #expect(!stage.lines[0].contains("FOLLOW"))
        #expect(stage.model.list?.cursorID == RowID("r1099"))
        log.entries.insert(try Sample.entry("r3000", "newer"), at: 0)
        await stage.emit(.changed(.log, rows: [RowID("r3000"): .new], isOwn: false))
        #expect(stage.model.list?.cursorID == RowID("r1099"))
    }

    @Test func followingSelectsTheChangedRowOfAListThatIsNotNewestFirst() async throws {
        let stage = try await stage()
        await stage.press("F")
        await change(stage, to: "bread")
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
    }

    @Test func agesUseTheCurrentTime() async throws {
        let stage = try await stage()
        #expect(stage.lines[4].hasSuffix("9s"))
        stage.advance(seconds: 120)
        #expect(stage.lines[4].hasSuffix("2m"))
    }

    @Test func listErrorIsShownNextToItsRows() async throws {
        let stage = try await stage()
        stage.model.session.version += 1
        stage.take(.notice(Notice(.info, "")))
        let id = try #require(stage.model.list?.pending?.id)
        await stage.send(.window(id, .failure(RequestFailure(.other, "database is locked"))))
        #expect(stage.text.contains("! database is locked (R: retry)"))
        #expect(stage.text.contains("Groceries"))
        await stage.press("R")
        #expect(!stage.text.contains("database is locked"))
    }

    @Test func shownPaneSurvivesChangesToThePaneList() async throws {
        let stage = try await stage()
        let pane = try #require(stage.model.pane)
        let info = { (id: PaneID, number: Int) in
            PaneInfo(
                id: id,
                source: SourceInfo(id: SourceID(number), info: ListInfo(id.name, columns: [])))
        }
        let keysInfo = PaneInfo(id: .keys, source: pane.list.source)
        stage.take(
            .session(
                SessionSnapshot(
                    status: stage.model.session.status, panes: [info(.log, 90), keysInfo])))
        #expect(stage.model.pane?.id == .keys)
        #expect(stage.model.navigation.activePane == 1)
        stage.take(
            .session(SessionSnapshot(status: stage.model.session.status, panes: [info(.log, 90)])))
        #expect(stage.model.pane?.id == .log)
        stage.take(.session(SessionSnapshot(status: stage.model.session.status, panes: [])))
        #expect(stage.model.pane == nil)
        #expect(!stage.text.isEmpty)
    }
}
