import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore
@testable import TidelineUI

@Suite struct TimeModeTests {
    private func stage() async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.notes()))
    }

    private func windows(_ stage: Stage) -> [WindowRequest] {
        stage.effects.compactMap { effect in
            if case .window(_, _, let request) = effect { request } else { nil }
        }
    }

    @Test func leavingTimeTravelDropsTheHistoryIndexLater() async throws {
        let stage = try await stage()
        await stage.press("t", "Esc")
        #expect(stage.model.time == nil && stage.model.requests.alarms[.past] != nil)
        // Returning soon reuses the history index.
        await stage.press("t")
        await stage.send(.woke(.past))
        #expect(!stage.effects.contains(.forgetPast))
        await stage.press("Esc")
        #expect(stage.model.requests.alarms[.past] != nil)
        await stage.send(.woke(.past))
        #expect(stage.effects.contains(.forgetPast))
    }

    @Test func comparisonSchedulesDroppingTheHistoryIndex() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("diff -2m -1m")
        await stage.press("Enter")
        #expect(stage.model.list?.isDifference == true && stage.model.time == nil)
        #expect(stage.model.requests.alarms[.past] != nil)
    }

    @Test func recentChangesAreNotMarkedInThePast() async throws {
        let stage = try await stage()
        let rows: [RowID: RowMark] = [RowID("note/1/title"): .changed]
        await stage.emit(.changed(.keys, rows: rows, isOwn: true))
        func isMarked() -> Bool { stage.lines.contains { $0.contains("~ note/1/title") } }
        #expect(isMarked(), "\(stage.text)")
        await stage.press("t")
        #expect(stage.model.time != nil && !isMarked(), "\(stage.text)")
        await stage.press("t")
        #expect(isMarked(), "\(stage.text)")
    }

    @Test func rowsThatDifferFromNowAreMarkedAndOthersAreDimmed() async throws {
        let keys = try Sample.notes()
        keys.past = keys.entries
        keys.entries[1].value = "Groceries, and candles"
        keys.entries.removeLast()
        let stage = await Stage(try Sample.session(keys: keys))
        /// Returns the sign in the margin of a row, or `dim` if the row is dimmed.
        func look(of key: String) throws -> String {
            let line = try #require(
                stage.lines.firstIndex { $0.dropFirst(2).hasPrefix(key) }, "\(stage.text)")
            let isDimmed = stage.surface[2, line].style.attributes.contains(.dim)
            return isDimmed ? "dim" : String(stage.lines[line].prefix(1))
        }
        #expect(try look(of: "note/1/title") == " ")
        #expect(try look(of: "note/2/body") == " ")
        await stage.press("t")
        #expect(!stage.text.contains("candles"), "\(stage.text)")
        // The value of one key has changed since, and another key was deleted.
        #expect(try look(of: "note/1/title") == "~")
        #expect(try look(of: "note/2/title") == "~")
        #expect(try look(of: "note/2/body") == "dim")
        await stage.press("t")
        #expect(try look(of: "note/1/title") == " ")
        #expect(try look(of: "note/2/body") == " ")
    }

    @Test func pointerOnTheTimelineGoesToItsInstant() async throws {
        let stage = try await stage()
        await stage.press("t")
        let inner = try #require(stage.model.layout.inner(.timeline))
        let timeline = try #require(stage.model.panelStates.timeline.timeline)
        func use(_ kind: MouseEvent.Kind, _ column: Int) async {
            await stage.send(.input(.mouse(MouseEvent(kind, column: column, row: inner.row + 1))))
        }
        let first = inner.column + TimelinePanel.nameWidth(columns: inner.columns)
        let last = inner.endColumn - 1
        await use(.click, first)
        #expect(stage.model.instant == timeline.first)
        for column in first...last {
            await use(.drag, column)
            let line = stage.lines[inner.row + 1]
            #expect(line.dropFirst(column).first == "┃", "\(column): \(line)")
        }
        #expect(stage.model.instant == timeline.last)
        // The names of the devices are not part of the timeline.
        await use(.click, inner.column)
        #expect(stage.model.instant == timeline.last)
        await stage.press("t")
        await use(.drag, first)
        #expect(stage.model.time == nil, "the list has these cells now")
    }

    @Test func dragFromTheListDoesNotStartTimeTravel() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        let list = try #require(stage.model.layout.inner(.list))
        var inner = try #require(stage.model.layout.inner(.timeline))
        func use(_ kind: MouseEvent.Kind, _ column: Int, _ row: Int) async {
            await stage.send(.input(.mouse(MouseEvent(kind, column: column, row: row))))
        }
        let first = inner.column + TimelinePanel.nameWidth(columns: inner.columns)
        await use(.click, list.column, list.row + 1)
        await use(.drag, first, inner.row + 1)
        #expect(stage.model.time == nil)
        await use(.click, first, inner.row + 1)
        let timeline = try #require(stage.model.panelStates.timeline.timeline)
        inner = try #require(stage.model.layout.inner(.timeline))
        await use(.drag, inner.endColumn - 1, inner.row + 1)
        #expect(stage.model.instant == timeline.last)
    }

    @Test func clickOnTheTimelineStartsTimeTravel() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        let inner = try #require(stage.model.layout.inner(.timeline))
        let timeline = try #require(stage.model.panelStates.timeline.timeline)
        let first = inner.column + TimelinePanel.nameWidth(columns: inner.columns)
        await stage.send(.input(.mouse(MouseEvent(.click, column: first, row: inner.row + 1))))
        #expect(stage.model.instant == timeline.first)
        #expect(stage.lines[0].contains("PAST"))
    }

    @Test func timelineReloadsOnceAfterSeveralWrites() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        func count() -> Int {
            stage.effects.count { if case .timeline = $0 { true } else { false } }
        }
        let before = count()
        #expect(before > 0)
        let rows: [RowID: RowMark] = [RowID("note/1/title"): .changed]
        await stage.emit(.changed(.keys, rows: rows, isOwn: true))
        // The request is delayed after a recent one, but not dropped.
        #expect(count() == before && stage.model.requests.alarms[.timeline] != nil)
        stage.advance(seconds: 2.5)
        await stage.send(.woke(.timeline))
        #expect(count() == before + 1 && stage.model.requests.alarms[.timeline] == nil)
    }

    @Test func failedTimelineReloadsAfterAChange() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        session.timelineFailure = CoreError(.noAnswer, "the store is not loaded")
        let stage = await Stage(session, columns: 200, rows: 60)
        #expect(stage.text.contains("the store is not loaded"))
        session.timelineFailure = nil
        let rows: [RowID: RowMark] = [RowID("note/1/title"): .changed]
        await stage.emit(.changed(.keys, rows: rows, isOwn: true))
        #expect(!stage.text.contains("the store is not loaded"))
        #expect(stage.model.panelStates.timeline.timeline != nil)
    }

    /// The timeline loads when time travel starts.
    @Test func firstWriteIsReachableWhileTheTimelineLoads() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        stage.take(.input(.key(.character("t"))))
        #expect(stage.model.panelStates.timeline.timeline == nil)
        stage.take(.input(.key(Key(.home))))
        await stage.settle()
        #expect(stage.model.instant == session.instants.first)
    }

    @Test func comparisonGoesOnWhileAValueIsEdited() async throws {
        let stage = try await stage()
        await stage.press("t", "Left", "A", "Left", "Left", "B")
        stage.take(.input(.key(.character("D"))))
        #expect(stage.model.requests.background != nil)
        _ = stage.model.requests.wait(for: .copy, of: SourceID(0))
        #expect(stage.model.requests.background != nil)
        stage.model.requests.awaited = nil
        await stage.settle()
        #expect(stage.model.pane?.lists.count == 2)
    }

    @Test func escapeCancelsAComparisonButKeepsTimeTravel() async throws {
        let stage = try await stage()
        await stage.press("t", "Left", "A", "Left", "Left", "B")
        stage.take(.input(.key(.character("D"))))
        let id = try #require(stage.model.requests.background?.id)
        stage.take(.input(.key(Key(.escape))))
        #expect(stage.model.time != nil && stage.model.requests.background == nil)
        #expect(stage.effects.last == .cancel(id))
        await stage.settle()
        #expect(stage.model.pane?.lists.count == 1)
        await stage.press("Esc", "Esc")
        #expect(stage.model.time == nil)
    }

    @Test func fractionOfASecondIsShownOnlyIfItIsNeeded() async throws {
        func title(_ step: Int64) async throws -> String {
            let session = try Sample.session(keys: try Sample.notes())
            session.instants = (0..<2).map {
                Timestamp(microseconds: Stage.start.microseconds - 600_123_456 + Int64($0) * step)
            }
            let stage = await Stage(session)
            await stage.press("t", "End", "Left")
            return try #require(stage.lines.first { $0.hasPrefix("PAST") })
        }
        #expect(try await title(2_000_000).contains(/:[0-9]{2}Z \(/))
        #expect(try await title(1_000).contains(/:[0-9]{2}\.[0-9]{6}Z \(/))
    }

    @Test func marksOfDifferentDaysShowTheirDates() {
        let day: Int64 = 86_400_000_000
        let first = Stage.start
        let second = Timestamp(microseconds: first.microseconds + day)
        let form = InstantForm(length: 19, isShort: true, showsAge: true)
        let texts = form.texts(of: [second, first], after: first, offset: 0)
        #expect(Set(texts.map { $0.prefix(5) }).count == 2, "\(texts)")
        let same = form.texts(of: [first], after: first, offset: 0)
        #expect(same.map(\.count) == [8], "\(same)")
    }

    @Test func timeTravelHintsAreDistinct() async throws {
        let stage = try await stage()
        stage.take(.input(.resize(columns: 140, rows: 24)))
        await stage.press("t", "Left", "A", "B")
        let titles = stage.model.hints.map(\.title)
        #expect(Set(titles).count == titles.count, "\(titles)")
        #expect(titles.contains("mark A") && titles.contains("mark B"))
    }

    /// `note/9` is the last key written.
    @Test func selectionReturnsAfterTimeTravelBeforeItsRow() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        let store = KeyValueStore(
            package: try StorePackage(creating: path), device: try DeviceID("mac"))
        try await store.load()
        for key in ["note/1", "note/2", "note/5", "note/9"] {
            try store.set("x", forKey: key)
            try await store.save()
        }
        try store.close()
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press("G")
        #expect(stage.model.list?.selectedRow?.id.name == "note/9")
        await stage.press("t", "Home")
        #expect(stage.model.list?.rows.count == 1)
        await stage.press("t")
        #expect(stage.model.list?.selectedRow?.id.name == "note/9")
        // The user's own selection takes precedence.
        await stage.press("t", "Home", "k", "t")
        #expect(stage.model.list?.selectedRow?.id.name == "note/1")
        await session.close()
    }

    @Test func timeTravelViewIsReadOnly() async throws {
        let stage = try await stage()
        await stage.press("w", "t")
        #expect(stage.lines[0].contains("PAST"))
        #expect(windows(stage).last?.query.instant != nil)
        await stage.press("i")
        #expect(stage.text.contains(try #require(stage.model.whyPast)))
        await stage.press("t")
        #expect(stage.model.time == nil)
        #expect(windows(stage).last?.query.instant == nil)
    }

    @Test func timeTravelStartsAtTheSelectedLogRow() async throws {
        let log = FakeSource(
            "Log",
            [try Sample.entry("new", "2", ago: 60), try Sample.entry("old", "1", ago: 3_600)],
            isNewestFirst: true)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: log))
        await stage.press("2", "j", "t")
        #expect(
            stage.model.instant
                == Timestamp(microseconds: Stage.start.microseconds - 3_600_000_000))
        await stage.press("t", "1", "j", "t")
        let last = Timestamp(microseconds: Stage.start.microseconds - 9_000_000)
        #expect(stage.model.instant == last, "rows of keys aren't writes")
    }

    /// A stage with eight devices and with an instant and two marks at the given distance.
    private func marked(every microseconds: Int64) async throws -> Stage {
        let session = try Sample.session(keys: try Sample.many(100))
        session.status.devices = try (1...8).map {
            .init(id: try DeviceID("device\($0)"), name: "device\($0)", state: "ok")
        }
        let first = Stage.start.microseconds - 600_000_000
        session.instants = (0..<4).map {
            Timestamp(microseconds: first + Int64($0) * microseconds)
        }
        let stage = await Stage(session)
        await stage.press("t", "End", "A", "Left", "B", "Left")
        stage.model.notice = nil
        return stage
    }

    @Test(arguments: [86_400_000_000, 1_000_000, 1_000, 1] as [Int64])
    func instantAndMarksAreDistinguishable(_ step: Int64) async throws {
        let stage = try await marked(every: step)
        let time = try #require(stage.model.time)
        let timeline = stage.model.panelStates.timeline
        #expect(Set([time.instant, timeline.markA, timeline.markB]).count == 3)
        let line = try #require(stage.lines.dropFirst().first { $0.contains("PAST ") })
        let times = line.matches(of: /[0-9:.]+:[0-9]{2}[0-9:.]*/).map { String($0.output) }
        #expect(times.count == 3, "\(line)")
        #expect(line.hasSuffix(" of 8") || line.hasSuffix("< >"), "\(line)")
        if step < 60_000_000 {
            #expect(Set(times).count == 3, "\(line)")
            #expect(line.matches(of: /[0-9]{4}-/).count == 1, "exactly one date: \(line)")
        }
    }

    @Test func twoMarksShowTheCompareHint() async throws {
        let stage = try await marked(every: 1_000_000)
        stage.take(.input(.resize(columns: 60, rows: 24)))
        #expect(stage.lines[23].contains("D compare A and B"))
        #expect(stage.lines[23].contains("? keys"))
    }

    @Test func keyJumpsToTheWriteInAnotherPane() async throws {
        let log = FakeSource("Log", try ["b", "note/2/title"].map { try Sample.entry($0, "1") })
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: log))
        stage.session.linkOfWrites.pane = .log
        await stage.press("t", "Left")
        #expect(stage.model.pane?.id == .keys, "the pane stays the same")
        #expect(stage.text.contains("J: show in Log"))
        let instant = try #require(stage.model.instant)
        await stage.press("J")
        #expect(stage.model.pane?.id == .log && stage.model.instant == instant)
        #expect(stage.model.list?.selectedRow?.id.name == "note/2/title")
        // In the write's own pane, a step selects the row and shows no hint.
        await stage.press("Left")
        #expect(stage.model.pane?.id == .log && !stage.text.contains("J: show"))
        await stage.press("Esc")
        #expect(stage.model.pane?.id == .keys, "Escape returns to the earlier pane")
    }

    @Test func keyJumpsToTheWriteInInnerLists() async throws {
        let (log, middle, inner) = (
            FakeSource("Log", [try Sample.entry("a", "1"), try Sample.entry("b", "1")]),
            FakeSource("Middle", [try Sample.entry("c", "1"), try Sample.entry("d", "1")]),
            FakeSource("Inner", [try Sample.entry("e", "1"), try Sample.entry("f", "1")])
        )
        log.put(middle, inside: RowID("b"))
        middle.put(inner, inside: RowID("d"))
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: log))
        stage.session.linkOfWrites = Detail.Link(
            pane: .log, row: RowID("f"), inside: [RowID("b"), RowID("d")])
        await stage.press("t", "Left", "J")
        let instant = try #require(stage.model.instant)
        #expect(stage.model.pane?.lists.map(\.source.title) == ["Log", "Middle", "Inner"])
        #expect(stage.model.list?.selectedRow?.id.name == "f")
        #expect(stage.model.pane?.lists.map(\.query.instant) == [instant, instant, instant])
        // Escape closes the inner lists one by one, at the rows that were opened.
        await stage.press("Esc")
        #expect(stage.model.list?.selectedRow?.id.name == "d")
        // An outer list in the same pane counts as another list.
        await stage.press("Left")
        #expect(stage.text.contains("J: show in Log"))
    }

    @Test func jumpNeedsAStepFirst() async throws {
        let stage = try await stage()
        await stage.press("t", "(", "J")
        #expect(stage.text.contains("step to a write first"))
        #expect(stage.model.pane?.id == .keys)
    }

    @Test func arrowsStepFromWriteToWrite() async throws {
        let stage = try await stage()
        let instants = stage.session.instants
        await stage.press("t", "Left", "Left")
        #expect(stage.model.time?.instant == instants[8])
        await stage.press("Right")
        #expect(stage.model.time?.instant == instants[9])
        await stage.press("Right")
        #expect(stage.text.contains("no further write"))
        await stage.press("Home")
        #expect(stage.model.time?.instant == instants[0])
        await stage.press("End")
        #expect(stage.model.time?.instant == instants[9])
        #expect(windows(stage).last?.query.instant == instants[9])
    }

    @Test func commaAndPeriodStepThroughWritesToTheSelectedRow() async throws {
        let stage = try await stage()
        let instants = stage.session.instants
        await stage.press("G", "t", ",")
        #expect(stage.model.time?.instant == instants[9])
        #expect(stage.text.contains("mac set note/2/title: 1 → 2"))
        await stage.press(",")
        #expect(stage.model.time?.instant == instants[8])
        await stage.press(".", ".")
        #expect(stage.text.contains("no further write"))
        #expect(stage.model.list?.cursorID == RowID("note/2/title"))
        // The next row has no further writes either.
        await stage.press("k", ",")
        #expect(stage.model.time?.instant == instants[9])
        #expect(stage.text.contains("no further write"))
    }

    @Test func movingTheSelectionEndsStepsByRow() async throws {
        let stage = try await stage()
        await stage.press("G", "t", ",")
        #expect(stage.model.time?.row == RowID("note/2/title"))
        await stage.press("k")
        #expect(stage.model.time?.row == nil)
    }

    @Test func restoringAPrefixIsOneEdit() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("t", "gr")
        #expect(stage.text.contains("read-only; press w"))
        await stage.press("w", "gr")
        #expect(stage.text.contains(":restore-prefix note/1/"))
        await stage.press("Enter")
        #expect(stage.text.contains("note/1/due") && stage.text.contains("note/1/title"))
        #expect(!stage.text.contains("Type 1 and"))
        #expect(stage.text.contains("Type 2 and Enter to write"))
        await stage.press("2", "Enter")
        #expect(keys.writes == 1)
        #expect(stage.model.time != nil && stage.text.contains("t: return to now"))
    }

    @Test(arguments: ["A", ",", "(", "D"])
    func timeTravelKeyExplainsHowToStart(_ key: String) async throws {
        let stage = try await stage()
        await stage.press(key)
        #expect(stage.model.notice?.text.contains("press t to start") == true)
        #expect(stage.model.time == nil)
    }

    @Test func starRestoresAllKeys() async throws {
        let stage = try await stage()
        await stage.press("fdue", "Enter")
        await stage.press("w", "t", "gr", "^u")
        await stage.type("restore-prefix *")
        await stage.press("Enter")
        #expect(stage.text.contains("Type 4 and Enter to write"))
        await stage.press("Esc", "gr", "^u")
        await stage.type("restore-prefix other/")
        await stage.press("Enter")
        #expect(stage.text.contains("no key that starts with other/"))
    }

    @Test func stepReportsTheWriteAndMovesToIt() async throws {
        let stage = try await stage()
        await stage.press("t", "Left", "Left")
        #expect(stage.lines[23].contains("mac set note/2/title: 1 → 2  (and 1 more)"))
        #expect(stage.model.list?.selectedRow?.id == RowID("note/2/title"))
        await stage.press("Right")
        #expect(stage.lines[23].contains("set note/2/title: 1 → 2"))
        #expect(!stage.lines[23].contains("more"))
    }

    @Test func stepKeepsTheSelectionInOtherPanes() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.many(3), conflicts: try Sample.notes()))
        await stage.press("2", "t", "Left")
        #expect(stage.lines[23].contains("set note/2/title"))
        #expect(stage.model.list?.selectedRow?.id == RowID("note/1/due"))
    }

    @Test func homeAndEndShowTheWriteAndKeepTheSelection() async throws {
        let stage = try await stage()
        await stage.press("t", "Home")
        #expect(stage.lines[23].contains("set note/2/title: 1 → 2"))
        #expect(stage.model.list?.selectedRow?.id == RowID("note/1/due"))
        await stage.press("End")
        #expect(stage.lines[23].contains("set note/2/title: 1 → 2"))
    }

    @Test func timeStepsByDaysAndWeeks() async throws {
        let stage = try await stage()
        await stage.press("t")
        let last = try #require(stage.model.instant).microseconds
        await stage.press("{")
        #expect(stage.model.instant?.microseconds == last - 7 * 86_400_000_000)
        await stage.press(")", "M-6 )")
        #expect(stage.model.instant?.microseconds == last)
        // Time travel can't go beyond the present.
        await stage.press("(", "}")
        #expect(stage.model.instant == stage.model.now)
        for keys in ["}", ")", "M-9 9 9 9 9 9 9 9 9 }"] {
            await stage.press(keys)
            #expect(stage.model.instant == stage.model.now)
            #expect(stage.text.contains("latest time"))
        }
        // A device whose clock is ahead extends the range.
        let ahead = Timestamp(microseconds: last + 3 * 86_400_000_000)
        stage.session.status.devices[0].newest = ahead
        await stage.refreshStatus()
        await stage.press("}")
        #expect(stage.model.instant == ahead)
    }

    @Test func playbackVisitsEveryWrite() async throws {
        let stage = try await stage()
        let instants = stage.session.instants
        // At the end, playback starts over at the first write.
        await stage.press("t", "p")
        #expect(stage.model.instant == instants[0])
        #expect(stage.lines.contains { $0.hasPrefix("PLAYING") })
        for instant in instants.dropFirst() {
            await stage.send(.woke(.play))
            #expect(stage.model.instant == instant)
        }
        await stage.send(.woke(.play))
        #expect(stage.lines[23].contains("last write"))
        #expect(stage.model.time?.playing == nil)
    }

    @Test func anyKeyStopsPlaybackAtTheChosenSpeed() async throws {
        let stage = try await stage()
        await stage.press("t", "Home", ":")
        await stage.type("play 10")
        await stage.press("Enter")
        #expect(stage.effects.contains(.wake(.play, after: .microseconds(100_000))))
        let instant = stage.model.instant
        await stage.press("q")
        #expect(stage.lines[23].contains("press p "))
        await stage.send(.woke(.play))
        #expect(stage.model.instant == instant)
        await stage.press(":")
        await stage.type("play fast")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("1 to 50 steps per second"))
    }

    @Test func shiftStepsByTheChosenDevice() async throws {
        let stage = try await stage()
        await stage.press("t", ">", "S-Left")
        let device = stage.model.time?.device
        #expect(device != nil)
        #expect(
            stage.effects.contains { effect in
                if case .step(_, _, true, let stepped) = effect { stepped == device } else { false }
            })
    }

    @Test func commandGoesToAnInstant() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("at 2026-05-09T06:00:00Z")
        await stage.press("Enter")
        let instant = try #require(stage.model.time?.instant)
        #expect(instant.text(in: 0) == "2026-05-09 06:00:00")
        await stage.press(":")
        await stage.type("at yesteryear")
        await stage.press("Enter")
        #expect(stage.model.notice?.kind == .warning)
        #expect(stage.text.contains("yesteryear "))
    }

    @Test func enteringACommandTwiceNamesItsMissingArgument() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("at")
        await stage.press("Enter")
        #expect(stage.model.notice == nil)
        await stage.press("Enter")
        #expect(stage.text.contains("argument: TIME"))
    }

    @Test func comparisonNamesInvalidTimes() async throws {
        let stage = try await stage()
        for (typed, message) in [
            ("diff 10m ago 1m ago", "diff needs two times: A B, or for example 2026"),
            ("diff A -1m", "mark A is not set"),
            ("diff -1m 25:00", "25:00 is not a valid time of day"),
        ] {
            await stage.press(":")
            await stage.type(typed)
            await stage.press("Enter")
            #expect(stage.text.contains(message), "\(typed)")
        }
    }

    @Test func singleDigitHoursAreAccepted() throws {
        let now = try #require(
            TypedTime.instant(in: "2026-05-09T12:00:00", now: .distantPast, offset: 0))
        for (short, long) in [("9:15", "09:15:00"), ("0:00", "00:00:00"), ("9:15:01", "09:15:01")] {
            let instant = TypedTime.instant(in: short, now: now, offset: 0)
            #expect(instant != nil && instant == TypedTime.instant(in: long, now: now, offset: 0))
        }
    }

    @Test func twoMarksAreCompared() async throws {
        let stage = try await stage()
        await stage.press("t", "D")
        #expect(stage.text.contains("mark a point in time"))
        await stage.press("A", "Left", "B", "D")
        #expect(stage.model.breadcrumb.hasSuffix("Differences"))
        #expect(stage.lines[23].contains("t now  Esc back"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(!stage.lines[23].contains("Esc back"), "\(stage.lines[23])")
    }

    @Test func footerShowsBothStepsByWeek() async throws {
        let stage = try await stage()
        await stage.press("t")
        #expect(stage.lines[23].contains("{ } week"), "\(stage.lines[23])")
    }

    @Test func readOnlyTimeTravelOffersToUnlockForRestoring() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys", columns: 120, rows: 40)
        await stage.press("t", "Left")
        stage.model.notice = nil
        let locked = try #require(stage.lines.last)
        #expect(locked.contains("w unlock") && !locked.contains("restore"), "\(locked)")
        await stage.press("w")
        await stage.wait { $0.whyNoRestoring == nil && !$0.mustWait }
        await stage.press("Left")
        stage.model.notice = nil
        let unlocked = try #require(stage.lines.last)
        #expect(unlocked.contains("T restore") && !unlocked.contains("unlock"), "\(unlocked)")
        await session.close()
    }

    @Test func comparisonNamesItsInstants() async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("diff 2026-05-08T00:00:00 2026-05-08T00:00:01")
        await stage.press("Enter")
        #expect(stage.text.contains("2026-05-08 00:00:00 2026-05-08 00:00:01"))
        #expect(stage.text.contains("Keys: no differences"))
        #expect(!stage.text.contains("No keys yet"))
    }

    @Test func plainNumberIsReportedAsMicroseconds() async throws {
        let stage = try await stage()
        let action = try #require(Action.named("at"))
        await stage.perform(action, .init(argument: "1763700000"))
        #expect(stage.lines[23].contains("1763700000 microseconds after 2001"))
    }

    @Test func leavingTimeTravelEndsTheComparison() async throws {
        let stage = try await stage()
        await stage.press("t", "A", "Left", "B", "D")
        let source = try #require(stage.model.list?.source.id)
        await stage.press("t")
        #expect(stage.model.time == nil)
        #expect(stage.model.pane?.lists.count == 1)
        #expect(stage.effects.contains(.release([source])))
    }

    @Test(arguments: ["Esc", "1"])
    func comparisonClosesByKey(by key: String) async throws {
        let stage = try await stage()
        await stage.press(":")
        await stage.type("diff -1h now")
        await stage.press("Enter")
        #expect(stage.model.breadcrumb.hasSuffix("Differences"))
        await stage.press(key)
        #expect(stage.model.breadcrumb == "Keys")
    }

    @Test func innerListOfAListWithoutHistoryTravelsInTime() async throws {
        let documents = FakeSource("Documents", [try Sample.entry("doc", "x")], hasPast: false)
        documents.put(FakeSource("Tree", [try Sample.entry("title", "x")]), inside: RowID("doc"))
        let stage = await Stage(try Sample.session(keys: documents, log: try Sample.notes()))
        await stage.press("Enter", "t")
        #expect(stage.model.breadcrumb == "Documents › Tree")
        #expect(!stage.text.contains("as of now"))
        await stage.press("A", "Left", "B", "D")
        #expect(stage.model.breadcrumb.hasSuffix("Differences"))
        #expect(!stage.text.contains("as of now"))
    }

    @Test func historyLineSelectsItsDeviceForSteps() async throws {
        let keys = try Sample.notes()
        let session = try Sample.session(keys: keys)
        keys.entries[0].sections = [
            .init(
                "History",
                [.init("mac", "7", instant: session.instants[4], writer: try Sample.device("mac"))])
        ]
        let stage = await Stage(session, columns: 120, rows: 40)
        await stage.press("Tab")
        let inspector = stage.model.panelStates.inspector
        let line = try #require(
            (0..<inspector.lineCount).first {
                guard case .line(let line)? = inspector.line(at: $0) else { return false }
                return line.text == "7"
            })
        for _ in 0..<line { await stage.press("j") }
        await stage.press("Enter")
        #expect(stage.model.instant == session.instants[4])
        #expect(stage.lines.contains { $0.contains(">mac") })
        #expect(!stage.lines.contains { $0.contains(">ipad") })
    }

    @Test func sidebarShowsCountsAtTheInstant() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        session.status.counts = [.keys: 85]
        let stage = await Stage(session, columns: 200, rows: 60)
        let now = try #require(stage.lines.first { $0.contains("1 Keys ") && !$0.contains("[") })
        #expect(try now.contains(Regex("1 Keys +85")))
        await stage.press("t")
        #expect(try stage.text.contains(Regex("1 Keys +4")))
        await stage.press("fmilk", "Enter")
        #expect(try !stage.text.contains(Regex("1 Keys +[0-9]")))
    }

    /// A stage with eight devices. Each writes at one instant, the last one at two.
    private func eightDevices(
        columns: Int = 80, rows: Int = 24, keys: FakeSource? = nil
    ) async throws -> Stage {
        let session = try Sample.session(keys: try keys ?? Sample.notes())
        let devices = try (1...8).map { try Sample.device("dev\($0)") }
        session.status.devices = devices.map {
            .init(id: $0, name: $0.name, state: "ok", newest: session.instants.last)
        }
        session.writers = devices
        return await Stage(session, columns: columns, rows: rows)
    }

    private func lanes(_ stage: Stage) -> [String] {
        guard let title = stage.lines.firstIndex(where: { $0.hasPrefix("PAST") }) else { return [] }
        return stage.lines[(title + 1)..<(stage.lines.count - 1)].filter {
            $0.dropFirst().hasPrefix("dev")
        }
        .map { String($0.dropFirst().prefix(4)) }
    }

    @Test(arguments: [(80, 24), (100, 30), (120, 40)])
    func lanesUseTheEmptyRowsOfTheList(_ columns: Int, _ rows: Int) async throws {
        let stage = try await eightDevices(columns: columns, rows: rows)
        await stage.press("t")
        #expect(lanes(stage) == (1...8).map { "dev\($0)" })
        #expect(stage.lines.contains { $0.contains("note/2/title") })
    }

    @Test func lanesShowTheirTotalNextToAFullList() async throws {
        let stage = try await eightDevices(keys: try Sample.many(100))
        await stage.press("t")
        #expect(lanes(stage) == ["dev1", "dev2", "dev3"])
        let title = try #require(stage.lines.first { $0.hasPrefix("PAST") })
        #expect(title.contains("1–3 of 8") && title.contains("< >"))
        // Two marks leave little space.
        await stage.press("A", "B")
        let marked = try #require(stage.lines.first { $0.hasPrefix("PAST") })
        #expect(marked.contains(" A ") && marked.contains(" B "))
        #expect(marked.contains("1–3 of 8  < >"))
        await stage.press("<")
        #expect(lanes(stage) == ["dev6", "dev7", "dev8"])
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func timesAreShownBelowTheLanes(_ columns: Int, _ rows: Int) async throws {
        let stage = try await eightDevices(columns: columns, rows: rows)
        await stage.press("t")
        let last = try #require(stage.lines.lastIndex { $0.contains("dev8") })
        #expect(stage.lines[last + 1].contains("╵"), "\(stage.text)")
    }

    @Test func timesBelowTheLanesAreAsPreciseAsTheirDistance() {
        func texts(hours: Int64, columns: Int = 64) -> [String] {
            TimeAxis(
                from: Timestamp(microseconds: 0),
                to: Timestamp(microseconds: hours * 3_600_000_000), columns: columns, offset: 0
            ).labels.map { "\($0.column) \($0.text)" }
        }
        #expect(
            texts(hours: 21 * 24)
                == ["0 2001-01-01", "14 01-05", "28 01-10", "42 01-15", "56 01-19"])
        // A label that doesn't fit is left out.
        #expect(
            texts(hours: 63) == ["0 01-01 00:00", "14 14:00", "28 01-02 04:00", "42 18:00"])
        #expect(texts(hours: 0) == ["0 00:00:00"])
        #expect(texts(hours: 63, columns: 4) == [])
        let all = TimeAxis(
            from: .distantPast, to: .distantFuture, columns: 64, offset: 0)
        #expect(!all.labels.isEmpty)
    }

    @Test func laneOfTheWritingDeviceScrollsIntoView() async throws {
        let stage = try await eightDevices(keys: try Sample.many(100))
        await stage.press("t", "Home", "Right", "Right", "Right", "Right")
        #expect(stage.lines[23].contains("dev5 set"))
        #expect(lanes(stage) == ["dev3", "dev4", "dev5"])
        await stage.press("Left", "Left", "Left")
        #expect(stage.lines[23].contains("dev2 set"))
        #expect(lanes(stage) == ["dev2", "dev3", "dev4"])
    }

    @Test func stepMessageShowsBothValuesOnOneLine() async throws {
        let stage = try await stage()
        let long = String(repeating: "many words ", count: 20)
        stage.session.values = ["old " + long, "new " + long]
        await stage.press("t", "Left")
        #expect(stage.lines[23].contains("mac set note/2/title: old many"))
        #expect(stage.lines[23].contains("… → new many"))
        #expect(stage.lines[19].contains("ipad") && stage.lines[21].contains("server"))
        stage.session.values = ["A", "new " + long]
        await stage.press("Left")
        #expect(stage.lines[23].contains(": A → new many words many words"))
        #expect(stage.lines[23].hasSuffix("(and 1 more)"))
        stage.session.values = [long + "before" + long, long + "after" + long]
        await stage.press("Left")
        #expect(stage.lines[23].contains(": …y words before") && stage.lines[23].contains("after"))
    }

    @Test func longMessagesDoNotCoverTheLanes() async throws {
        let stage = try await stage()
        await stage.press("t")
        let lanes = stage.lines[18...22]
        let text = String(repeating: "long ", count: 30) + "end"
        await stage.send(.notice(Notice(.warning, text)))
        #expect(stage.lines[18...22] == lanes)
        #expect(stage.lines[16].hasPrefix("! long"))
        #expect(stage.lines[17].contains("end"))
        #expect(stage.lines[23].contains("earlier"))
    }

    @Test func peekShowsTheEarlierRowWhileADetailLoads() async throws {
        let stage = try await stage()
        await stage.press("t", "Home")
        // The row is loaded, and its detail is not requested yet.
        stage.take(.input(.key(.character("j"))))
        #expect(stage.lines[16].contains("note/1/due") && stage.lines[17].contains("wrote it"))
        #expect(!stage.lines[17].contains("Groceries"))
        await stage.settle()
        #expect(stage.lines[16].contains("note/1/title"))
        #expect(stage.lines[17].contains("Groceries"))
    }

    @Test(arguments: [
        (
            "2099-01-01",
            "2099-01-01 is in the future (last write: 2026-05-09 06:13:11Z); "
                + "type an earlier time, or now"
        ),
        ("tomorrow", "tomorrow is not a time; examples: 2026-11-21T09:15:00, 09:15:00,"),
        (
            "25:00",
            "25:00 is not a valid time of day; examples:"
        ),
        ("2026-02-30", "2026-02-30 is not a valid date; examples: 2026-11-21T09:15:00"),
        ("A", "mark A is not set; examples:"),
        ("", ":at needs a time, for example 2026-11-21T09:15:00, 09:15:00, yesterday, 10m ago"),
    ])
    func unreachableInstantIsExplainedWithAnExample(
        _ text: String, _ message: String
    ) async throws {
        let stage = try await stage()
        let action = try #require(Action.named("at"))
        await stage.perform(action, .init(argument: text))
        #expect(stage.model.time == nil)
        #expect(stage.model.notice?.text.hasPrefix(message) == true)
    }

    @Test func dateWithoutATimeMeansItsStart() async throws {
        let stage = try await stage()
        let action = try #require(Action.named("at"))
        await stage.perform(action, .init(argument: "2026-05-08"))
        let instant = try #require(stage.model.instant)
        #expect(instant.text(in: 0) == "2026-05-08 00:00:00")
        #expect(
            stage.lines[23].contains(
                "showing the start of 2026-05-08, 00:00:00; for noon, type 2026-05-08T12:00"))
    }

    @Test func marksSurviveTimeTravel() async throws {
        let stage = try await stage()
        await stage.press("t", "Left", "A")
        let mark = stage.model.instant
        await stage.press("t")
        #expect(stage.model.time == nil)
        await stage.press("t")
        #expect(stage.model.panelStates.timeline.markA == mark && mark != nil)
        await stage.press("Left", "A")
        #expect(stage.model.panelStates.timeline.markA == nil)
    }

    @Test func oneMarkIsComparedWithNow() async throws {
        let stage = try await stage()
        await stage.press("t", "Left", "B", "D")
        #expect(stage.model.pane?.list.isDifference == true)
        let asked = stage.effects.compactMap { effect -> [Timestamp]? in
            if case .difference(_, _, _, let from, let to, _) = effect { [from, to] } else { nil }
        }
        #expect(
            asked.last
                == [stage.model.panelStates.timeline.markB, stage.model.now].compactMap(\.self))
    }

    @Test func escapeClosesAMessageBeforeEndingTimeTravel() async throws {
        let stage = try await stage()
        await stage.press("t", "Home")
        stage.model.say(.info, "a message")
        await stage.press("Esc")
        #expect(stage.model.time != nil && !stage.text.contains("a message"))
        await stage.press("Esc")
        #expect(stage.model.time == nil)
    }

    @Test func restoringContinuesTimeTravel() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("w", "t", "Home", "j", "Space", "Space", "T")
        #expect(stage.text.contains("Type 2 and Enter to write"))
        #expect(stage.model.list?.cursorID == RowID("note/2/title"))
        await stage.press("2", "Enter")
        #expect(keys.writes == 1 && stage.model.time != nil)
        #expect(stage.model.list?.cursorID == RowID("note/1/title"))
        #expect(stage.lines[23].contains("t: return to now"), "\(stage.lines[23])")
        await stage.press("t")
        #expect(stage.model.time == nil)
    }

    @Test func timelineShowsDevicesAndTheInstant() async throws {
        let stage = try await stage()
        await stage.press("t")
        let bar = try #require(stage.lines.first { $0.hasPrefix("PAST") })
        #expect(bar.contains(/PAST 2026-05-09 [0-9:.]+Z \(/), "\(bar)")
        #expect(stage.text.contains("┃"))
        #expect(stage.text.contains("▆"))
    }
}

