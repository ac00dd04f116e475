import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// The conflict screen: the sides next to their base, picking parts, and the history.
@Suite struct ConflictScreenTests {
    private let keys: FakeSource

    init() throws {
        var entry = try Sample.entry(
            "trip", "x", sides: ["red car, two days", "blue car, one day"])
        entry.base = "red car, one day"
        func write(_ device: String, _ parents: [Int], _ side: Int?, _ base: Bool = false) throws
            -> ConflictDetail.Write
        {
            ConflictDetail.Write(
                author: .device(try DeviceID(device)), instant: entry.instant,
                value: "write of \(device)", parents: parents, side: side, isBase: base)
        }
        entry.detail = ConflictDetail(
            sides: try entry.sideIDs(),
            fields: [
                .init(
                    path: FieldPath("color"), values: [.init("red"), .init("blue")],
                    base: .init("red"), merged: .init("blue"), proposed: 1),
                .init(
                    path: FieldPath("days", steps: ["days"]), values: [.init("two"), nil],
                    merged: .init("two"), proposed: 0),
                .init(
                    path: FieldPath("text"), values: [.init("a c"), .init("b a")],
                    merged: .init("b a c")),
            ], otherFields: 7,
            writes: [
                try write("dev0", [2], 0), try write("dev1", [2], 1),
                try write("dev0", [], nil, true),
            ], hasMoreWrites: true)
        keys = FakeSource("Keys", [entry])
    }

    private func stage(columns: Int, rows: Int, theme: Theme = .bare) async throws -> Stage {
        let stage = await Stage(
            try Sample.session(keys: keys), columns: columns, rows: rows, theme: theme)
        await stage.press("w", "Enter")
        return stage
    }

    @Test func editAppliesToTheRowOfTheConflict() async throws {
        keys.entries.append(try Sample.entry("trip/other", "y", sides: []))
        let stage = try await stage(columns: 100, rows: 30)
        // The selection in the list changes behind the conflict.
        stage.model.navigation.withList { $0.select(1) }
        await stage.press("i")
        #expect(stage.text.contains("Edit trip ") || stage.text.contains("Edit trip─"))
        await stage.press("^u")
        await stage.type("mine")
        await stage.press("Enter", "y")
        #expect(keys.entries.map(\.value) == ["mine", "y"])
    }

    @Test func closingAnEditReturnsToTheConflict() async throws {
        let stage = try await stage(columns: 100, rows: 30)
        await stage.press("i", "Esc")
        guard stage.model.overlay?.module is ConflictView else {
            Issue.record("the conflict is closed")
            return
        }
        await stage.press("Esc", "w", "Enter", "i")
        guard stage.model.overlay?.module is ConflictView else {
            Issue.record("the conflict is closed")
            return
        }
        #expect(stage.model.notice?.text.hasPrefix("Edit: ") == true)
    }

