import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The Events panel: write rates per device, filtering, and alerts.
@Suite struct FeedTests {
    private func stage(columns: Int = 80, rows: Int = 24) async throws -> Stage {
        await Stage(
            try Sample.session(keys: try Sample.notes()), columns: columns, rows: rows)
    }

    private func write(_ stage: Stage, _ row: String, by device: String, count: Int = 1) async {
        let rows = (0..<count).map { (RowID(count == 1 ? row : "\(row)\($0)"), RowMark.changed) }
        await stage.emit(
            .changed(.keys, rows: Dictionary(uniqueKeysWithValues: rows), isOwn: false),
            summary: "+\(count) \(row)", device: device)
    }

    @Test(arguments: [
        (0.5, nil), (-2.5, nil), (3, "3 s late"), (125, "2 min late"),
        (7_300, "2 h late"),
        (200_000, "2 d late"), (-4, "clock ahead"), (.infinity, nil),
    ])
    func lateEventShowsItsDelay(_ seconds: Double, _ text: String?) async throws {
        #expect(Timestamp.lateness(ofSeconds: seconds) == text)
        guard seconds.isFinite else { return }
        let stage = try await stage()
        let now = stage.model.now
        await stage.send(
            .event(
                SessionEvent(
                    .changed(.keys, rows: [RowID("a"): .changed], isOwn: false), date: now.date,
                    device: try DeviceID("ipad"), summary: "+1 a",
                    written: Timestamp(
                        microseconds: now.microseconds - Int64(seconds * 1_000_000)))))
        await stage.press("E")
        let line = try #require(stage.lines.first { $0.contains("+1 a") })
        #expect(line.hasSuffix(text.map { "+1 a \($0)" } ?? "+1 a"))
        await stage.press("f")
        await stage.type("late>1h")
        await stage.press("Enter")
        #expect(stage.model.panelStates.events.lines.count == (seconds > 3_600 ? 1 : 0))
    }

    @Test func rowEventLeadsToItsRow() async throws {
        let stage = try await stage()
        await stage.emit(.status, summary: "nothing to go to")
        await stage.press("E")
        #expect(!stage.lines[23].contains("Enter"))
        await stage.emit(.resolved(.keys, RowID("note/2/body")))
        await stage.press("G")
        #expect(stage.lines[23].contains("Enter open"))
        await stage.press("Enter")
        #expect(stage.model.panels.focus == .list)
        #expect(stage.model.list?.cursorID == RowID("note/2/body"))
    }

    @Test func ratesFallWithoutNewEvents() async throws {
        let stage = try await stage()
        await stage.press("E")
        await write(stage, "a", by: "ipad", count: 12)
        await write(stage, "b", by: "mac")
        let ipad = try #require(stage.lines.first { $0.hasPrefix("ipad") })
        #expect(ipad.contains("█") && ipad.contains("12 rows/min"))
        #expect(stage.lines.contains { $0.hasPrefix("mac") && $0.contains("1 row/min") })
        stage.advance(seconds: 70)
        await stage.send(.woke(.ages))
        #expect(stage.lines.contains { $0.hasPrefix("ipad") && $0.contains("0 rows/min") })
        let wakes = stage.effects.count { if case .wake(.ages, _) = $0 { true } else { false } }
        #expect(wakes > 0)
        stage.advance(seconds: 400)
        await stage.send(.woke(.ages))
        #expect(!stage.lines.contains { $0.hasPrefix("ipad") })
        #expect(stage.model.panelStates.events.rates.nextChange(after: stage.model.now) == nil)
    }

    @Test func ratesCountRowsInsteadOfKeys() async throws {
        let stage = try await stage()
        await stage.press("E")
        await stage.send(
            .event(
                SessionEvent(
                    .changed(.keys, rows: [RowID("note/1/title"): .changed], isOwn: false),
                    date: stage.model.now.date, device: try DeviceID("ipad"),
                    summary: "+7 note/1/title", rowCount: 7)))
        #expect(stage.lines.contains { $0.hasPrefix("ipad") && $0.contains("7 rows/min") })
        // A narrow panel shows the bars first.
        stage.take(.input(.resize(columns: 24, rows: 10)))
        await stage.settle()
        #expect(stage.lines.contains { $0.hasPrefix("ipad") && $0.contains(" 7/min") })
    }