@Suite struct TimeTextTests {
    private let now = Timestamp(microseconds: 800_000_000_000_000)

    @Test(arguments: [
        ("2001-01-01T00:00:00Z", 0), ("2001-01-01", 0), ("2000-12-31T23:59:59.999999Z", -1),
        ("2024-02-29T12:00:00Z", 730_900_800_000_000),
        ("1600-03-01T00:00:00Z", -12_649_219_200_000_000),
        ("2001-01-01T02:00:00+02:00", 0), ("2001-01-01T00:00:01.5Z", 1_500_000),
        ("800000000000001", 800_000_000_000_001), ("-10m", 799_999_400_000_000),
        ("10m ago", 799_999_400_000_000), ("10m", 799_999_400_000_000),
        ("1w ago", 799_395_200_000_000), ("2d", 799_827_200_000_000),
        ("1y", 768_442_400_000_000), ("2 days ago", 799_827_200_000_000),
        ("1 minute ago", 799_999_940_000_000), ("1 week", 799_395_200_000_000),
        ("yesterday", 799_891_200_000_000), ("Today", 799_977_600_000_000),
    ])
    func timesAreRead(_ text: String, _ microseconds: Int64) {
        #expect(
            TypedTime.instant(in: text, now: now, offset: 0)
                == Timestamp(microseconds: microseconds))
    }

    @Test(arguments: [
        "", "x", "-", "-m", "m", "ago", " ago", "--1d", "-1d ago ago", "tomorrow", "3 ds", "3days",
        "3 fortnights", "1  day", "٣d", "3 ", "2001-13-01",
        "2001-01-01T25:00", "12:61", "2001-01-01T", "::", "T",
        "9999999999999999999999", "-99999999999999999w", "2001-01-01T00:00:00+",
    ])
    func invalidTimesAreRejected(_ text: String) {
        #expect(TypedTime.instant(in: text, now: now, offset: 0) == nil)
    }

    @Test func wholeSecondsHaveNoFraction() throws {
        let whole = try Timestamp(parsing: "2026-05-09T06:00:00Z")
        let fine = try Timestamp(parsing: "2026-05-09T06:00:00.25Z")
        #expect(whole.text(in: 3_600) == "2026-05-09 07:00:00")
        #expect(fine.text(in: 0) == "2026-05-09 06:00:00.250000")
        #expect(TimeText.time(whole, offset: 0) == "06:00:00")
        #expect(TimeText.time(fine, offset: 0) == "06:00:00")
        let form = TimeText.Form.short(columns: 18)
        #expect(TimeText.text(whole, form, at: whole, offset: 0) == "06:00:00")
    }

    @Test func timesInUTCNameTheirZone() throws {
        let fine = try Timestamp(parsing: "2026-05-09T06:00:00.25Z")
        #expect(fine.secondText(in: 0) == "2026-05-09 06:00:00Z")
        #expect(fine.secondText(in: 3_600) == "2026-05-09 07:00:00")
        #expect(Timestamp.distantFuture.secondText(in: 3_600) == "end of time")
    }

    @Test(arguments: [
        (30, "2026-05-09 06:00:00.250000Z  desk"), (26, "2026-05-09 06:00:00Z  desk"),
        (19, "2026-05-09 06:00:00Z  desk"),
    ])
    func narrowTimesLoseTheirFractionFirst(_ columns: Int, _ text: String) {
        let whole = "2026-05-09 06:00:00.250000Z  desk"
        #expect(TimeText.fitting(whole, columns: columns) == text)
    }

    /// A clock that is set forward by an hour at one instant, or back, as in both hemispheres.
    @Test(arguments: [(3_600, 7_200), (-10_800, -14_400)])
    func ambiguousTimeMeansTheEarlierInstant(_ before: Int, _ after: Int) throws {
        let change = try Timestamp(parsing: "2026-03-29T01:00:00Z")
        func seconds(_ instant: Timestamp) -> Int { instant < change ? before : after }
        func found(_ instant: Timestamp?) -> Timestamp? {
            instant.flatMap { UTCOffset.instant(ofWallClock: $0, seconds: seconds) }
        }
        for minutes in stride(from: -3_000, through: 3_000, by: 10) {
            let instant = try #require(change.moved(bySeconds: minutes * 60))
            let shown = instant.moved(bySeconds: seconds(instant))
            let isSecond = after < before && (0..<60).contains(minutes)
            #expect(found(shown) == instant.moved(bySeconds: isSecond ? -3_600 : 0))
        }
        guard after > before else { return }
        // This time is half an hour into the skipped hour.
        let leftOut = change.moved(bySeconds: before + 1_800)
        #expect(found(leftOut) == change.moved(bySeconds: 1_800))
    }

    @Test func formattedTimesParseBack() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            let instant = Timestamp(
                microseconds: Int64.random(
                    in: -60_000_000_000_000_000...200_000_000_000_000_000, using: &random))
            let offset = UTCOffset.fixed(Int.random(in: -12...14, using: &random) * 3_600)
            let text = instant.text(in: offset)
            #expect(TypedTime.instant(in: text, now: now, offset: offset) == instant)
        }
        #expect(Timestamp.distantPast.text(in: -3_600) == "start of time")
        #expect(Timestamp.distantFuture.text(in: 3_600) == "end of time")
        #expect(!Timestamp.distantPast.text(in: 0).isEmpty)
    }

    @Test(arguments: [
        (0, "now"), (9, "9s"), (61, "1m"), (7_200, "2h"), (200_000, "2d"), (3_000_000, "4w"),
        (70_000_000, "2y"), (-7_200, "+2h"),
    ])
    func agesAreShort(_ seconds: Int64, _ age: String) {
        let instant = Timestamp(microseconds: now.microseconds - seconds * 1_000_000)
        #expect(TimeText.age(of: instant, at: now) == age)
        #expect(TimeText.age(of: .distantPast, at: now) == "∞")
    }

    @Test func restoreIsOfferedOnlyForConflictsThatCanBeRestored() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "conflicts", columns: 120, rows: 40)
        await stage.wait { $0.session.status.hasCountedConflicts && !$0.mustWait }
        await stage.press("w")
        await stage.wait { $0.whyNoEdit(.set) == nil && !$0.mustWait }
        await stage.press("t")
        #expect(stage.lines.last?.contains("T restore") == true, "\(stage.text)")
        await stage.press("G")
        #expect(stage.model.list?.selectedRow?.cells[1].text == "document", "\(stage.text)")
        #expect(stage.lines.last?.contains("T restore") == false, "\(stage.text)")
        await stage.press("T")
        #expect(
            stage.text.contains("here, you can only resolve the conflict of a document"),
            "\(stage.text)")
        await session.close()
    }
}
