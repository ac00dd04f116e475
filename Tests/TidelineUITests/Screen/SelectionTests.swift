import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

@Suite struct SelectionTests {
    @Test func selectionStaysWithItsRowWhenOthersChange() async throws {
        let keys = try Sample.many(100)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("M-3", "0", "j")
        let id = try #require(stage.model.list?.cursorID)
        let distance = try #require(stage.model.list.map { $0.cursor - $0.top })
        let before = (0..<7).compactMap { try? Sample.entry("a\($0)", "new") }
        keys.entries = before + keys.entries
        await stage.emit(
            .changed(
                .keys, rows: Dictionary(uniqueKeysWithValues: before.map { ($0.id, .new) }),
                isOwn: false))
        #expect(stage.model.list?.cursorID == id)
        #expect(stage.model.list?.cursor == 37)
        #expect(stage.model.list.map { $0.cursor - $0.top } == distance)
        keys.entries.removeAll { $0.id.name.hasPrefix("a") }
        await stage.emit(.loaded)
        #expect(stage.model.list?.cursorID == id)
        #expect(stage.model.list?.cursor == 30)
    }

    @Test func rangeStaysWithItsRowsWhenOthersArrive() async throws {
        let keys = try Sample.many(100)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("M-3", "0", "j", "v", "j", "j")
        let marked = try #require(stage.model.list?.chosen)
        #expect(marked.count == 3)
        let before = (0..<7).compactMap { try? Sample.entry("a\($0)", "new") }
        keys.entries = before + keys.entries
        await stage.emit(
            .changed(
                .keys, rows: Dictionary(uniqueKeysWithValues: before.map { ($0.id, .new) }),
                isOwn: false))
        #expect(stage.model.list?.cursor == 39)
        #expect(stage.model.list?.chosen == marked)
        keys.entries.removeAll { $0.id.name.hasPrefix("a") }
        await stage.emit(.loaded)
        #expect(stage.model.list?.chosen == marked)
        await stage.press("j")
        #expect(stage.model.list?.chosen.count == 4)
    }