    @Test func helpOmitsActionsThisConflictLacks() async throws {
        let parts = try await stage(columns: 100, rows: 60)
        await parts.press("?")
        #expect(parts.text.contains("Choose the next side for this part"))
        var entry = keys.entries[0]
        (entry.detail, entry.proposal) = (nil, nil)
        let plain = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 100, rows: 60)
        await plain.press("w", "Enter", "?")
        #expect(plain.text.contains("Choose the selected side"))
        let take = try #require(plain.lines.first { $0.contains("Choose a side by number") })
        #expect(take.contains(" 1 2 ") && !take.contains(" 3 "))
        for absent in ["Merge automatically", "Choose the next side", "Jump between sides"] {
            #expect(!plain.text.contains(absent), "\(absent)")
        }
    }

    @Test func dateWrapsBeforeItsTime() async throws {
        let dates = [
            "2026-11-27T00:26:40.123456Z", "2026-11-25T00:26:40.123456Z",
        ]
        var entry = keys.entries[0]
        (entry.kind, entry.sides, entry.base) = (.date, dates, dates[0])
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 100, rows: 30)
        await stage.press("Enter")
        #expect(stage.text.contains("2   dev1"))
        #expect(stage.text.contains("00:26:40.123456Z"))
        #expect(stage.text.contains("2026-11-25 "))
    }

    @Test(arguments: [(80, 24), (120, 40)])
    func timesHaveSecondsAndAZone(_ columns: Int, _ rows: Int) async throws {
        var entry = keys.entries[0]
        entry.instant = try Timestamp(parsing: "2026-05-09T06:00:00.25Z")
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: columns, rows: rows)
        await stage.press("Enter")
        #expect(stage.text.contains("2026-05-09 06:00:00Z"))
        #expect(!stage.text.contains("06:00:00.25"))
    }

    @Test func sidesAreShownNextToTheirBaseIfTheyFit() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        let line = try #require(stage.lines.first { $0.contains("common base") })
        #expect(line.contains("1 ★ dev0") && line.contains("2   dev1"))
        let value = try #require(stage.lines.first { $0.contains("two days") })
        #expect(value.contains("red car, one day") && value.contains("blue car, one day"))
    }

    @Test func truncatedPartsStartAtTheirDifference() async throws {
        var entry = keys.entries[0]
        let same = "coffee beans, ground for the filter, "
        entry.detail?.fields = [
            .init(
                path: FieldPath("item", steps: ["item"]),
                values: [.init(same + "dark"), .init(same + "light")], proposed: 0)
        ]
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 80, rows: 40)
        await stage.press("Enter")
        let line = try #require(stage.lines.first { $0.contains("▸ 1 ") })
        #expect(line.contains("dark") && line.contains("2 …") && line.contains("light"), "\(line)")
        // Values that fit are shown from their start.
        let wide = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 160, rows: 40)
        await wide.press("Enter")
        let whole = try #require(wide.lines.first { $0.contains("▸ 1 ") })
        #expect(whole.contains(same + "dark") && whole.contains(same + "light"), "\(whole)")
    }

    @Test func sideTallerThanTheScreenIsShownWhole() async throws {
        var entry = keys.entries[0]
        let lines = (1...60).map { "line \($0)" }
        entry.sides = [lines.joined(separator: "\n"), "short"]
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 80, rows: 24)
        await stage.press("Enter")
        var seen: Set<String> = []
        for _ in 0..<20 {
            let shown = stage.lines
            seen.formUnion(lines.filter { line in shown.contains { $0.contains(line + " ") } })
            await stage.press("PgDn")
        }
        #expect(seen.count == lines.count)
        #expect(!stage.text.contains("… more"))
    }

    @Test func sidesAreStackedIfTheyDoNotFit() async throws {
        let stage = try await stage(columns: 80, rows: 24)
        let first = try #require(stage.lines.firstIndex { $0.contains("1 ★ dev0") })
        let second = try #require(stage.lines.firstIndex { $0.contains("2   dev1") })
        let base = try #require(stage.lines.firstIndex { $0.contains("common base") })
        #expect(first < second && second < base)
    }

    @Test(arguments: [200, 120, 80])
    func equalLookingSidesShowTheirTypes(_ columns: Int) async throws {
        var entry = keys.entries[0]
        (entry.sides, entry.types) = (["21", "21"], [0: "integer", 1: "string"])
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: columns, rows: 60)
        // If there is space for a column per device, these columns show the types too.
        #expect(stage.text.contains("21  (int") == (columns == 200))
        #expect(stage.text.contains("21  (str") == (columns == 200))
        await stage.press("w", "Enter")
        #expect(stage.text.contains("common base"))
        #expect(stage.text.contains("  (integer)") && stage.text.contains("  (string)"))
    }

    @Test func changedWordsOfASideAreMarked() async throws {
        let stage = try await stage(columns: 120, rows: 40, theme: Self.marking)
        let row = try #require(stage.lines.firstIndex { $0.contains("two days") })
        // The base lost `red`, `one` and `day`. The sides gained `two days` and `blue`.
        #expect(
            bold(stage.surface, row: row) == ["red", "one", "day", "two", "days", "blue"])
    }

    private static let marking = Theme(
        name: "marking", background: .plain, isASCII: false,
        styles: [.addedWord: Style(attributes: .bold), .removedWord: Style(attributes: .bold)],
        marks: [:])

    @Test func missingMergeProposalIsExplained() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("p")
        #expect(stage.text.contains("the sides changed the same parts"))
        keys.entries[0].detail = nil
        keys.entries[0].kind = .date
        let other = try await self.stage(columns: 120, rows: 40)
        await other.press("p")
        // The key has two effects; only this effect is named.
        #expect(other.text.contains("! Merge automatically: these values can't be merged"))
    }

    @Test func missingTextProposalMentionsTheSameWords() async throws {
        var entry = try Sample.entry("plan", "x", sides: ["an E27 bulb", "an E14 bulb"])
        entry.base = "a bulb"
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys", [entry])))
        await stage.press("w", "Enter", "p")
        #expect(stage.text.contains("the sides changed the same words"))
    }

    @Test func partsArePickedOneByOne() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        #expect(stage.text.contains("merged: b a c"))
        await stage.press("j", "j", "1")
        #expect(stage.text.contains("color from dev0"))
        await stage.press("j", "l", "p")
        #expect(stage.text.contains("Write?"))
        await stage.press("y")
        #expect(keys.entries[0].value == "color=dev0 days › days=dev1")
        #expect(keys.entries[0].sides.isEmpty)
    }

    @Test func valueWithPicksIsShown() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("j", "j", "1")
        #expect(stage.text.contains("color from dev0"))
        #expect(stage.text.contains("    color as dev0 has it"))
        await stage.press("j", "2")
        #expect(stage.text.contains("    color as dev0 has it, days › days as dev1 has it"))
    }

    @Test func overlapsAreNamedWithPicksToo() async throws {
        keys.entries[0].proposal = .init(
            TypedText(.string, "red"), value: "red", overlaps: ["color"])
        let stage = try await stage(columns: 120, rows: 40)
        #expect(stage.text.contains(" overlap: color"))
        await stage.press("j", "j", "j", "1")
        #expect(stage.text.contains(" overlap: color"))
    }

    @Test func mergedValueStaysAsAChoice() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        #expect(stage.text.contains("▸ merged: b a c"))
        await stage.press("j", "j", "j", "j", "1")
        #expect(stage.text.contains("▸ 1 a c"))
        #expect(stage.text.contains("  merged: b a c") && !stage.text.contains("▸ merged"))
    }

    @Test func hintNamesTheKeyForDifferencesBelow() async throws {
        let stage = try await stage(columns: 80, rows: 24)
        let key = stage.model.preferences.keymap.hint(for: "conflict-parts")
        #expect(stage.text.contains("\(key): differences"))
        await stage.press("l")
        #expect(stage.text.contains("move down"))
    }

    @Test func noticeAppearsBelowTheDialog() async throws {
        let stage = try await stage(columns: 60, rows: 24)
        await stage.press("p")
        #expect(stage.lines[23].hasPrefix("! Merge automatically: "))
        #expect(stage.lines[22].hasPrefix("└"))
    }

    @Test func cyclingThroughPicksReturnsToTheProposal() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("j", "j")
        #expect(stage.text.contains("▸ 2 blue"))
        await stage.press("h")
        #expect(stage.text.contains("color from dev0"))
        #expect(stage.text.contains("▸ 1 red") && !stage.text.contains("▸ 2 blue"))
        await stage.press("l")
        #expect(!stage.text.contains("with color") && stage.text.contains("▸ 2 blue"))
        await stage.press("l")
        #expect(stage.text.contains("▸ 1 red"))
        await stage.press("Esc")
        #expect(keys.writes == 0)
    }

    @Test func canceledPreviewKeepsThePicks() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("j", "j", "1", "p", "Esc")
        #expect(stage.lines[39].contains("nothing was written"))
        #expect(stage.text.contains("color from dev0"))
        await stage.press("j", "2", "p", "y")
        #expect(keys.entries[0].value == "color=dev0 days › days=dev1")
        #expect(stage.model.overlay == nil)
    }

    @Test func changedSidesAreReloaded() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("j")
        keys.entries[0].sides[1] = "a green car, one day"
        let changed = SessionEvent.Kind.changed(
            .keys, rows: [RowID("trip"): .changed], isOwn: false)
        await stage.emit(changed, device: "mac")
        #expect(stage.text.contains("a green car"))
        keys.entries[0].sides = []
        await stage.emit(changed, device: "mac")
        let view = try #require(stage.conflictView)
        #expect(view.conflict == nil)
        #expect(stage.text.contains(try #require(view.problem)))
        await stage.press("w")
        for key in ["1", "p"] {
            stage.model.notice = nil
            await stage.press(key)
            #expect(stage.model.notice?.kind == .warning, "\(key)")
        }
        await stage.press("Esc")
        #expect(stage.model.overlay == nil)
    }

    @Test func keysJumpToTheFirstAndLastLine() async throws {
        let stage = try await stage(columns: 80, rows: 14)
        await stage.press("G")
        #expect(stage.text.contains("older writes"))
        await stage.press("g")
        #expect(stage.text.contains("1 ★ dev0"))
    }

    @Test func movingDownStopsAtTheLastLine() async throws {
        let stage = try await stage(columns: 80, rows: 14)
        await stage.press("G", "j")
        #expect(stage.text.contains("older writes"))
        // The cursor is on the last part and moves up from there.
        await stage.press("k", "1")
        guard let view = stage.model.overlay?.module as? ConflictView else {
            Issue.record("the conflict is not open")
            return
        }
        #expect(view.picks.keys.map(\.description) == [view.fields[1].path.description])
        await stage.press("g", "k")
        #expect(stage.text.contains("1 ★ dev0"))
    }

    @Test func movingBelowTheLastPartScrollsByLines() async throws {
        let stage = try await stage(columns: 80, rows: 10)
        await stage.press("j", "j", "j", "j")
        #expect(!stage.text.contains("older writes"))
        let before = stage.lines
        await stage.press("j")
        #expect(stage.lines[3] == before[4])
        for _ in 0..<20 { await stage.press("j") }
        #expect(stage.text.contains("older writes"))
    }

    @Test func conflictInTimeTravelNamesTheKeyThatReturnsToNow() async throws {
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("t", "Enter")
        #expect(stage.text.contains("press t to return to now"))
        #expect(stage.lines[23].contains("t now") && !stage.lines[23].contains("unlock"))
        await stage.press("t")
        #expect(stage.model.time == nil)
        #expect(stage.text.contains("1 ★ dev0"))
        #expect(stage.text.contains(try #require(stage.model.whyNoWriting)))
    }

    @Test(arguments: [60, 80, 120])
    func keyDescriptionsAreNotTruncated(_ columns: Int) async throws {
        let stage = try await stage(columns: columns, rows: 40)
        let line = try #require(stage.lines.first { $0.contains("1-2: ") })
        #expect(!line.contains("…") && line.contains("Enter: selected"), "\(line)")
    }

    @Test(arguments: [40, 60, 80, 120])
    func keyDescriptionsAppearOnce(_ columns: Int) async throws {
        var entry = try Sample.entry("plan", "x", sides: ["a", "b"])
        entry.base = "c"
        entry.proposal = .init(TypedText(.string, "a b"), value: "a b", overlaps: [])
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: columns, rows: 24)
        await stage.press("w", "Enter")
        let ways = stage.lines.filter { $0.contains("1-2: ") }
        #expect(ways.count == 1 && ways.first?.contains("$EDITOR") == true, "\(ways)")
        #expect(ways.first?.contains("p: merge") == true, "\(ways)")
        #expect(stage.lines[23].contains("Esc close"))
        #expect(!stage.lines[23].contains("take") && !stage.lines[23].contains("EDITOR"))
    }

    @Test func overlapListIsNotTruncated() async throws {
        var entry = try Sample.entry("plan", "x", sides: ["a", "b"])
        entry.base = "c"
        let names = (1...8).map { "field-number-\($0)" }
        entry.proposal = .init(TypedText(.string, "a b"), value: "a b", overlaps: names)
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 60, rows: 40)
        await stage.press("Enter")
        for name in names { #expect(stage.text.contains(name.suffix(8)), "\(name)") }
    }

    @Test func numberKeyTakesAWholeSide() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("2", "y")
        #expect(keys.entries[0].value == "blue car, one day")
    }

    @Test func lineageIsAGraph() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        let first = try #require(stage.lines.firstIndex { $0.contains("History (newest first)") })
        #expect(stage.lines[first + 1].contains("1 ●"))
        #expect(stage.lines[first + 2].contains("2 │ ●"))
        #expect(stage.lines[first + 3].contains("◆─╯"))
        #expect(stage.lines[first + 3].contains("common base"))
        #expect(stage.lines[first + 4].contains("older writes: see the log"))
    }

    @Test func overflowingContentIsScrolledIntoView() async throws {
        let stage = try await stage(columns: 80, rows: 14)
        #expect(!stage.text.contains("older writes"))
        await stage.press("PgDn", "PgDn", "PgDn")
        #expect(stage.text.contains("older writes"))
        await stage.press("PgUp", "PgUp", "PgUp", "PgUp")
        #expect(stage.text.contains("1 ★ dev0"))
        // The view follows the cursor again.
        await stage.press("PgDn", "PgDn", "j")
        #expect(stage.text.contains("2   dev1"))
    }

    @Test func pageDownContinuesFromTheCursor() async throws {
        let stage = try await stage(columns: 80, rows: 14)
        await stage.press("j", "j", "j", "j")
        #expect(stage.text.contains("text"))
        await stage.press("PgDn")
        #expect(!stage.text.contains("1 ★ dev0"))
        #expect(stage.text.contains("History (newest first)"))
        // Extra presses of PgDn don't need extra presses of PgUp.
        for _ in 0..<50 { await stage.press("PgDn") }
        for _ in 0..<10 { await stage.press("PgUp") }
        #expect(stage.text.contains("1 ★ dev0"))
    }

    @Test(arguments: [(20, 5), (40, 10), (61, 13), (100, 30), (300, 100)])
    func selectedSideIsVisibleAtEverySize(_ columns: Int, _ rows: Int) async throws {
        let stage = try await stage(columns: columns, rows: rows)
        #expect(stage.lines.count == rows)
        #expect(stage.text.contains("1 ★ dev0"))
        await stage.press("j")
        #expect(stage.text.contains("2   dev1"))
        await stage.press("j", "l")
        #expect(stage.text.contains("color"))
        if columns >= 40 {
            #expect(stage.text.contains("1/2 red") || stage.text.contains("▸ 1 red"))
        }
    }

    @Test func asciiModeDrawsOnlyASCII() async throws {
        let theme = try ThemeFile(
            yaml: try #require(ThemeLibrary.shipped["tide-dark"]), source: "tide-dark"
        ).resolved(depth: .monochrome, isASCII: true)
        let stage = try await stage(columns: 140, rows: 40, theme: theme)
        #expect(stage.text.contains("days > days") && stage.text.contains("O-'"))
        for line in stage.lines { #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(line)") }
        await stage.press("j", "j", "l", "p")
        for line in stage.lines { #expect(line.utf8.allSatisfy { $0 < 0x80 }, "\(line)") }
    }

    @Test func veryLongSidesAreDrawnWithoutMarkedWords() async throws {
        var entry = try Sample.entry(
            "long", "x",
            sides: (0..<40).map { "\($0) " + String(repeating: "日本 word ", count: 50_000) })
        entry.base = "nothing of it"
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 100, rows: 30)
        await stage.press("w", "Enter", "PgDn", "j")
        #expect(stage.text.contains("2   dev1"))
    }

    @Test func outdatedDetailIsHiddenForOtherSides() async throws {
        var entry = keys.entries[0]
        entry.sides = ["red", "blue", "green"]
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys", [entry])), columns: 140, rows: 40)
        await stage.press("w", "Enter")
        #expect(stage.text.contains("dev2"))
        #expect(
            !stage.text.contains("differences") && !stage.text.contains("History (newest first)"))
    }

    @Test func changedSidesResetThePicks() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        await stage.press("j", "j", "1")
        guard var view = stage.model.overlay?.module as? ConflictView, var conflict = view.conflict
        else {
            Issue.record("the conflict is not open")
            return
        }
        #expect(view.picks == ["color": 0])
        conflict.notes = ["news"]
        view.show(conflict)
        #expect(view.picks == ["color": 0] && view.cursor == 2)
        conflict.sides.reverse()
        view.show(conflict)
        #expect(view.picks.isEmpty)
        view.show(RowConflict?.none)
        #expect(view.cursor == 0)
    }

    /// The words of a row that are drawn bold.
    private func bold(_ surface: Surface, row: Int) -> [String] {
        var words = ""
        for column in 0..<surface.size.columns {
            let cell = surface[column, row]
            words += cell.style.attributes.contains(.bold) ? String(cell.glyph.base) : " "
        }
        return words.split(separator: " ").map(String.init)
    }

    @Test func oneKeyTogglesBetweenPartsAndSides() async throws {
        keys.entries[0].sides = [
            String(repeating: "red car, two days, ", count: 40),
            String(repeating: "blue car, one day, ", count: 40),
        ]
        let stage = try await stage(columns: 80, rows: 24)
        let key = stage.model.preferences.keymap.hint(for: "conflict-parts")
        #expect(key == "Tab" && stage.text.contains("Tab: differences"))
        #expect(!stage.text.contains("(h l: choose side)"))
        await stage.press("Tab")
        #expect(stage.text.contains("(h l: choose side)") || stage.text.contains("color"))
        await stage.press("1")
        #expect(stage.text.contains("or a number: choose side"))
        await stage.press("Tab")
        #expect(stage.text.contains("1 ★ dev0") && !stage.text.contains("(h l: choose side)"))
    }

    @Test func unlockHintIsShownOnce() async throws {
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("Enter")
        #expect(stage.text.contains("Can't resolve: "))
        let key = stage.model.preferences.keymap.hint(for: "unlock")
        #expect(!stage.lines[23].contains("\(key) unlock"))
        #expect(stage.text.contains("read-only; press \(key) to unlock"))
    }
}