    @Test func filterAppliesToOldAndNewEvents() async throws {
        let stage = try await stage()
        await write(stage, "note/1", by: "ipad")
        await write(stage, "note/2", by: "mac")
        await stage.press("E", "f")
        await stage.type("device:mac")
        #expect(stage.model.panelStates.events.lines.map(\.name) == ["mac"])
        await stage.press("Enter")
        await write(stage, "note/3", by: "ipad")
        await write(stage, "note/4", by: "mac")
        #expect(stage.model.panelStates.events.lines.map(\.text) == ["+1 note/2", "+1 note/4"])
        #expect(stage.text.contains("Events: device:mac"))
        await stage.press("Esc")
        #expect(
            stage.model.panels.focus == .events && stage.model.panelStates.events.lines.count == 4)
        await stage.press("Esc")
        #expect(stage.model.panels.focus == .list)
    }

    @Test func unknownFilterFieldIsMarkedAndHidesNoEvents() async throws {
        let stage = try await stage()
        await write(stage, "note/1", by: "ipad")
        await stage.press("E", "f")
        await stage.type("mac devise:x")
        #expect(stage.model.panelStates.events.lines.map(\.name) == ["ipad"])
        let line = try #require(stage.lines.firstIndex { $0.hasPrefix("events: mac devise:x") })
        #expect(
            stage.lines[line + 1].hasPrefix(String(repeating: " ", count: 12) + "^ unknown field"))
        await stage.press("Enter")
        #expect(stage.model.overlay != nil)
        await stage.press("Esc")
        #expect(stage.model.panelStates.events.filter.isEmpty)
    }

    @Test func noMatchesShowsTheTotalAndAHint() async throws {
        let stage = try await stage()
        await write(stage, "note/1", by: "ipad")
        await stage.press("E", "f")
        await stage.type("zzz")
        await stage.press("Enter")
        #expect(stage.text.contains("0 of 1 events") && stage.text.contains("press Esc to clear"))
    }

    @Test func alertStaysMarkedAndCountedUntilViewed() async throws {
        let stage = try await stage()
        await stage.press("j", "b")
        await write(stage, "note/1/title", by: "ipad")
        stage.advance(seconds: 5)
        await write(stage, "note/1/title", by: "ipad")
        await write(stage, "other", by: "ipad")
        await stage.press("k")
        #expect(stage.lines[0].contains("◆2"))
        await stage.press("E")
        #expect(!stage.lines[0].contains("◆"))
        #expect(stage.lines.count { $0.contains("◆ ipad") } == 2)
        await stage.press("f")
        await stage.type("alert:yes")
        #expect(stage.model.panelStates.events.lines.count == 2)
    }

    @Test func alertsAreListedAndRemovable() async throws {
        let stage = try await stage()
        await stage.press("j", "b", ":")
        await stage.type("alerts")
        await stage.press("Enter")
        #expect(stage.lines.contains { $0.contains("1 note/1/title") })
        #expect(stage.lines[23].contains("Enter remove"))
        await stage.press("Enter")
        #expect(stage.model.watching.alerts.isEmpty)
    }

    @Test func escapeReturnsToTheFollowedEvent() async throws {
        let stage = try await stage()
        await stage.emit(.resolved(.keys, RowID("note/1/title")))
        await stage.emit(.resolved(.keys, RowID("note/2/body")))
        await stage.press("E", "Enter")
        #expect(stage.model.panels.focus == .list)
        // New events don't move the selection.
        await stage.emit(.resolved(.keys, RowID("note/2/title")))
        await stage.press("Esc")
        #expect(stage.model.panels.focus == .events)
        #expect(stage.model.panelStates.events.selectedLine?.text == "resolved note/2/body")
        await stage.press("k", "Enter", "Esc")
        #expect(stage.model.panelStates.events.selectedLine?.text == "resolved note/1/title")
        await stage.press("Esc")
        #expect(stage.model.panels.focus == .list && stage.model.navigation.trail.isEmpty)
    }

    @Test func searchFindsNewestEventsFirst() async throws {
        let stage = try await stage()
        for name in ["Milk", "bread", "milk two", "eggs"] {
            await write(stage, name, by: "ipad")
        }
        await stage.press("E", "/")
        await stage.type("milk")
        #expect(stage.model.panels.focus == .events)
        #expect(stage.model.panelStates.events.selectedLine?.text == "+1 milk two")
        await stage.press("Enter", "n")
        #expect(stage.model.panelStates.events.selectedLine?.text == "+1 Milk")
        await stage.press("n")
        #expect(stage.model.panelStates.events.selectedLine?.text == "+1 milk two")
        #expect(stage.text.contains("search wrapped"))
        await stage.press("N")
        #expect(stage.model.panelStates.events.selectedLine?.text == "+1 Milk")
        await stage.press("G", "/")
        await stage.type("bread")
        await stage.press("Esc")
        #expect(stage.model.panelStates.events.selectedLine?.text == "+1 eggs")
        await stage.press("/")
        await stage.type("butter")
        await stage.press("Enter")
        #expect(stage.text.contains("no event contains “butter”"))
        await stage.press("f")
        await stage.type("eggs")
        await stage.press("Enter", "/")
        await stage.type("Milk")
        await stage.press("Enter")
        #expect(stage.text.contains("the filter contains “Milk”"))
        #expect(stage.model.list?.searchText == "")
    }

    @Test func sortingTheFeedExplainsItsFixedOrder() async throws {
        let stage = try await stage()
        await stage.press("E", "o")
        #expect(stage.model.overlay == nil && stage.model.panels.focus == .events)
        #expect(stage.text.contains("sorted by arrival"))
    }

    @Test func exportWritesTheFilteredEvents() async throws {
        let folder = try TemporaryFolder()
        let stage = try await stage()
        await write(stage, "note/1/title", by: "mac")
        await write(stage, "note/2/body", by: "ipad")
        await stage.press("E", "f")
        await stage.type("device:ipad")
        await stage.press("Enter")
        let path = folder.appending("feed.jsonl")
        let export = try #require(Action.named("export"))
        #expect(stage.model.title(of: export).hasPrefix("Export 1 event matching "))
        await stage.perform(export, .init(argument: "jsonl \(path)"))
        #expect(stage.text.contains("exported 1 event to"))
        let lines = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            lines == #"{"alert":false,"date":"2026-05-09T06:13:20.000000Z","device":"ipad","kind":"#
                + #""received","late":null,"name":"ipad","pane":"keys","problem":false,"#
                + #""row":"note/2/body","times":1,"what":"+1 note/2/body"}"# + "\n")
        await stage.perform(export, .init(argument: "jsonl /nowhere/notes.store/feed"))
        #expect(stage.text.contains("is inside the store"))
    }

    @Test func deviceNamesFillTheSpaceNextToTheBars() async throws {
        let stage = try await stage()
        stage.session.status.devices[0].name = "The tablet in the kitchen"
        stage.session.status.devices[1].name = String(repeating: "long ", count: 20)
        await stage.refreshStatus()
        await stage.press("E")
        await write(stage, "a", by: "ipad")
        await write(stage, "b", by: "mac")
        let rates = stage.lines.filter { $0.contains("/min") }
        #expect(rates.first?.hasPrefix("The tablet in the kitchen  ") == true)
        #expect(rates.last?.hasPrefix("long long long long long long lon… ") == true)
    }

    @Test func eventWithManyRowsLeadsToTheFirstExistingRow() async throws {
        let stage = try await stage()
        await stage.emit(
            .changed(
                .keys,
                rows: [
                    RowID("note/2/title"): .new, RowID("note/1/title"): .changed,
                    RowID("a"): .deleted,
                ], isOwn: false), summary: "+1 ~1 -1 note/…", device: "ipad")
        await stage.press("E", "G", "Enter")
        #expect(stage.model.pane?.id == .keys)
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
    }

    private func arrive(_ stage: Stage, late seconds: [Double], text: String) async {
        for late in seconds {
            let now = stage.model.now
            let rows = [RowID("a"): RowMark.changed, RowID("b"): .changed]
            await stage.send(
                .event(
                    SessionEvent(
                        .changed(.keys, rows: rows, isOwn: false), date: now.date, summary: text,
                        written: Timestamp(
                            microseconds: now.microseconds - Int64(late * 1_000_000)))))
        }
    }

    @Test func seriesOfResolvedConflictsEndsWithACount() async throws {
        let stage = try await stage()
        for number in 1...2_999 {
            await stage.send(
                .event(
                    SessionEvent(
                        .resolved(.keys, RowID("bulk/\(number)")), date: stage.model.now.date,
                        summary: "resolved bulk/\(number)")))
        }
        await stage.press("E")
        #expect(stage.text.contains("resolved bulk/10, and 2,989 more"))
        #expect(stage.model.panelStates.events.lines.count == 10)
    }

    @Test func combinedEventShowsItsLongestDelay() async throws {
        let stage = try await stage()
        await arrive(stage, late: [7_300, 60], text: "+2 …")
        await stage.press("E", "f")
        await stage.type("late>1h")
        await stage.press("Enter")
        #expect(stage.model.panelStates.events.lines.count == 1)
        #expect(stage.text.contains("+2 … up to 2 h late (2×)"))
    }

    @Test func truncatedEventStillShowsItsDelay() async throws {
        let stage = try await stage()
        await arrive(
            stage, late: [7_300], text: "~3 entities (" + String(repeating: "book, ", count: 30))
        await stage.press("E")
        let line = try #require(stage.lines.first { $0.contains("~3 entities") })
        #expect(line.hasSuffix("… up to 2 h late"))
    }

    @Test func longEventTextsScrollSideways() async throws {
        let stage = try await stage()
        await arrive(
            stage, late: [0], text: "+2 " + String(repeating: "word ", count: 30) + "the end")
        await stage.press("E")
        #expect(!stage.text.contains("the end"))
        for _ in 0..<20 { await stage.press("L") }
        #expect(stage.text.contains("end"))
        for _ in 0..<20 { await stage.press("H") }
        #expect(stage.text.contains("+2 word"))
    }

    @Test func eventForADeletedRowReportsTheDeletion() async throws {
        let stage = try await stage()
        await stage.emit(.resolved(.keys, RowID("note/2/gone")))
        await stage.press("E", "Enter")
        #expect(stage.text.contains("note/2/gone was deleted"))
        #expect(!stage.text.contains("is not in this list"))
        #expect(stage.model.panels.focus == .events || stage.model.pane?.id == .log)
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .keys)
    }

    @Test func eventForADeletedRowLeadsToItsWrites() async throws {
        let keys = FakeSource(
            "Keys", [try Sample.entry("a", "1")], writes: Writes(pane: .log, field: "key"))
        let log = FakeSource(
            "Log", [try Sample.entry("gone", "0"), try Sample.entry("other", "1")])
        let stage = await Stage(try Sample.session(keys: keys, log: log))
        await stage.emit(.resolved(.keys, RowID("gone")))
        await stage.press("E", "Enter")
        #expect(stage.model.pane?.id == .log)
        #expect(stage.model.list?.rows.map(\.id) == [RowID("gone")])
        #expect(stage.text.contains("gone was deleted"))
        await stage.press("Esc")
        #expect(stage.model.panels.focus == .events)
    }

    @Test func deviceEventLeadsToItsDevice() throws {
        let event = SessionEvent(
            .device(state: "loaded", problem: nil), date: Date(), device: try DeviceID("ipad"),
            summary: "x is a conflicted copy")
        let link = try #require(EventLine(event, by: "ipad")?.link)
        #expect(link.pane == .devices && link.row == RowID("ipad"))
    }

    @Test func reopenedStoreShowsTheFeedAgain() async throws {
        let before = try await stage()
        await before.press("E")
        let view = before.model.view
        let after = await Stage(try Sample.session(keys: try Sample.notes()), view: view)
        #expect(after.model.panels.focus == .events)
    }

    @Test func feedCountsDevicesWithoutVisibleRates() async throws {
        let stage = try await stage(columns: 120, rows: 24)
        await stage.press("E")
        for device in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            await write(stage, "x", by: device)
        }
        let shown = stage.lines.count { $0.contains("/min") }
        #expect(shown > 0 && shown < 8)
        #expect(stage.text.contains("+\(8 - shown) more"))
    }
}
