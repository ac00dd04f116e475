import Testing
import TidelineCore

@testable import TidelineUI

/// The tabs and the sidebar separate the groups of panes.
@Suite struct TabGroupTests {
    /// The panes of a package, in the order of the tabs.
    private static let panes: [(title: String, group: PaneGroup)] = [
        ("Keys", .data), ("Log", .data), ("Conflicts", .data), ("Entities", .data),
        ("Types", .data), ("Documents", .documents), ("Servers", .catalog),
        ("Devices", .package), ("Blobs", .package), ("Problems", .package),
    ]

    private func stage(
        columns: Int, rows: Int = 24,
        panes: [(title: String, group: PaneGroup)] = TabGroupTests.panes, theme: Theme = .bare
    ) async throws -> Stage {
        let panes = try panes.map { title, group in
            Pane(
                PaneID(title.lowercased()), FakeSource(title, [try Sample.entry("k", "v")]),
                in: group)
        }
        let session = FakeSession(
            path: "/nowhere/a.store", panes: panes, status: SessionStatus(phase: .live))
        return await Stage(session, columns: columns, rows: rows, theme: theme)
    }

    private func header(_ stage: Stage) -> Header {
        Header(stage.model, in: stage.model.layout)
    }

    private func click(column: Int, row: Int = 0, in stage: Stage) async {
        await stage.send(.input(.mouse(MouseEvent(.click, column: column, row: row))))
    }

    @Test func wholeNamesHaveGapsAroundSeparators() async throws {
        let stage = try await stage(columns: 200)
        #expect(
            stage.lines[0].hasSuffix(
                " 1Keys 2Log 3Conflicts 4Entities 5Types │ 6Documents │ Servers "
                    + "│ 7Devices 8Blobs 9Problems │ E Events"), "\(stage.lines[0])")
    }

    @Test func separatorsOnNarrowScreensTakeNoRoom() async throws {
        let stage = try await stage(columns: 80)
        #expect(
            stage.lines[0].hasSuffix(
                " 1Keys 2Log 3Conflicts 4Entities 5Types│6Do│Se│7De 8B 9P│E"),
            "\(stage.lines[0])")
    }

    @Test(arguments: [(80, "5Types|6Do|Se|7De"), (200, "5Types | 6Documents | Servers |")])
    func separatorsHaveAnASCIIForm(_ columns: Int, _ tabs: String) async throws {
        let theme = try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: "tide-dark", depth: .rgb, isASCII: true)
        let stage = try await stage(columns: columns, theme: theme)
        #expect(stage.lines[0].contains(tabs), "\(stage.lines[0])")
    }

    @Test func singleGroupHasNoSeparator() async throws {
        let stage = try await stage(columns: 200, panes: Array(Self.panes.prefix(5)))
        #expect(stage.lines[0].hasSuffix(" 4Entities 5Types E Events"), "\(stage.lines[0])")
        #expect(header(stage).separators.isEmpty)
    }

    @Test func separatorsAreBetweenTabsAtEveryWidth() async throws {
        let stage = try await stage(columns: 60)
        for columns in 60...200 {
            stage.take(.input(.resize(columns: columns, rows: 24)))
            let header = header(stage)
            let line = Array(stage.lines[0])
            // The last tab before a separator, and the first tab after it.
            let neighbors = [(4, 5), (5, 6), (6, 7), (9, 10)]
            try #require(header.separators.count == neighbors.count, "\(stage.lines[0])")
            for (column, (left, right)) in zip(header.separators, neighbors) {
                #expect(line[column] == "│", "\(columns): \(stage.lines[0])")
                #expect(header.tabs[left].range.upperBound <= column, "\(columns)")
                #expect(header.tabs[right].range.lowerBound > column, "\(columns)")
            }
            #expect(header.tabs.last?.range.upperBound == columns - 1, "\(columns)")
        }
    }

    @Test(arguments: [60, 80, 120, 200])
    func tabsAndSeparatorsStayInPlaceWhenAnotherIsOpened(_ columns: Int) async throws {
        let stage = try await stage(columns: columns)
        let before = header(stage)
        #expect(before.tabs.count > 1)
        for _ in before.tabs {
            await stage.press("]")
            let now = header(stage)
            #expect(now.tabs.map(\.range) == before.tabs.map(\.range))
            #expect(now.separators == before.separators)
        }
    }

    @Test(arguments: [60, 80, 120, 200])
    func clickOpensTheTabUnderThePointer(_ columns: Int) async throws {
        let stage = try await stage(columns: columns)
        let header = header(stage)
        func shown() -> Header.Tab.Target {
            stage.model.panels.focus == .events
                ? .events : .pane(stage.model.navigation.activePane)
        }
        #expect(header.tabs.count > 1)
        for tab in header.tabs {
            for column in tab.range {
                await stage.press("1")
                await click(column: column, in: stage)
                #expect(shown() == tab.target, "column \(column)")
            }
        }
        await stage.press("1")
        for column in header.separators {
            await click(column: column, in: stage)
            #expect(shown() == .pane(0), "column \(column)")
        }
    }

    @Test func sidebarSeparatesGroups() async throws {
        let stage = try await stage(columns: 200, rows: 60)
        let inner = try #require(stage.model.layout.inner(.sidebar))
        func lines() -> [String] {
            (inner.row..<inner.endRow).map { row in
                stage.lines[row].dropFirst(inner.column).prefix(inner.columns)
                    .split(separator: " ").joined(separator: " ")
            }
        }
        #expect(
            lines().prefix(14) == [
                "▸1 Keys", "2 Log", "3 Conflicts", "4 Entities", "5 Types", "", "6 Documents", "",
                "Servers", "", "7 Devices", "8 Blobs", "9 Problems", "",
            ])
        await click(column: inner.column + 2, row: inner.row + 10, in: stage)
        #expect(lines()[10] == "▸7 Devices")
        await click(column: inner.column + 2, row: inner.row + 9, in: stage)
        #expect(lines()[10] == "▸7 Devices")
    }

    @Test func numberKeysOpenTheTabsThatTheHelpNames() async throws {
        let stage = try await stage(columns: 80)
        for (key, title) in [("6", "Documents"), ("7", "Devices"), ("9", "Problems")] {
            await stage.press(key)
            #expect(stage.model.list?.source.title == title)
            let help = stage.model.helpLines(filter: title)
            #expect(help.contains(.keys(key, title: "Open tab \(key): \(title)", reason: nil)))
        }
    }
}
