import Foundation
import Replication
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct InspectorTests {
    /// A stage with the inspector focused and a row with additional lines.
    private func stage(
        _ lines: [Detail.Line], columns: Int = 80, theme: Theme = .bare
    ) async throws -> Stage {
        var entry = try Sample.entry("a", "1")
        entry.sections = [Detail.Section("More", lines)]
        let keys = FakeSource("Keys", [entry])
        let stage = await Stage(
            try Sample.session(keys: keys), columns: columns, rows: 24, theme: theme)
        await stage.press("0")
        return stage
    }

    private let tree: [Detail.Line] = [
        .init("", "{2}", .dim), .init("place", "{1}", .dim, depth: 1),
        .init("city", "Lisbon", depth: 2), .init("title", "Plan", depth: 1),
        .init("", "after it", .dim),
    ]

    @Test(arguments: [80, 160])
    func previousDetailStaysUntilTheNextHasLoaded(_ columns: Int) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: columns, rows: 24)
        await stage.press("j")
        /// The lines of the inspector or, on a small screen, of the preview of the row.
        func shown() -> [String] {
            let lines = stage.lines
            guard columns > 80 else { return Array(lines[21...22]) }
            return lines.compactMap { $0.split(separator: "┃").last }.map(String.init)
                .filter { $0.contains("note/") || $0.contains("wrote it") }
        }
        let before = shown()
        #expect(before.contains { $0.contains("note/1/title") }, "\(stage.text)")
        stage.take(.input(.key(.character("j"))))
        #expect(stage.model.list?.selectedRow?.id == RowID("note/2/body"))
        #expect(shown().first { $0.contains("note/") } == before.first { $0.contains("note/") })
        // Only the list shows the value of the new row.
        #expect(stage.lines.count { $0.contains("milk, eggs") } == 1)
        await stage.settle()
        #expect(shown() != before && stage.text.contains("note/2/body"))
    }

    @Test func sectionsAreReachedByKey() async throws {
        let stage = try await stage(tree)
        func heading() -> String {
            let line = stage.model.panelStates.inspector
            guard case .heading(let text) = line.line(at: line.cursor) else { return "" }
            return text
        }
        #expect(heading() == "Value")
        await stage.press("gj")
        #expect(heading() == "Devices")
        await stage.press("j", "gj")
        #expect(heading() == "More")
        await stage.press("gj")
        #expect(heading() == "More" && stage.text.contains("last section"))
        await stage.press("j", "gk")
        #expect(heading() == "More")
        await stage.press("gk", "gk")
        #expect(heading() == "Value")
        await stage.press("Esc", "gj")
        #expect(stage.text.contains("press 0"), "\(stage.text)")
    }

    @Test func lastSectionIsScrolledIntoView() async throws {
        let stage = try await stage((0..<60).map { Detail.Line("\($0)", "value") })
        await stage.press("gj", "gj")
        // The section is longer than the panel, so that its heading is at the top.
        #expect(stage.lines[2].hasPrefix("More"), "\(stage.text)")
        await stage.press("gk")
        #expect(stage.text.contains("Devices"))
    }

    @Test func detailRequestCarriesTheFilter() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        func asked() -> [RowQuery] {
            stage.effects.compactMap { effect in
                guard case .detail(_, _, _, _, let query) = effect else { return nil }
                return query
            }
        }
        #expect(asked().last?.filter == "")
        await stage.press("f")
        // The selected row and its appearance stay the same.
        await stage.type("note")
        await stage.press("Enter")
        #expect(asked().last?.filter == "note")
    }

    @Test func inspectorHintsEndWithHelp() async throws {
        let stage = try await stage(tree)
        await stage.press("j", "j", "j")
        let foot = stage.lines[23].split(separator: "  ").map {
            $0.trimmingPrefix(while: \.isWhitespace)
        }
        let help = try #require(foot.firstIndex(of: "? keys"))
        let open = try #require(foot.firstIndex { $0.hasPrefix("Enter ") })
        #expect(open < help && !foot[(help + 1)...].contains { $0.contains(/^\S+ [a-z]/) })
    }

    @Test func frameShowsHiddenLineCounts() async throws {
        let stage = try await stage((0..<60).map { .init("line", "\($0)") }, columns: 160)
        let edge = try #require(stage.lines.last { $0.contains("┗") })
        #expect(edge.contains("↓") && !edge.contains("↑"))
        await stage.press("G")
        let last = try #require(stage.lines.last { $0.contains("┗") })
        #expect(last.contains("↑") && !last.contains("↓"))
        let short = try await self.stage([.init("line", "0")], columns: 160)
        #expect(!short.lines.contains { $0.contains("┗") && $0.contains("↓") })
    }

    @Test func lineTallerThanThePanelScrolls() async throws {
        let words = (1...200).map { "word\($0)." }
        let stage = try await stage([
            .init("first", "before it"), .init("text", words.joined(separator: " ")),
            .init("last", "after it"),
        ])
        var seen: Set<String> = []
        func look() {
            for word in words where stage.text.contains(word) { seen.insert(word) }
        }
        for _ in 0..<60 {
            look()
            await stage.press("j")
        }
        #expect(seen.count == words.count, "\(seen.count)")
        #expect(stage.text.contains("after it"))
        // Moving up shows the end of the text first, and paging skips no part of it.
        await stage.press("k")
        #expect(stage.text.contains("word200.") && !stage.text.contains("word1. "))
        seen = []
        for _ in 0..<10 {
            look()
            await stage.press("PgUp")
        }
        #expect(seen.count == words.count, "\(seen.count)")
        #expect(stage.text.contains("before it"))
    }

    @Test func narrowPanelsKeepTimesOnOneLine() async throws {
        let lines: [Detail.Line] = [
            .init("time", "2026-11-21 09:15:00.123456Z", .timestamp),
            .init("modified", "2026-11-21 09:15:00", .timestamp),
            .init("knowing", "2026-11-20 09:15:00.123456Z  tablet", .timestamp),
            .init("a label as long as any", "2026-11-21T09:15:00Z", .date, depth: 4),
        ]
        let stage = try await stage(lines)
        let words = Set(
            lines.flatMap { line in
                line.text.split(separator: " ") + line.text.split { " T".contains($0) }
                    + line.text.replacing(/\.[0-9]+/, with: "").split { " T".contains($0) }
                    + line.text.replacing(/\.[0-9]+/, with: "").split(separator: " ")
            })
        for columns in 18...80 {
            let rows = stage.model.panelStates.inspector.rows(in: Size(columns: columns, rows: 400))
            let times = rows.filter { $0.role == .timestamp || $0.role == .date }
            for word in times.flatMap({ $0.text.split(separator: " ") }) {
                #expect(words.contains(word), "\(word) in \(columns) columns")
            }
            #expect(times.contains { $0.text.hasPrefix("2026-11-21") })
            #expect(rows.contains { $0.label == "knowing" })
        }
        // The Events panel takes as much space as possible.
        stage.take(.input(.resize(columns: 100, rows: 40)))
        await stage.press("E")
        for _ in 0..<20 { await stage.press("=") }
        #expect(stage.model.layout.inner(.inspector)?.columns == 18)
        #expect(stage.text.contains("2026-11-21") && stage.text.contains(" 09:15:00Z"))
    }

    @Test func peekMarksHiddenLines() async throws {
        for count in 0...30 {
            let lines = (0..<count).map { Detail.Line("n\($0)", "v\($0)") }
            let stage = try await stage(lines)
            await stage.press("Esc")
            let line = try #require(stage.lines.dropLast().last)
            let isWhole = lines.allSatisfy { line.contains("\($0.label) \($0.text)") }
            #expect(line.hasSuffix("…") == !isWhole, "\(count): \(line)")
            #expect(stage.lines.contains { $0.contains("0 inspector") } == !isWhole)
        }
    }

    @Test func peekNamesTheKeyForHiddenText() async throws {
        for length in 20...90 {
            let lines = [
                Detail.Line("t", String(repeating: "x", count: length)), Detail.Line("u", "end"),
            ]
            let stage = try await stage(lines)
            await stage.press("Esc")
            let line = try #require(stage.lines.dropLast().last)
            let isWhole = line.contains("u end")
            #expect(line.hasSuffix("…") == !isWhole, "\(length): \(line)")
            #expect(stage.text.contains("0 inspector") == !isWhole, "\(length): \(line)")
        }
    }

    @Test func truncatedTextEndsWithAMark() async throws {
        let stage = try await stage([.init("bio", String(repeating: "lorem ", count: 4_000))])
        let rows = stage.model.panelStates.inspector.rows(in: Size(columns: 40, rows: 1_000))
        #expect(rows.filter(\.isCut).map(\.line) == rows.suffix(1).map(\.line))
        #expect(rows.last?.isCut == true)
        let whole = try await self.stage([.init("bio", String(repeating: "lorem ", count: 40))])
        let rowsOfWhole = whole.model.panelStates.inspector.rows(in: Size(columns: 40, rows: 1_000))
        #expect(rowsOfWhole.filter(\.isCut).isEmpty)
    }

    @Test func sideScrollingAffectsOnlyLongTextsOfOneRow() async throws {
        let long = "0123456789" + String(repeating: " words", count: 60)
        let stage = try await stage([.init("short", "stays"), .init("long", long)])
        #expect(stage.text.contains("0123456789"))
        await stage.press("L")
        #expect(stage.text.contains("stays") && !stage.text.contains("0123456789"))
        #expect(stage.text.contains(/long +…/))
        #expect(stage.model.panelStates.inspector.sideScroll > 0)
        let keys = try Sample.notes()
        let others = await Stage(try Sample.session(keys: keys), columns: 140, rows: 40)
        await others.press("0", "L")
        #expect(others.model.panelStates.inspector.sideScroll > 0)
        await others.press("Esc", "j")
        #expect(others.model.panelStates.inspector.sideScroll == 0)
    }

    @Test func errorOfOneRowIsNotShownForAnother() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys), columns: 140, rows: 40)
        let first = try #require(keys.entries.first)
        await stage.press("j")
        keys.entries.removeFirst()
        // The list still shows the deleted row.
        await stage.press("k")
        #expect(stage.text.contains("! row not found"))
        // The problem disappears while the answer for another row is pending.
        stage.take(.input(.key(.character("j"))))
        #expect(!stage.text.contains("row not found"))
        await stage.settle()
        await stage.press("k", "f")
        await stage.type("nothing has this")
        #expect(stage.model.list?.total == 0)
        #expect(!stage.text.contains("row not found"))
        keys.entries.insert(first, at: 0)
        await stage.press("Esc")
        #expect(!stage.text.contains("row not found"))
    }

    /// Selects the first line of the added section.
    private func select(_ number: Int, on stage: Stage) async {
        await stage.press("G")
        for _ in 0..<(stage.model.panelStates.inspector.lineCount - 6 - number) {
            await stage.press("k")
        }
    }

    @Test func enterFoldsAndUnfoldsATree() async throws {
        let stage = try await stage(tree)
        #expect(stage.text.contains("▾place"))
        await select(1, on: stage)
        #expect(stage.lines[23].contains("Enter fold"))
        await stage.press("Enter")
        #expect(stage.text.contains("▸place") && !stage.text.contains("Lisbon"))
        #expect(stage.text.contains("title") && stage.text.contains("after it"))
        #expect(stage.lines[23].contains("Enter unfold"))
        await stage.press("Enter")
        #expect(stage.text.contains("▾place") && stage.text.contains("Lisbon"))
    }

    @Test func longListKeepsItsLabelsAndIsFoldedAsAWhole() async throws {
        var lines = [Detail.Line("", "[3000]", .dim)]
        lines += (0..<499).map { Detail.Line("\($0)", "\($0 * 7)", .number, depth: 1) }
        lines.append(Detail.Line("", "… more", .dim, depth: 1))
        lines.append(Detail.Line("type", "list, 20 kB", .dim))
        let stage = try await stage(lines)
        await stage.press("G")
        #expect(stage.text.contains(" type list, 20 kB") && stage.text.contains("… more"))
        #expect(stage.text.contains(" 498  3486"), "three digits of a number in the list")
        await stage.press("Home", "j", "j", "j", "j", "j", "Enter")
        #expect(stage.text.contains("▸[3000]") && !stage.text.contains("… more"))
        #expect(stage.text.contains(" type list, 20 kB"))
    }

    @Test func lineForTheRestOfAValueNamesTheWaysToSeeIt() async throws {
        var rest = Detail.Line("", "… more", .dim)
        rest.isOmission = true
        let stage = try await stage([Detail.Line("", "the beginning"), rest])
        await stage.press("G")
        #expect(!stage.lines[23].contains("Enter"))
        await stage.press("Enter")
        #expect(stage.text.contains("press y to copy the whole value, or run :save FILE"))
    }

    @Test func furtherLinesOfATextAreAlignedWithTheFirst() async throws {
        var second = Detail.Line("", "second line")
        second.isContinuation = true
        let stage = try await stage([.init("title", "first line"), second, .init("", "zebra")])
        func column(_ text: String) -> Int? {
            stage.lines.lazy.compactMap { $0.range(of: text)?.lowerBound.utf16Offset(in: $0) }.first
        }
        #expect(column("second line") == column("first line"))
        #expect(column("zebra") == column("title"))
    }

    @Test func foldsSurviveAReload() async throws {
        let stage = try await stage(tree)
        await select(1, on: stage)
        await stage.press("Enter", "R")
        #expect(!stage.text.contains("Lisbon"))
    }

    @Test func cursorStaysOnItsLineWhenLinesAreInserted() async throws {
        var entry = try Sample.entry("a", "1")
        entry.sections = [Detail.Section("More", tree)]
        let keys = FakeSource("Keys", [entry])
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("0")
        await select(3, on: stage)
        #expect(stage.model.panelStates.inspector.selectedLine?.label == "title")
        for added in ["new", "newer"] {
            let lines =
                [keys.entries[0].sections[0].lines[0], .init(added, "1", depth: 1)]
                + keys.entries[0].sections[0].lines.dropFirst()
            keys.entries[0].sections = [Detail.Section("More", lines)]
            await stage.emit(.changed(.keys, rows: [RowID("a"): .changed], isOwn: false))
            #expect(stage.text.contains(added))
            #expect(stage.model.panelStates.inspector.selectedLine?.label == "title")
        }
        // If the line is removed, another line is selected.
        keys.entries[0].sections = [Detail.Section("More", Array(tree.prefix(2)))]
        await stage.emit(.changed(.keys, rows: [RowID("a"): .changed], isOwn: false))
        #expect(stage.model.panelStates.inspector.selectedLine != nil)
    }

    @Test(.timeLimit(.minutes(30)))
    func cursorFollowsRenamedAndAddedMembers() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(
            session, columns: 120, rows: 40, selecting: RowID("list/groceries/1"))
        await stage.press("w", "0")
        for _ in 0..<20 where stage.model.panelStates.inspector.selectedLine?.label != "amount" {
            await stage.press("j")
        }
        let before = stage.model.panelStates.inspector.cursor
        await stage.press("r", "^u")
        await stage.type("how many")
        await stage.press("Enter", "y")
        #expect(
            stage.model.panelStates.inspector.selectedLine?.label == "how many", "\(stage.text)")
        #expect(stage.model.panelStates.inspector.cursor != before)
        await stage.press("a")
        await stage.type("zest")
        await stage.press("Tab")
        await stage.type("1")
        await stage.press("Enter", "y")
        #expect(stage.model.panelStates.inspector.selectedLine?.label == "zest", "\(stage.text)")
        await session.close()
    }

    @Test func bytesStartFoldedAndFillTheWidth() async throws {
        var whole = Detail.Line("", "<00 01 …> 20 B", .data)
        whole.startsFolded = true
        var first = Detail.Line("000000", "as it is elsewhere", .data, depth: 1)
        first.bytes = Data(0..<16)
        var last = Detail.Line("000010", "as it is elsewhere", .data, depth: 1)
        last.bytes = Data("ABCD".utf8)
        for (columns, lines) in [
            (
                80,
                [
                    "000000 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f ................",
                    "000010 41 42 43 44 " + String(repeating: "   ", count: 12) + "ABCD",
                ]
            ),
            (
                60,
                ["000000 00 01 02 03 04 05 06 07 ........", "000008 08 09", "000010 41 42 43 44"]
            ),
        ] {
            let stage = try await stage([whole, first, last], columns: columns)
            #expect(stage.text.contains("▸<00 01") && !stage.text.contains("000000"))
            await stage.press("G", "Enter")
            for line in lines { #expect(stage.text.contains(line), "\(columns): \(line)") }
            await stage.press("G")
            #expect(stage.text.contains("ABCD"))
        }
    }

    @Test func historyLineStartsTimeTravel() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let stage = try await stage([.init("ipad", "old value", instant: then)])
        await stage.press("G")
        #expect(stage.lines[23].contains("Enter time travel"))
        await stage.press("Enter")
        #expect(stage.model.instant == then)
        #expect(stage.lines[0].contains("PAST"))
        // The old value is visible first.
        #expect(
            stage.model.panels.focus == .inspector && stage.model.panelStates.inspector.cursor == 0)
        await stage.press("t")
        #expect(stage.model.time == nil)
    }

    /// A stage with a row that has an earlier version, and further rows.
    private func versionStage(_ version: Detail.Version) async throws -> Stage {
        var entry = try Sample.entry("a", "1")
        entry.sections = [
            .init("History (2)", [.init("now", "1"), .init("ipad", "0", version: version)])
        ]
        entry.versions = [version: "zero"]
        let keys = FakeSource("Keys", [entry, try Sample.entry("b", "2")])
        let stage = await Stage(try Sample.session(keys: keys), columns: 80, rows: 24)
        await stage.press("0")
        return stage
    }

    @Test func versionIsOpenedAndClosedWithoutTimeTravel() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let version = Detail.Version(at: then, by: try Sample.device("ipad"))
        let stage = try await versionStage(version)
        await stage.press("G")
        let line = stage.model.panelStates.inspector.cursor
        #expect(stage.lines[23].contains("Enter view version"))
        await stage.press("Enter")
        #expect(stage.text.contains("zero") && stage.text.contains("a, earlier version"))
        #expect(stage.model.time == nil && stage.model.panelStates.inspector.cursor == 0)
        await stage.press("w", "i")
        #expect(stage.text.contains("this view can't be edited"))
        // Back closes the message, then returns to the line, then to the list.
        await stage.press("Backspace", "Backspace")
        #expect(stage.model.panelStates.inspector.form == .row && !stage.text.contains("zero"))
        #expect(stage.model.panelStates.inspector.cursor == line)
        #expect(stage.model.panels.focus == .inspector)
        await stage.press("Enter", "Esc", "Esc")
        #expect(stage.model.panels.focus == .list)
    }

    @Test func versionIsRestoredFromItsView() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let version = Detail.Version(
            at: then, by: try Sample.device("ipad"), property: FieldPath("name"))
        let stage = try await versionStage(version)
        await stage.press("w", "G", "Enter")
        #expect(stage.lines[23].contains("T restore"))
        await stage.press("T")
        guard let dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("no preview: \(stage.text)")
            return
        }
        #expect(
            dialog.previews.map(\.edit) == [
                .restore([RowID("a")], field: FieldPath("name"), at: then)
            ])
        await stage.press("y")
        #expect(stage.model.overlay == nil && stage.model.panelStates.inspector.form == .row)
        #expect(stage.model.time == nil)
    }

    @Test func anotherRowIsShownAsItself() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let version = Detail.Version(at: then, by: try Sample.device("ipad"))
        let stage = try await versionStage(version)
        await stage.press("G", "Enter", "Tab", "BackTab")
        #expect(stage.model.panelStates.inspector.form == .version(version))
        stage.model.panels.focus = .list
        await stage.press("j")
        #expect(stage.model.panelStates.inspector.form == .row)
        #expect(stage.model.panelStates.inspector.shown?.row == RowID("b"))
    }

    @Test func timeTravelStartsAtTheShownVersion() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let version = Detail.Version(at: then, by: try Sample.device("ipad"))
        let stage = try await versionStage(version)
        await stage.press("G", "Enter", "t")
        #expect(stage.model.instant == then && stage.model.time?.device == version.writer)
        #expect(stage.model.panelStates.inspector.form == .row)
    }

    @Test(arguments: [false, true])
    func partsAreDrawnByWriter(_ hasColors: Bool) async throws {
        let (mac, ipad) = (try Sample.device("mac"), try Sample.device("ipad"))
        var entry = try Sample.entry("a", "1")
        entry.parts = [
            .init("Buy ", author: .device(mac)), .init("oat", author: .device(ipad)),
            .init(" milk", author: .device(mac)),
        ]
        let keys = FakeSource("Keys", [entry, try Sample.entry("b", "2")])
        let theme = try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: "tide-dark", depth: hasColors ? .rgb : .monochrome)
        let stage = await Stage(
            try Sample.session(keys: keys), columns: 100, rows: 24, theme: theme)
        await stage.press("gb")
        #expect(stage.text.contains("a, by writer") && stage.model.panels.focus == .inspector)
        #expect(!stage.lines[23].contains("gb") && stage.lines[23].contains("Esc back"))
        let row = try #require(stage.lines.firstIndex { $0.contains("Buy oat milk") })
        let line = Array(stage.lines[row])
        let start = try #require(
            line.indices.first { String(line[$0...]).hasPrefix("Buy oat milk") })
        let surface = stage.surface
        let styles = [0, 4, 8].map { surface[start + $0, row].style }
        #expect(styles[0] != styles[1] && styles[0] == styles[2])
        // The margin has the marks of both writers, in the order of the text.
        let marks = [mac, ipad].map { theme.mark(stage.model.session.role(of: .device($0))) }
        #expect(String(line[..<start]).contains(marks.joined()))
        await stage.press("gb")
        #expect(stage.model.panelStates.inspector.form == .row)
        await stage.press("Esc", "j", "gb")
        #expect(stage.text.contains("recorded writers"))
    }

    @Test func historyLineIsRestoredInThePresent() async throws {
        let then = Timestamp(microseconds: Stage.start.microseconds - 86_400_000_000)
        let stage = try await stage([
            .init("ipad", "old value", version: .init(at: then, by: try Sample.device("ipad")))
        ])
        await stage.press("T")
        #expect(stage.text.contains("select a write"))
        await stage.press("G", "T")
        #expect(stage.text.contains("read-only; press w"))
        await stage.press("w", "k", "j")
        #expect(stage.lines[23].contains("T restore"))
        await stage.press("T")
        guard let dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("no preview: \(stage.text)")
            return
        }
        #expect(dialog.previews.map(\.edit) == [.restore([RowID("a")], at: then)])
        await stage.press("y")
        #expect(stage.model.time == nil && stage.model.overlay == nil)
    }

    @Test func copiedWriteNamesItsDevice() async throws {
        let mac = try Sample.device("mac")
        let stage = try await stage([
            .init("mac", "old value", instant: Stage.start, writer: mac),
            .init("time", "then", instant: Stage.start, writer: mac),
        ])
        await stage.press("G")
        for text in ["then", "mac  old value"] {
            await stage.press("y")
            guard let menu = stage.model.overlay?.module as? Menu else {
                Issue.record("no menu")
                return
            }
            #expect(menu.items.first?.hint == text)
            await stage.press("Esc", "k")
        }
    }

    @Test func lineWithoutATargetOffersNothingToOpen() async throws {
        let stage = try await stage([.init("", "plain")])
        #expect(!stage.lines[23].contains("Enter"))
        await stage.press("G")
        #expect(!stage.lines[23].contains("Enter"))
        await stage.press("Enter")
        #expect(stage.text.contains("nothing to open"))
    }

    @Test func asciiThemeDrawsTreesInASCII() async throws {
        let theme = Theme(
            name: "ascii", background: .plain, isASCII: true, styles: [:], marks: [:])
        let stage = try await stage(tree, theme: theme)
        #expect(stage.text.contains("vplace"))
        await select(1, on: stage)
        await stage.press("Enter")
        #expect(stage.text.contains(">place"))
        #expect(stage.text.utf8.max() ?? 0 < 0x80)
    }
}
