import Foundation
import Replication
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct LayoutTests {
    @Test func smallTerminalsShowOnePanelWithTabsAndAPeek() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 70, rows: 14)
        #expect(
            stage.lines == [
                "Tideline notes.store [RO] LIVE 3dev ≠1 !1              1Keys E Events",
                "  KEY            TYPE     VALUE                        DEVICE      AGE",
                "≠ note/1/due     integer  3 | 5                        ipad         1m",
                "  note/1/title   string   Groceries                    mac          2m",
                "  note/2/body    string   milk, eggs                   ipad         9s",
                "  note/2/title   string   日本                         mac          1h",
                "", "", "", "", "",
                "─ note/1/due ─ ≠ conflict ────────────────────────────────────────────",
                " 3   ipad wrote it",
                " Enter open  f filter  w unlock  c next≠  t time  ? keys          1/4",
            ])
    }

    @Test func wideTerminalsShowTheInspectorNextToTheList() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 140, rows: 40)
        let lines = stage.lines
        #expect(lines[1].hasPrefix("┏1 Keys━"))
        #expect(lines[1].contains("┓┌0 Inspector: note/1/due─"))
        #expect(lines[3].hasPrefix("┃≠ note/1/due     integer  3 | 5"))
        #expect(lines[3].contains("┃│ 3  "))
        #expect(lines[32].hasPrefix("┌E Events"))
        #expect(lines.count == 40)
    }

    @Test func inspectorIsBelowAListThatNeedsTheWidth() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 100, rows: 40)
        let lines = stage.lines
        #expect(lines[1].hasPrefix("┏1 Keys━") && lines[1].hasSuffix("━┓"))
        #expect(lines[27].hasPrefix("┌0 Inspector: note/1/due─"))
        #expect(lines[27].contains("┌E Events"))
        await stage.press("E", "_")
        #expect(Array(stage.model.layout.panels.keys) == [.events])
    }

    @Test func panelWithoutSpaceOpensZoomed() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 140, rows: 26)
        #expect(Set(stage.model.layout.panels.keys) == [.list, .inspector])
        await stage.press("E")
        #expect(Array(stage.model.layout.panels.keys) == [.events])
        await stage.press("Tab", "1")
        #expect(Set(stage.model.layout.panels.keys) == [.list, .inspector])
    }

    /// The column layouts of the panes.
    static let shapes: [[Column]] = [
        [
            Column("key", "KEY", minimumWidth: 12), Column("value", "VALUE", minimumWidth: 12),
            Column("type", "TYPE", width: 4), Column("device", "DEVICE", width: 14),
            Column("age", "AGE", width: 4),
        ],
        [
            Column("time", "TIME", width: 15), Column("device", "DEVICE", width: 14),
            Column("key", "KEY", minimumWidth: 12), Column("value", "VALUE", minimumWidth: 10),
            Column("parent", "KNOWING", width: 12), Column("id", "ROW", width: 9),
        ],
        (0..<30).map { Column("c\($0)", "C\($0)", minimumWidth: 6, width: 16) },
        [
            Column("time", "TIME", minimumWidth: 12, width: 15),
            Column("device", "DEVICE", minimumWidth: 6, width: 14),
            Column("key", "KEY", minimumWidth: 12, leastWidth: 12),
            Column("value", "VALUE", minimumWidth: 24, leastWidth: 10),
            Column("parent", "KNOWING", minimumWidth: 12), Column("id", "ROW", width: 9),
        ],
    ]

    @Test func narrowListShowsTheMostImportantColumns() throws {
        let columns = try #require(Self.shapes.last)
        func titles(_ width: Int) -> [String] {
            ColumnSpans(columns, width: width).spans.map { columns[$0.index].title }
        }
        #expect(titles(20) == ["KEY"])
        #expect(titles(26) == ["KEY", "VALUE"])
        #expect(titles(40) == ["TIME", "KEY", "VALUE"])
        #expect(titles(60) == ["TIME", "DEVICE", "KEY", "VALUE"])
        #expect(titles(80) == ["TIME", "DEVICE", "KEY", "VALUE"])
        #expect(titles(120).count == 6)
        for width in 20...60 {
            for span in ColumnSpans(columns, width: width).spans {
                #expect(span.range.upperBound <= width)
            }
        }
    }

    @Test func spareWidthGoesToTruncatedColumns() {
        let columns = [
            Column("severity", "", width: 8), Column("problem", "", minimumWidth: 24),
            Column("file", "", minimumWidth: 12), Column("device", "", minimumWidth: 8),
        ]
        // The severity column usually takes its natural width, too.
        let contents = [20, 70, 20, 6]
        for width in 60...160 {
            let sizes = ColumnSpans(columns, contents: contents, width: width).spans
                .map(\.range.count)
            let isCut = (0...3).contains { sizes[$0] < contents[$0] }
            let hasSpare = (0...3).contains {
                sizes[$0] > max(contents[$0], columns[$0].minimumWidth)
            }
            #expect(!(isCut && hasSpare), "\(width): \(sizes)")
        }
    }

    @Test func columnsShareTheAvailableWidth() {
        let columns = [
            Column("change", "", width: 7), Column("row", "", minimumWidth: 12),
            Column("before", "", minimumWidth: 14), Column("after", "", minimumWidth: 14),
        ]
        func sizes(_ contents: [Int]) -> [Int] {
            ColumnSpans(columns, contents: contents, width: 80).spans.map(\.range.count)
        }
        #expect(sizes([0, 300, 300, 300]) == [7, 22, 23, 23])
        #expect(sizes([0, 12, 300, 300]) == [7, 12, 28, 28])
        // No column exceeds the width of its contents while another one is cut.
        #expect(sizes([0, 300, 14, 300]) == [7, 27, 14, 27])
        #expect(sizes([0, 20, 20, 300]) == [7, 20, 20, 28])
        #expect(sizes([0, 12, 14, 14]) == [7, 12, 14, 42])
    }

    @Test func smallestSizesShowTheInstant() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("t", "Left", "Left")
        let instant = try #require(stage.model.instant)
        let time = instant.text(in: 0).dropFirst(11).prefix(8)
        for (columns, rows) in [(20, 5), (40, 7), (40, 10), (59, 11)] {
            stage.take(.input(.resize(columns: columns, rows: rows)))
            let line = stage.lines[0]
            #expect(line.contains("PAST \(time)"), "\(columns)x\(rows): \(line)")
        }
    }

    @Test func writtenValueIsTruncatedWithAMarkInASmallWindow() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 40, rows: 10)
        let name = String(repeating: "a long name ", count: 20)
        stage.model.writing.journal.record(
            .init(
                pane: "keys",
                applied: AppliedEdit(
                    summary: name, date: Stage.start.date, rows: [], undo: []),
                direction: .edit))
        await stage.press("@")
        let line = try #require(stage.lines.first { $0.contains("a long name") })
        #expect(line.hasSuffix("… │"), "\(line)")
        #expect(stage.lines.allSatisfy { CharacterWidth.width(of: $0) <= 40 })
    }

    @Test func yieldingColumnShrinksFirst() {
        let columns = [
            Column("document", "", minimumWidth: 14), Column("size", "", width: 8),
            Column("id", "", minimumWidth: 12, width: 36, yieldsWidth: true),
        ]
        func sizes(_ width: Int, document: Int) -> [Int] {
            ColumnSpans(columns, contents: [document, 0, 36], width: width).spans
                .map(\.range.count)
        }
        // Two columns of marks and two gaps separate the columns.
        #expect(sizes(74, document: 40) == [40, 8, 22])
        #expect(sizes(74, document: 60) == [50, 8, 12])
        #expect(sizes(74, document: 20) == [26, 8, 36])
        #expect(sizes(100, document: 40) == [52, 8, 36])
    }

    @Test(arguments: shapes)
    func largerWindowLosesNoColumn(_ columns: [Column]) {
        /// The visible width of each column. Flexible columns count with their minimum width.
        func seen(_ width: Int, _ height: Int, _ hasConflicts: Bool) -> [Int: Int] {
            let layout = Layout(
                .init(
                    size: Size(columns: width, rows: height),
                    listWidth: ColumnSpans.naturalWidth(of: columns), deviceCount: 3,
                    hasConflicts: hasConflicts))
            guard let inner = layout.inner(.list) else { return [:] }
            let spans = ColumnSpans(columns, width: inner.columns).spans
            return Dictionary(
                uniqueKeysWithValues: spans.map { span in
                    let column = columns[span.index]
                    let limit = span.isFlexible ? column.leastWidth ?? column.minimumWidth : .max
                    return (span.index, min(span.range.count, limit))
                })
        }
        for hasConflicts in [false, true] {
            for height in 10...100 {
                var before: [Int: Int] = [:]
                for width in 40...300 {
                    let now = seen(width, height, hasConflicts)
                    for (column, count) in before where (now[column] ?? 0) < count {
                        Issue.record("\(columns[column].title) \(count) at \(width)x\(height)")
                        return
                    }
                    before = now
                }
            }
        }
    }

    @Test(arguments: shapes)
    func widestWindowShowsAtLeastTheListOf120Columns(_ columns: [Column]) throws {
        func list(_ width: Int, _ height: Int) throws -> Int {
            let layout = Layout(
                .init(
                    size: Size(columns: width, rows: height),
                    listWidth: ColumnSpans.naturalWidth(of: columns), deviceCount: 3,
                    hasConflicts: true))
            return try #require(layout.inner(.list)).columns
        }
        for width in 160...300 { #expect(try list(width, 60) >= list(120, 40), "\(width)") }
    }

    @Test func listKeepsTheHeightOfASmallTerminal() {
        for width in 80...300 {
            for height in 24...100 {
                let layout = Layout(
                    .init(
                        size: Size(columns: width, rows: height), listWidth: 89, deviceCount: 3,
                        hasConflicts: true))
                #expect(layout.listHeight >= 19, "\(width)x\(height)")
            }
        }
    }

    @Test func badgesShowAtEveryDrawableSize() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 40, rows: 8)
        #expect(!stage.text.contains("WRITE"))
        await stage.press("w")
        for (columns, rows) in [(20, 5), (40, 8), (59, 11), (80, 24), (120, 40), (200, 60)] {
            stage.take(.input(.resize(columns: columns, rows: rows)))
            #expect(stage.lines[0].contains("[WRITE]"), "\(columns)x\(rows)")
        }
        await stage.press("w", "t")
        for (columns, rows) in [(20, 5), (40, 8), (80, 24), (200, 60)] {
            stage.take(.input(.resize(columns: columns, rows: rows)))
            #expect(stage.lines[0].contains("PAST"), "\(columns)x\(rows)")
        }
        await stage.settle()
    }

    @Test func badgesStayVisibleBehindOverlays() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let overlays: [(String, [String])] = [
            ("help", ["?"]), ("palette", [":"]), ("menu", ["o"]), ("conflict", ["c", "Enter"]),
            ("help over the palette", [":", "M-?"]), ("field", ["i"]), ("preview", ["d"]),
            ("search", ["/"]), ("filter", ["f", "nosuch:x"]), ("columns", ["K"]),
        ]
        func check(_ states: [String], _ what: String) {
            for (columns, rows) in [(20, 5), (40, 7), (40, 10), (59, 11), (60, 12), (80, 24)] {
                stage.take(.input(.resize(columns: columns, rows: rows)))
                for state in states {
                    #expect(stage.lines[0].contains(state), "\(what) at \(columns)x\(rows)")
                }
            }
        }
        for state in ["[WRITE]", "PAST", "MISSING"] {
            stage.take(.input(.resize(columns: 80, rows: 24)))
            switch state {
            case "[WRITE]": await stage.press("w")
            case "PAST": await stage.press("w", "t")
            default:
                await stage.press("t", "w")
                stage.session.status.phase = .missing
                await stage.refreshStatus()
            }
            let states = state == "MISSING" ? ["[WRITE]", state] : [state]
            check(states, "nothing")
            for (name, keys) in overlays {
                stage.take(.input(.resize(columns: 80, rows: 24)))
                for key in keys {
                    if KeyNotation.keys(in: key)?.count == 1 {
                        await stage.press(key)
                    } else {
                        await stage.type(key)
                    }
                }
                check(states, name)
                if state == "[WRITE]" { #expect(stage.model.overlay != nil, "\(name)") }
                for _ in 0..<4 where stage.model.overlay != nil { await stage.press("Esc") }
            }
        }
        await stage.settle()
    }

    @Test func badgesGetTheirOwnLineOnASmallScreen() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 40, rows: 10)
        let before = stage.lines
        await stage.press("w")
        let conflicts = stage.model.openConflictCount
        let name = stage.model.session.storeName
        #expect(stage.lines[0] == "[WRITE] ≠\(conflicts) \(name)")
        #expect(stage.lines[1] == before[0])
        #expect(stage.lines[2] == before[1])
    }

    @Test func widestTerminalsShowDeviceColumnsAndTheTimeline() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        let top = try #require(
            stage.lines.firstIndex { $0.contains("┌Conflicts by device") })
        let lines = stage.lines[top...].map(\.self)
        #expect(lines[1].contains("dev0") && lines[1].contains("dev1"))
        #expect(lines[2].contains("★ 3") && lines[2].contains(" 5 "))
        #expect(stage.text.contains("┌Timeline"))
        #expect(stage.text.contains("▆"))
    }

    @Test func conflictsByDeviceShowHowManyAreNotInView() async throws {
        let keys = try Sample.many(200)
        for index in [1, 2, 150, 151, 152] { keys.entries[index].sides = ["a", "b"] }
        let stage = await Stage(try Sample.session(keys: keys), columns: 200, rows: 60)
        #expect(stage.text.contains("Conflicts by device: rows in view"))
        #expect(stage.text.contains("3 more conflicts"), "\(stage.text)")
        for index in [150, 151, 152] { keys.entries[index].sides = [] }
        stage.session.status.conflictCount = 2
        await stage.refreshStatus()
        #expect(!stage.text.contains("more conflict"), "\(stage.text)")
    }

    @Test func sidebarShowsThatProblemsAreUnchecked() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, columns: 200, rows: 60)
        let before = try #require(stage.lines.first { $0.contains("9 Problems") })
        #expect(before.contains("unchecked"), "\(before)")
        await stage.press("9")
        await stage.wait { $0.session.status.counts[.problems] != nil }
        #expect(!stage.text.contains("unchecked"), "\(stage.text)")
        await session.close()
    }

    @Test func conflictColumnsAppearOnlyIfConflictsArePossible() async throws {
        let stage = await Stage(
            try Sample.session(
                keys: try Sample.notes(), log: FakeSource("Log", [], edits: [:])),
            columns: 200, rows: 60)
        #expect(stage.text.contains("by device"))
        await stage.press("2")
        #expect(!stage.text.contains("by device"))
    }

    @Test(arguments: ["tide-dark", "tide-light"])
    func headerIsOneBar(_ name: String) async throws {
        let theme = try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: name, depth: .rgb, isASCII: false)
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: theme)
        let surface = stage.surface
        #expect(theme[.header].background != .default)
        for column in 0..<80 {
            #expect(surface[column, 0].style.background == theme[.header].background, "\(column)")
        }
    }

    @Test(arguments: [false, true])
    func headerTextDoesNotTouchTheTabs(isASCII: Bool) async throws {
        let theme = try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: "tide-dark", depth: .rgb, isASCII: isASCII)
        let keys = FakeSource(
            "Keys",
            [
                try Sample.entry("a", "1", sides: ["1", "2"]), try Sample.entry("b", "2"),
                try Sample.entry("c", "3", sides: ["3", "4"]),
            ])
        let stage = await Stage(try Sample.session(keys: keys), theme: theme)
        await stage.press("I", "Enter")
        for columns in 40...120 {
            stage.take(.input(.resize(columns: columns, rows: 24)))
            guard stage.model.layout.header != nil else { continue }
            let line = stage.lines[0]
            for tab in Header(stage.model, in: stage.model.layout).tabs {
                let start = line.index(line.startIndex, offsetBy: tab.range.lowerBound)
                let text = tab.text.replacing("…", with: isASCII ? "~" : "…")
                #expect(line[start...].hasPrefix(text), "\(columns): \(line)")
                #expect(line[line.index(before: start)] == " ", "\(columns): \(line)")
            }
        }
    }

    @Test func relativePathIsNamedByItsFolder() {
        let here = URL(filePath: FileManager.default.currentDirectoryPath)
        func name(_ path: String) -> String {
            Model(path: path, size: Size(columns: 80, rows: 24), now: Stage.start)
                .session.storeName
        }
        #expect(name(".") == here.lastPathComponent)
        #expect(name("./") == here.lastPathComponent)
        #expect(name("..") == here.deletingLastPathComponent().lastPathComponent)
        #expect(name("/a/b/../") == "a" && name("/") == "/")
        #expect(name("Notes.store/") == "Notes.store" && name("/a/.b") == ".b")
    }

    @Test func longStoreNameMakesRoomForTabs() async throws {
        let name = String(repeating: "minutes", count: 20)
        let session = FakeSession(
            path: "/nowhere/\(name).store", panes: [Pane(.keys, try Sample.notes())],
            status: SessionStatus(phase: .live))
        let stage = await Stage(session)
        let start = String(repeating: "minutes", count: 6) + "m…"
        #expect(stage.lines[0].hasPrefix("Tideline \(start) [RO] LIVE"), "\(stage.lines[0])")
        #expect(stage.lines[0].hasSuffix("1Keys E Events"))
        await stage.press("F", "P")
        #expect(stage.lines[0].hasSuffix("1Keys E Events"))
    }

    /// A store whose panes have one row each.
    private func stage(_ name: String, panes titles: [String]) async throws -> Stage {
        let panes = try titles.map { title in
            Pane(PaneID(title), FakeSource(title, [try Sample.entry("k", "v")]))
        }
        return await Stage(
            FakeSession(
                path: "/nowhere/\(name).store", panes: panes, status: SessionStatus(phase: .live)))
    }

    @Test func longStoreNameIsCutBeforeTabNames() async throws {
        let titles = ["Keys", "Log", "Conflicts", "Devices", "Blobs"]
        let stage = try await stage("Notes of the family", panes: titles)
        let line = stage.lines[0]
        #expect(line.hasPrefix("Notes of the family.… [RO] LIVE"), "\(line)")
        #expect(line.hasSuffix(" 1Keys 2Log 3Conflicts 4Devices 5Blobs E Events"), "\(line)")
    }

    @Test func cutStoreNameUsesAllCellsBeforeTheTabs() async throws {
        let titles = ["Keys", "Log", "Conflicts", "Devices", "Blobs"]
        let stage = try await stage("Notes of the family", panes: titles)
        for columns in 60...120 {
            stage.take(.input(.resize(columns: columns, rows: 24)))
            let header = Header(stage.model, in: stage.model.layout)
            guard header.parts.contains(where: { $0.0.hasSuffix("…") }) else { continue }
            let used = header.parts.reduce(0) { $0 + $1.0.count }
            #expect(header.tabs.first?.range.lowerBound == used + 1, "\(stage.lines[0])")
        }
    }

    @Test func programNameIsOmittedBeforeInitialsOfTabs() async throws {
        let stage = try await stage("Notes of the family", panes: Self.names)
        stage.take(.input(.resize(columns: 76, rows: 24)))
        await stage.press("F", "P")
        let line = stage.lines[0]
        #expect(line.hasPrefix("Notes of the fam… [RO] PAUSED 0 held FOLLOW"), "\(line)")
        #expect(line.hasSuffix(" 1K 2L 3C 4De 5B 6E 7T 8 9 Se E"), "\(line)")
    }

    @Test func tabsThatDoNotFitShowNumberAndInitial() async throws {
        let titles = ["Keys", "Log", "Conflicts", "Devices", "Blobs", "Entities", "Servers"]
        let stage = try await stage("a", panes: titles)
        let whole = "1Keys 2Log 3Conflicts 4Devices 5Blobs 6Entities 7Servers E Events"
        let unnamed = "1Keys 2Log 3Conflicts 4Devices 5Blobs 6Entities 7Servers E"
        #expect(stage.lines[0].hasSuffix(" " + unnamed), "\(stage.lines[0])")
        stage.take(.input(.resize(columns: 62, rows: 24)))
        let short = "1Keys 2Log 3Conflicts 4Devices 5B 6E 7S E"
        #expect(stage.lines[0].hasSuffix(" " + short), "\(stage.lines[0])")
        await stage.press("7")
        #expect(stage.lines[0].hasSuffix(" " + short), "\(stage.lines[0])")
        stage.take(.input(.resize(columns: 140, rows: 24)))
        #expect(stage.lines[0].hasSuffix(" " + whole), "\(stage.lines[0])")
    }

    @Test func shortenedTabsHaveDifferentLetters() async throws {
        let titles = ["Keys", "Devices", "Blobs", "Entities", "Documents", "Diary", "Bills"]
        let stage = try await stage("a", panes: titles)
        stage.take(.input(.resize(columns: 60, rows: 24)))
        let tabs = Header(stage.model, in: stage.model.layout).tabs.map(\.text)
        #expect(tabs.suffix(4) == ["5Do", "6Di", "7Bi", "E"], "\(tabs)")
        #expect(stage.lines[0].hasSuffix(" 5Do 6Di 7Bi E"), "\(stage.lines[0])")
    }

    @Test func listReportsAnIncompleteDeviceUntilItsFileArrives() async throws {
        let session = try Sample.session(keys: try Sample.many(100))
        let stage = await Stage(session)
        let whole = stage.lines
        #expect(!stage.text.contains("out of date"))
        session.status.devices[1].state = "incomplete"
        await stage.refreshStatus()
        #expect(stage.lines.contains { $0.contains("! the file of mac ") })
        await stage.press("G")
        #expect(stage.lines.contains { $0.contains("k00099") }, "the last row is visible")
        // At this size, the inspector hides the list.
        await stage.press("0")
        #expect(stage.text.contains("Inspector: k00099 (may be out of date)"), "\(stage.text)")
        await stage.press("Esc")
        session.status.devices[0].state = "unreadable"
        await stage.refreshStatus()
        #expect(stage.lines.contains { $0.contains("! the files of 2 devices ") })
        for index in 0..<2 { session.status.devices[index].state = "ok" }
        await stage.refreshStatus()
        await stage.press("gg")
        #expect(stage.lines.dropLast() == whole.dropLast())
    }

    @Test func tabsStayInPlaceWhenAnotherIsOpened() async throws {
        let titles = ["Keys", "Log", "Conflicts", "Devices", "Blobs", "Entities", "Servers"]
        let stage = try await stage("a", panes: titles)
        for columns in 40...120 {
            stage.take(.input(.resize(columns: columns, rows: 24)))
            let before = Header(stage.model, in: stage.model.layout).tabs
            for pane in titles.indices {
                await stage.press("\(pane + 1)")
                let tabs = Header(stage.model, in: stage.model.layout).tabs
                #expect(tabs.map(\.text) == before.map(\.text), "\(columns): \(titles[pane])")
                #expect(tabs.map(\.range) == before.map(\.range), "\(columns): \(titles[pane])")
                if !tabs.isEmpty { #expect(tabs[pane].isActive) }
            }
        }
    }

    @Test func tabNamesUseAllAvailableSpace() async throws {
        let titles = ["Keys", "Log", "Conflicts", "Devices", "Blobs", "Entities", "Servers"]
        let stage = try await stage("a", panes: titles)
        for columns in 60...160 {
            stage.take(.input(.resize(columns: columns, rows: 24)))
            let header = Header(stage.model, in: stage.model.layout)
            let parts = header.parts.reduce(0) { $0 + $1.0.count }
            let left = try #require(header.tabs.first).range.lowerBound - parts - 1
            let names = (titles + ["Events"]).enumerated().map { index, title in
                index < titles.count ? "\(index + 1)\(title)" : "E \(title)"
            }
            #expect(left >= 0 && header.tabs.count == names.count)
            let wholeCount = zip(header.tabs, names).prefix { $0.text == $1 }.count
            #expect(zip(header.tabs, names).dropFirst(wholeCount).allSatisfy { $0.text != $1 })
            if wholeCount < names.count {
                let lacking = names[wholeCount].count - header.tabs[wholeCount].text.count
                #expect(lacking > left, "\(stage.lines[0])")
            }
        }
    }

    @Test func helpIsTheLastHintToDisappear() async throws {
        let keys = FakeSource(
            "Keys", [try Sample.entry("a key with a very long name", "1")])
        keys.put(
            FakeSource("Inside of it all", [try Sample.entry("b", "1")]),
            inside: RowID("a key with a very long name"))
        let stage = await Stage(try Sample.session(keys: keys), columns: 60)
        await stage.press("Enter")
        let foot = stage.lines[23]
        #expect(foot.contains("? keys"))
        // The path of the open row is separated from the keys and either complete or visibly cut.
        #expect(foot.hasPrefix(" …s › Inside of it all  Esc back  f filter"))
        await stage.press("f")
        await stage.type("key:b value:1 device:ipad")
        await stage.press("Enter")
        #expect(stage.lines[23].hasPrefix(" …") && stage.lines[23].contains("? keys"))
    }

    @Test func emptyNestedListNamesTheKeyThatGoesBack() async throws {
        let keys = FakeSource("Keys", [try Sample.entry("a", "1")])
        keys.put(FakeSource("Inside"), inside: RowID("a"))
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("Enter")
        #expect(stage.model.hints.map(\.title) == ["back", "unlock", "time", "keys"])
        await stage.press("Esc")
        #expect(stage.model.pane?.lists.count == 1)
    }

    @Test func emptyListOffersItsActions() async throws {
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys")))
        #expect(stage.lines[23].contains("w unlock  ] next tab  t time  ? keys"))
        await stage.press("w")
        #expect(stage.model.hints.map(\.title) == ["add", "next tab", "time", "keys"])
        let filtered = await Stage(try Sample.session(keys: try Sample.notes()))
        await filtered.press("f")
        await filtered.type("nothing has this")
        await filtered.press("Enter")
        #expect(filtered.lines[23].contains("f filter  Esc clear filter"))
    }

    @Test func paneWithoutHistoryOffersNoTimeTravel() async throws {
        let devices = FakeSource(
            "Devices", [try Sample.entry("ipad", "ok")], edits: [:], hasPast: false)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: devices))
        #expect(stage.lines[23].contains("c next≠  t time"))
        await stage.press("2")
        #expect(!stage.lines[23].contains("next≠") && !stage.lines[23].contains("time"))
        #expect(stage.lines[23].contains("o sort  b alert  F follow  ? keys"))
    }

    @Test func deletedStoreHasNoTimeTravel() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        session.status.phase = .missing
        await stage.refreshStatus()
        await stage.press("t")
        #expect(stage.model.time == nil)
        #expect(stage.text.contains(SessionState.whyMissing.prefix(20)))
    }

    @Test func emptyStoreHasNoHistory() async throws {
        let session = FakeSession(
            panes: [Pane(.keys, FakeSource("Keys"))],
            status: SessionStatus(phase: .live, counts: [.keys: 0]))
        let stage = await Stage(session)
        await stage.press("t")
        #expect(stage.model.time == nil)
        #expect(stage.lines[23].contains(try #require(stage.model.whyNoTimeTravel)))
    }

    private static let names = [
        "Keys", "Log", "Conflicts", "Devices", "Blobs", "Entities", "Types", "Documents",
        "Problems", "Servers",
    ]

    private func tabs(_ columns: Int) async throws -> [String] {
        let panes = try Self.names.map { name in
            Pane(PaneID(name.lowercased()), FakeSource(name, [try Sample.entry("k", "v")]))
        }
        let session = FakeSession(panes: panes, status: SessionStatus(phase: .live))
        let model = await Stage(session, columns: columns).model
        return Header(model, in: model.layout).tabs.map(\.text)
    }

    @Test func tabShowsItsWholeNameOrItsFirstLetters() async throws {
        for columns in 60...160 {
            let letters = try await tabs(columns).prefix(Self.names.count)
                .map { $0.drop(while: \.isNumber) }
            for (shown, name) in zip(letters, Self.names) {
                #expect(name.hasPrefix(shown) && (shown == name || shown.count <= 3), "\(columns)")
            }
            let short = letters.filter { !$0.isEmpty }
            #expect(Set(short).count == short.count, "\(columns): \(short)")
        }
    }

    @Test func eventsTabShrinksToItsKey() async throws {
        for columns in 60...160 {
            let text = try #require(try await tabs(columns).last)
            #expect(text == "E" || text == "E Events", "\(columns): \(text)")
        }
        #expect(try await tabs(64).last == "E")
    }

    @Test func tabsBeyondTheNinthHaveNoNumber() async throws {
        let panes = try (1...10).map { number in
            Pane(PaneID("pane\(number)"), FakeSource("R\(number)", [try Sample.entry("k", "v")]))
        }
        let session = FakeSession(panes: panes, status: SessionStatus(phase: .live))
        let stage = await Stage(session, columns: 120, rows: 40)
        #expect(stage.lines[0].hasSuffix("8R8 9R9 R10 E Events"))
        await stage.press("9", "]")
        #expect(stage.lines[1].contains("┏R10━"))
        await stage.press("E")
        #expect(stage.model.panels.focus == .events)
        await stage.press(":")
        await stage.type("pane r10")
        await stage.press("Enter")
        #expect(stage.model.navigation.activePane == 9)
        #expect(stage.model.panels.focus == .list)
    }

    @Test func sidebarMarksPanesWithoutHistoryInTimeTravel() async throws {
        let devices = FakeSource(
            "Devices", [try Sample.entry("ipad", "ok")], edits: [:], hasPast: false)
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: devices), columns: 200, rows: 60)
        #expect(!stage.text.contains("Devices (now)"))
        await stage.press("t")
        #expect(stage.text.contains("Devices (now)"))
        #expect(stage.lines.contains { $0.contains(/Devices +now│/) }, "\(stage.text)")
    }

    @Test func sidebarShowsWholeNotesOnly() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        session.status.devices[0].isOwn = true
        session.status.devices[1].name = "tideline-0123456"
        session.status.devices[1].isOwn = true
        let stage = await Stage(session, columns: 200, rows: 60)
        #expect(stage.lines.contains { $0.contains(/ipad \(this device\) +9s│/) }, "\(stage.text)")
        #expect(stage.lines.contains { $0.contains(/tideline-0123456 +9s│/) }, "\(stage.text)")
    }

    @Test func paneWithoutHistoryIsReported() async throws {
        let devices = FakeSource(
            "Devices", [try Sample.entry("ipad", "ok")], edits: [:], hasPast: false)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: devices))
        await stage.press("t")
        #expect(!stage.text.contains("as of now"))
        await stage.press("2")
        #expect(stage.text.contains("Devices as of now"))
        await stage.press("A", "B", "D")
        #expect(stage.text.contains("Devices: no earlier states"))
    }

    @Test func tinyTerminalsShowOnlyTheFocusedPanel() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 40, rows: 8)
        #expect(stage.lines[0].hasPrefix("  KEY"))
        #expect(stage.lines[1].hasPrefix("≠ note/1/due"))
        #expect(stage.model.layout.kind == .bare)
        #expect(stage.lines[7].contains("? keys"))
    }

    @Test func tooSmallTerminalShowsANote() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 19, rows: 5)
        #expect(stage.text.contains("too small"))
        await stage.press("j", "w")
        #expect(!stage.model.writing.isWritable)
        await stage.press("q")
        #expect(stage.requests == [.leave(.quit)])
    }

    @Test func everySizeIsDrawn() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        for columns in Array(0...30) + [59, 60, 99, 100, 129, 130, 159, 160, 179, 180] {
            for rows in Array(0...14) + [23, 24, 35, 36, 39, 40] {
                let size = Size(columns: columns, rows: rows)
                stage.take(.input(.resize(columns: columns, rows: rows)))
                #expect(stage.surface.size == size)
            }
        }
        await stage.settle()
    }

    @Test func panelsDoNotOverlapAndFillTheScreen() {
        for columns in stride(from: 60, through: 240, by: 7) {
            for rows in stride(from: 12, through: 90, by: 5) {
                for (isZoomed, showsTime, hasPast) in [
                    (false, false, true), (true, false, true), (false, true, true),
                    (false, false, false),
                ] {
                    for focus in Panel.focusable {
                        let layout = Layout(
                            .init(
                                size: Size(columns: columns, rows: rows), focus: focus,
                                isZoomed: isZoomed, showsTime: showsTime, deviceCount: 5,
                                hasPast: hasPast, hasConflicts: true))
                        #expect(hasPast || layout.panels[.timeline] == nil || focus == .timeline)
                        let parts =
                            Array(layout.panels.values)
                            + [layout.header, layout.footer, layout.peek].compactMap(\.self)
                        #expect(parts.reduce(0) { $0 + $1.columns * $1.rows } == columns * rows)
                        for (index, part) in parts.enumerated() {
                            #expect(part.intersection(Rect(columns: columns, rows: rows)) == part)
                            #expect(
                                parts.dropFirst(index + 1).allSatisfy {
                                    $0.intersection(part).isEmpty
                                })
                        }
                        #expect(layout.panels[focus] != nil)
                        #expect((layout.panels[focus]?.rows ?? 0) >= 3)
                    }
                }
            }
        }
    }

    @Test func timelineHasOneLinePerDeviceBetweenItsTitleAndTimes() {
        // At these sizes, the sidebar has no space.
        for (columns, rows) in [(80, 40), (120, 40), (160, 50)] {
            let layout = Layout(
                .init(
                    size: Size(columns: columns, rows: rows), focus: .sidebar, showsTime: true,
                    deviceCount: 3))
            #expect(layout.inner(.timeline)?.rows == 5, "\(columns)x\(rows)")
            #expect(layout.laneRows == 3, "\(columns)x\(rows)")
        }
    }

    @Test func zoomTogglesBetweenOnePanelAndAll() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 120, rows: 40)
        await stage.press("_")
        #expect(Array(stage.model.layout.panels.keys) == [.list])
        await stage.press("_")
        #expect(stage.model.layout.panels.count == 3)
    }

    @Test func zoomAndResizingReportIfOnlyOnePanelIsVisible() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("E", "_")
        #expect(stage.lines[23].contains("only one panel"))
        #expect(!stage.model.panels.isZoomed)
        await stage.press("M-Up")
        #expect(stage.lines[23].contains("only one panel"))
    }

    @Test func inspectorHasOneName() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("x")
        #expect(stage.text.contains(/Show details in the inspector +0/), "\(stage.text)")
        await stage.press("Esc")
        let wide = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 100, rows: 40)
        #expect(wide.text.contains("0 Inspector: note/1/due"))
    }

    @Test func selectedRowIsVisibleWithoutColor() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("j")
        #expect(stage.surface[5, 3].style.attributes.contains(.reverse))
        #expect(!stage.surface[5, 2].style.attributes.contains(.reverse))
    }

    @Test func loadingAndFailureAreShown() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        session.status.phase = .loading(stage: "reading ipad", fraction: 0.4)
        await stage.refreshStatus()
        #expect(stage.lines[0].contains("LOADING reading ipad 40%"))
        session.status.phase = .missing
        await stage.refreshStatus()
        #expect(stage.lines[0].contains("MISSING"))
        #expect(stage.text.contains("Groceries"))
    }

    @Test func emptyListHintsAtTheNextKey() async throws {
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys")))
        #expect(stage.text.contains("No keys yet"))
        #expect(stage.text.contains("Press w, then a to add one"))
        await stage.press("w")
        #expect(stage.text.contains("Press a to add one"))
    }

    @Test(arguments: [(80, 24), (120, 40)])
    func emptyListIsExplainedOnce(_ columns: Int, _ rows: Int) async throws {
        let stage = await Stage(
            try Sample.session(keys: FakeSource("Keys")), columns: columns, rows: rows)
        await stage.press("0")
        #expect(stage.text.components(separatedBy: "No keys yet").count == 2)
        #expect(stage.text.contains("no row to show") == (stage.model.layout.panels.count > 1))
    }

    @Test func filteredTotalAppearsInTheFooterToo() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("fzz", "Enter")
        #expect(stage.text.contains("No match in Keys: 0 of 4"))
        #expect(stage.lines[23].hasSuffix("0 of 4"), "\(stage.lines[23])")
    }

    @Test func unreadableDevicesAndProblemsAreListed() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        session.status.problems = ["mac: clock 3 h ahead"]
        let stage = await Stage(session, columns: 200, rows: 60)
        #expect(stage.text.contains("!server"))
        #expect(stage.text.contains("half copied"))
        #expect(stage.text.contains("! mac: clock 3"))
        #expect(stage.lines[0].contains("!2"))
    }
}

