import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct LayoutTests {
    @Test func smallTerminalsShowOnePaneWithTabsAndAPeek() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 70, rows: 14)
        #expect(
            stage.lines == [
                "Tideline notes.store [RO] LIVE 3dev ≠1 !1               1Keys 2Events",
                "  KEY            TYPE     VALUE                        DEVICE      AGE",
                "≠ note/1/due     integer  3 | 5                        ipad         1m",
                "  note/1/title   string   Groceries                    mac          2m",
                "  note/2/body    string   milk, eggs                   ipad         9s",
                "  note/2/title   string   日本                         mac          1h",
                "", "", "", "", "",
                "─ note/1/due ─ ≠ devices disagree ────────────────────────────────────",
                " 3   ipad wrote it",
                " Enter open  f filter  w unlock  c next≠  t time  F follow        1/4",
            ])
    }

    @Test func wideTerminalsShowPanesSideBySide() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 120, rows: 40)
        let lines = stage.lines
        #expect(
            lines[1]
                == "┌Store─────────────┐┏1 Keys━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓"
                + "┌0 Inspector: note/1/due───────────┐")
        #expect(
            lines[3]
                == "│                  │┃≠ note/1/due     integer  3 | 5                ipad         1m┃"
                + "│ 3                                │")
        #expect(lines[8].contains("half copied"))
        #expect(lines[32].contains("┌2 Events"))
        #expect(lines.count == 40)
    }

    @Test func theWidestShowDeviceColumnsAndTheTimeline() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        let lines = stage.lines
        #expect(lines[1].contains("┌Conflicts: one column per device"))
        #expect(lines[2].contains("dev0") && lines[2].contains("dev1"))
        #expect(lines[3].contains("★ 3") && lines[3].contains(" 5 "))
        #expect(stage.text.contains("┌Timeline"))
        #expect(stage.text.contains("▆"))
    }

    @Test func conflictsHaveColumnsOnlyWhereThereCanBeSome() async throws {
        let stage = await Stage(
            try Sample.session(
                keys: try Sample.notes(), log: FakeSource("Log", [], edits: [:])),
            columns: 200, rows: 60)
        #expect(stage.text.contains("one column per device"))
        await stage.press("2")
        #expect(!stage.text.contains("one column per device"))
    }

    @Test(arguments: ["tide-dark", "tide-light"])
    func theFirstLineIsOneBar(_ name: String) async throws {
        let theme = try ThemeLibrary(environment: [:]).theme(
            named: name, depth: .rgb, isASCII: false)
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: theme)
        let surface = stage.surface
        #expect(theme[.header].background != .default)
        for column in 0..<80 {
            #expect(surface[column, 0].style.background == theme[.header].background, "\(column)")
        }
    }

    @Test func aLongNameMakesRoomForTheTabs() async throws {
        let name = String(repeating: "minutes", count: 20)
        let session = FakeSession(
            path: "/tmp/\(name).store", rooms: [Room(.keys, try Sample.notes())],
            status: SessionStatus(phase: .live))
        let stage = await Stage(session)
        #expect(stage.lines[0].hasPrefix("Tideline minutesminutesminutes… [RO] LIVE"))
        #expect(stage.lines[0].hasSuffix("1Keys 2Events"))
        await stage.press("F", "P")
        #expect(stage.lines[0].hasSuffix("1Keys 2Events"))
    }

    @Test func tabsBeyondTheNinthHaveNoNumber() async throws {
        let rooms = try (1...10).map { number in
            Room(RoomID("room\(number)"), FakeSource("R\(number)", [try Sample.entry("k", "v")]))
        }
        let session = FakeSession(rooms: rooms, status: SessionStatus(phase: .live))
        let stage = await Stage(session, columns: 120, rows: 40)
        #expect(stage.lines[0].hasSuffix("8R8 9R9 R10 EEvents"))
        await stage.press("9", "]")
        #expect(stage.lines[1].contains("┏R10━"))
        await stage.press("E")
        #expect(stage.model.focus == .events)
        await stage.press(":")
        await stage.type("room r10")
        await stage.press("Enter")
        #expect(stage.model.activeRoom == 9)
        #expect(stage.model.focus == .list)
    }

    @Test func whatHasNoPastSaysSo() async throws {
        let devices = FakeSource(
            "Devices", [try Sample.entry("ipad", "ok")], edits: [:], hasPast: false)
        let stage = await Stage(try Sample.session(keys: try Sample.notes(), log: devices))
        await stage.press("t")
        #expect(!stage.text.contains("shown as it is now"))
        await stage.press("2")
        #expect(stage.text.contains("Devices: shown as it is now"))
        await stage.press("A", "B", "D")
        #expect(stage.lines[23].contains("Devices: no past is known to compare"))
    }

    @Test func tinyTerminalsShowThePaneAlone() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 40, rows: 8)
        #expect(stage.lines[0].hasPrefix("  KEY"))
        #expect(stage.lines[1].hasPrefix("≠ note/1/due"))
        #expect(stage.model.layout.kind == .bare)
    }

    @Test func theTiniestSayThatTheyAre() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), columns: 19, rows: 5)
        #expect(stage.text.contains("too small"))
        await stage.press("j", "w")
        #expect(!stage.model.isWritable)
        await stage.press("q")
        #expect(stage.requests == [.leave(.quit)])
    }

    @Test func noSizeIsWrong() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 200, rows: 60)
        for columns in Array(0...30) + [59, 60, 99, 100, 159, 160] {
            for rows in Array(0...14) + [23, 24, 39, 40] {
                let size = Size(columns: columns, rows: rows)
                stage.take(.input(.resize(columns: columns, rows: rows)))
                #expect(stage.surface.size == size)
            }
        }
        await stage.settle()
    }

    @Test func panesDoNotOverlapAndFillTheScreen() {
        for columns in stride(from: 60, through: 240, by: 7) {
            for rows in stride(from: 12, through: 90, by: 5) {
                for (isZoomed, showsTime) in [(false, false), (true, false), (false, true)] {
                    for focus in Pane.allCases {
                        let layout = Layout(
                            size: Size(columns: columns, rows: rows), focus: focus,
                            isZoomed: isZoomed, showsTime: showsTime, deviceCount: 5,
                            hasConflicts: true)
                        let parts =
                            Array(layout.panes.values)
                            + [
                                layout.header, layout.footer, layout.peek, layout.timeline,
                                layout.deviceColumns,
                            ].compactMap(\.self)
                        #expect(parts.reduce(0) { $0 + $1.columns * $1.rows } == columns * rows)
                        for (index, part) in parts.enumerated() {
                            #expect(part.intersection(Rect(columns: columns, rows: rows)) == part)
                            #expect(
                                parts.dropFirst(index + 1).allSatisfy {
                                    $0.intersection(part).isEmpty
                                })
                        }
                        #expect(layout.panes[focus] != nil)
                        #expect((layout.panes[focus]?.rows ?? 0) >= 3)
                    }
                }
            }
        }
    }

    @Test func zoomShowsOnePaneAndAllAgain() async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 120, rows: 40)
        await stage.press("_")
        #expect(Array(stage.model.layout.panes.keys) == [.list])
        await stage.press("_")
        #expect(stage.model.layout.panes.count == 4)
    }

    @Test func theSelectedRowIsVisibleWithoutColour() async throws {
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
        session.status.phase = .gone
        await stage.refreshStatus()
        #expect(stage.lines[0].contains("GONE"))
        #expect(stage.text.contains("Groceries"))
    }

    @Test func anEmptyListSaysWhatTheNextKeyIs() async throws {
        let stage = await Stage(try Sample.session(keys: FakeSource("Keys")))
        #expect(stage.text.contains("Keys: none yet"))
        #expect(stage.text.contains("w allows writing, then a adds"))
        await stage.press("w")
        #expect(stage.text.contains("a adds the first"))
    }

    @Test func unreadableDevicesAndProblemsAreListed() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        session.status.problems = ["mac: clock 3 h ahead"]
        let stage = await Stage(session, columns: 120, rows: 40)
        #expect(stage.text.contains("!server"))
        #expect(stage.text.contains("half copied"))
        #expect(stage.text.contains("! mac: clock 3"))
        #expect(stage.lines[0].contains("!2"))
    }
}

@Suite struct ASCIITests {
    /// Screens with data of ASCII characters alone, in a theme of ASCII.
    @Test func theInterfaceIsAllASCIIWhereItIsAskedFor() async throws {
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