    @Test func rangeContainsRowsThatAJumpSkips() async throws {
        let keys = try Sample.many(2_000)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "v", "G")
        #expect(stage.model.list?.chosen == Set(keys.entries.dropFirst().map(\.id)))
        #expect(stage.model.notice?.kind != .warning)
        await stage.press("k")
        #expect(stage.model.list?.chosen.count == 1_998)
        await stage.press("Home")
        #expect(stage.model.list?.chosen == Set(keys.entries.prefix(2).map(\.id)))
        // Keys typed before the rows are loaded wait for them.
        stage.take(.input(.key(.character("G"))))
        stage.take(.input(.key(.character("v"))))
        #expect(stage.model.list?.rangeAnchor != nil)
        await stage.settle()
        #expect(stage.model.list?.rangeAnchor == nil)
        #expect(stage.model.list?.chosen.count == 1_999)
    }

    @Test func rangeStaysWithItsRowsWhenItsStartIsNotLoaded() async throws {
        let keys = try Sample.many(2_000)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "v", "G")
        let marked = try #require(stage.model.list?.chosen)
        // Other devices add a row before the range, and a row in the middle.
        let new = [try Sample.entry("a", "new"), try Sample.entry("k00500a", "new")]
        keys.entries.insert(new[0], at: 0)
        keys.entries.insert(new[1], at: 502)
        await stage.emit(
            .changed(
                .keys, rows: Dictionary(uniqueKeysWithValues: new.map { ($0.id, .new) }),
                isOwn: false))
        #expect(stage.model.list?.cursor == 2_001 && stage.model.list?.rangeAnchor == 2)
        #expect(stage.model.list?.chosen == marked.union([new[1].id]))
    }

    @Test func rangeThatCannotBeReadHoldsNoKeys() async throws {
        let keys = try Sample.many(2_000)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("v")
        keys.failure = CoreError(.noAnswer, "the log can't be read")
        await stage.press("G")
        #expect(stage.model.notice?.text.contains("aren't marked") == true)
        await stage.press("k")
        #expect(stage.model.list?.cursor == 1_998)
        #expect(try #require(stage.model.list?.chosen.count) < 2_000)
    }

    @Test func jumpingOverVeryManyRowsWarnsThatTheyAreNotMarked() async throws {
        let count = ListState.rangeLimit + 2_000
        let stage = await Stage(try Sample.session(keys: try Sample.many(count)))
        await stage.press("v", "PgDn", "PgDn")
        #expect(stage.model.notice?.kind != .warning)
        await stage.press("G")
        #expect(stage.model.notice?.kind == .warning)
        #expect(stage.model.notice?.text.contains("aren't marked") == true)
        #expect(try #require(stage.model.list?.chosen.count) < count)
    }

    @Test func rangeThatShrinksUnmarksRowsThatAreNoLongerLoaded() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(2_000)))
        await stage.press("v")
        for _ in 0..<40 { await stage.press("PgDn") }
        let list = try #require(stage.model.list)
        #expect(list.start > 0 && list.chosen.count == list.cursor + 1)
        await stage.press("Home")
        #expect(stage.model.list?.chosen.count == 1)
    }

    @Test func rowsThatOthersDeleteAreUnmarked() async throws {
        let keys = try Sample.many(100)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("Space", "Space", "v", "j")
        #expect(stage.model.list?.chosen.count == 4)
        let deleted = [keys.entries.remove(at: 2).id, keys.entries.remove(at: 1).id]
        await stage.emit(
            .changed(
                .keys, rows: Dictionary(uniqueKeysWithValues: deleted.map { ($0, .deleted) }),
                isOwn: false))
        await stage.send(.woke(.deletedRows))
        #expect(stage.model.list?.chosen == Set(["k00000", "k00003"].map { RowID($0) }))
        // The range now starts at the row after its deleted first row.
        #expect(stage.model.list?.cursor == 1 && stage.model.list?.rangeAnchor == 1)
    }

    @Test func anotherOrderEndsTheRange() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(100)))
        await stage.press("v", "j", "j")
        let marked = try #require(stage.model.list?.chosen)
        await stage.press("o", "3", "j")
        #expect(stage.model.list?.query.sort?.isDescending == true)
        #expect(stage.model.list?.chosen == marked && marked.count == 3)
    }

    @Test func listKeepsItsPlaceBehindAnotherPanel() async throws {
        let keys = try Sample.many(100)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("M-3", "0", "j")
        let top = try #require(stage.model.list?.top)
        #expect(top > 0)
        await stage.press("E")
        await stage.emit(.changed(.keys, rows: [RowID("k00001"): .changed], isOwn: false))
        await stage.press("Esc")
        #expect(stage.model.list?.top == top && stage.model.list?.cursor == 30)
    }

    @Test func clearingAnEmptyFilterRestoresTheSelection() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(100)))
        await stage.press("M-3", "0", "j")
        let row = try #require(stage.model.list?.cursorID)
        await stage.press("f")
        await stage.type("nothing like this")
        await stage.press("Enter")
        #expect(stage.model.list?.total == 0)
        await stage.press("Esc")
        #expect(stage.model.list?.total == 100 && stage.model.list?.cursorID == row)
    }

    @Test func changedRowKeepsItsInnerConflictSign() async throws {
        let keys = try Sample.many(3)
        keys.entries[1].inside = 1
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.emit(
            .changed(
                .keys, rows: [RowID("k00000"): .changed, RowID("k00001"): .changed], isOwn: false))
        #expect(stage.lines[2].hasPrefix("~ k00000") && stage.lines[3].hasPrefix("≠ k00001"))
    }

    @Test func rowAfterADeletedRowIsSelected() async throws {
        let keys = try Sample.many(10)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "j")
        keys.entries.remove(at: 2)
        await stage.emit(.loaded)
        #expect(stage.model.list?.cursorID == RowID("k00003"))
        #expect(stage.model.list?.cursor == 2)
    }

    @Test func deletedRowIsShownBriefly() async throws {
        let keys = try Sample.many(10)
        let stage = await Stage(try Sample.session(keys: keys))
        keys.entries.remove(at: 2)
        await stage.emit(.changed(.keys, rows: [RowID("k00002"): .deleted], isOwn: false))
        let line = try #require(stage.lines.first { $0.contains("k00002") })
        #expect(line.hasPrefix("-"))
        await stage.send(.woke(.deletedRows))
        #expect(!stage.text.contains("k00002"))
    }

    @Test func selectionStaysOnTheFirstRowUntilMoved() async throws {
        let keys = try Sample.many(10)
        let stage = await Stage(try Sample.session(keys: keys))
        keys.entries.insert(try Sample.entry("a", "first"), at: 0)
        await stage.emit(.loaded)
        #expect(stage.model.list?.cursorID == RowID("a"))
    }

    @Test func emptyListHasNoSelection() async throws {
        let keys = try Sample.many(3)
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j")
        keys.entries = []
        await stage.emit(.loaded)
        #expect(stage.model.list?.cursorID == nil)
        #expect(stage.model.list?.total == 0)
        #expect(stage.model.panelStates.inspector.detail == nil)
    }

    @Test func answerToAnOlderRequestIsDropped() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(50)))
        let row = Row(id: RowID("stale"), cells: [RowCell("stale")])
        let list = stage.model.list
        await stage.send(
            .window(RequestID(1), .success(RowWindow(rows: [row], start: 0, total: 1))))
        #expect(stage.model.list == list)
        let detail = stage.model.panelStates.inspector.detail
        await stage.send(.detail(RequestID(1), .success(Detail(title: "stale", sections: []))))
        #expect(stage.model.panelStates.inspector.detail == detail)
        await stage.send(.editableValue(RequestID(1), .success(TypedText(.string, "stale"))))
        #expect(stage.model.overlay == nil)
        await stage.send(.previewed(RequestID(1), .success([])))
        #expect(stage.model.overlay == nil)
    }

    @Test func newerRequestCancelsTheEarlierOne() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(50_000)))
        // Two jumps before the first answer. The rows of the second one are already loaded.
        stage.take(.input(.key(.character("G"))))
        let first = try #require(stage.model.list?.pending?.id)
        stage.take(.input(.key(.character("g"))))
        stage.take(.input(.key(.character("g"))))
        #expect(stage.effects.contains(.cancel(first)))
        #expect(stage.model.list?.pending == nil)
        await stage.settle()
        #expect(stage.model.list?.cursorID == RowID("k00000"))
    }

    @Test func frequentChangesDoNotDelayAnswers() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(50)))
        let before = stage.effects.count
        for _ in 0..<100 {
            stage.take(.event(SessionEvent(.loaded, date: stage.model.now.date)))
        }
        let windows = stage.effects.dropFirst(before).count { effect in
            if case .window = effect { true } else { false }
        }
        #expect(windows == 1)
        await stage.settle()
        #expect(stage.model.list?.version == stage.model.session.version)
    }

    @Test func listWithAWrongTotalIsNotRequestedForever() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(5)))
        stage.model.session.version += 1
        stage.take(.notice(Notice(.info, "")))
        var asked = 0
        // Each answer reports more rows than it contains.
        while let id = stage.model.list?.pending?.id, asked < 10 {
            asked += 1
            stage.take(.window(id, .success(RowWindow(rows: [], start: 0, total: 100))))
        }
        #expect(asked < 5)
    }

    @Test func rowsAreMarkedOneByOneAndInRanges() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.many(20)))
        await stage.press("Space", "Space")
        #expect(stage.model.list?.chosen == [RowID("k00000"), RowID("k00001")])
        await stage.press("j", "v", "j", "j")
        #expect(stage.model.list?.chosen.count == 5)
        await stage.press("k")
        #expect(stage.model.list?.chosen.count == 4)
        await stage.press("Esc")
        #expect(stage.model.list?.chosen.isEmpty == true)
    }
}