@Suite struct SidebarProblemTests {
    @Test func problemNamesTheFileWithoutTheStorePath() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let file = "\(session.path)/Devices/server/Logs.db"
        session.status.devices[2].problem = "\(file) is incomplete: 4,096 of 8,192 bytes"
        session.status.problems = ["mac: \(session.path)/Devices/mac/Logs 2.db is a copy"]
        let stage = await Stage(session, columns: 200, rows: 60)
        #expect(stage.text.contains("  Logs.db is incompl"))
        #expect(stage.text.contains("! mac: Devices/mac"))
    }
}

@Suite struct ASCIITests {
    @Test func conflictHasTheSameSignEverywhere() async throws {
        let shipped = try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: "tide-dark", depth: .monochrome, isASCII: true)
        let own = Theme(
            name: "own", background: .plain, isASCII: true, styles: [:],
            marks: [.conflict: "%", .gutterConflict: "%"])
        for (theme, sign) in [(shipped, "#"), (own, "%")] {
            let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: theme)
            #expect(stage.lines[0].contains(" \(sign)1 !1"))
            #expect(stage.lines[2].hasPrefix("\(sign) note/1/due"))
            #expect(stage.text.contains("\(sign) conflict"))
            #expect(stage.lines[23].contains("c next\(sign)"))
            #expect(!stage.text.contains("!="))
        }
        // The text of an event is data and stays as it is.
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: shipped)
        await stage.press("E")
        await stage.emit(
            .conflict(.conflicts, RowID("note/1/due")), summary: "≠ note/1/due: ipad, mac",
            device: "ipad")
        #expect(stage.text.contains("# note/1/due: ipad, mac"))
    }

    /// All screens with ASCII data, drawn in an ASCII theme.
    @Test func asciiThemeDrawsOnlyASCII() async throws {
        let theme = Theme(
            name: "ascii", background: .plain, isASCII: true, styles: [:],
            marks: [.conflict: "!", .gutterConflict: "!", .winner: "*"])
        let keys = FakeSource(
            "Keys",
            [
                try Sample.entry("a", "1", sides: ["1", "2"]),
                try Sample.entry("b", String(repeating: "long ", count: 90)),
            ])
        for (columns, rows) in [(80, 24), (120, 40), (200, 60)] {
            let stage = await Stage(
                try Sample.session(keys: keys), columns: columns, rows: rows, theme: theme)
            let screens = [
                [], ["Enter"], ["?"], [":"], ["t"], ["Left", "A"], ["0", "o"], ["x"], ["f", "z"],
                ["Esc", "j", "l"], ["2"], ["@"], ["F", "P"], ["w", "d"],
            ]
            for keys in screens {
                for key in keys { await stage.press(key) }
                let surface = stage.surface
                let other = (0..<surface.size.rows).first { row in
                    surface.row(row).contains { !$0.glyph.isASCII }
                }
                #expect(other == nil, "\(other.map(surface.line) ?? "") after \(keys)")
                await stage.press("Esc")
            }
        }
    }
}
