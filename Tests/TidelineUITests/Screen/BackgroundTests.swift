import Testing
import TidelineCore

@testable import TidelineUI

/// Backgrounds as a terminal shows them. The background of a reversed cell is its text color.
@Suite struct BackgroundTests {
    static let looks: [(theme: String, depth: ColorDepth)] =
        ThemeLibrary.shipped.keys.sorted().flatMap { name in
            ColorDepth.allCases.map { (name, $0) }
        }

    private func theme(_ name: String, _ depth: ColorDepth) throws -> Theme {
        try ThemeLibrary(environment: ["HOME": "/nowhere"]).theme(
            named: name, depth: depth, isASCII: false)
    }

    private typealias Ground = ScreenCheck.Ground

    private func grounds(_ surface: Surface, _ rect: Rect) -> [Set<Ground>] {
        (rect.row..<rect.endRow).map { row in
            Set((rect.column..<rect.endColumn).map { Ground(surface[$0, row].style) })
        }
    }

    @Test(arguments: looks)
    func matchesAreVisibleInTheSelectedRow(_ name: String, _ depth: ColorDepth) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), theme: try theme(name, depth))
        await stage.press("/")
        await stage.type("title")
        await stage.press("Enter")
        let row = try #require(stage.lines.firstIndex { $0.contains("note/1/title") })
        // `note/1/` and `title`, after the gutter.
        let (before, hit) = (2..<9, 9..<14)
        let surface = stage.surface
        let plain = Set(before.map { surface[$0, row].style })
        let found = Set(hit.map { surface[$0, row].style })
        #expect(found.isDisjoint(with: plain))
    }

    @Test(arguments: looks)
    func headerAndSelectionAreUniformBars(_ name: String, _ depth: ColorDepth) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), theme: try theme(name, depth))
        await stage.press("w")
        let line = Rect(columns: 80, rows: 1)
        // The badges for write mode and time travel differ from the bar.
        let badge = Ground(stage.theme[.badgeWrite])
        #expect(grounds(stage.surface, line)[0].subtracting([badge]).count <= 1)
        let inner = try #require(stage.model.layout.inner(.list))
        for row in 1...4 {
            let bar = Rect(column: 0, row: row + 1, columns: inner.columns, rows: 1)
            #expect(grounds(stage.surface, bar)[0].count == 1, "row \(row) in \(name)")
        }
        await stage.press("Space", "j", "Space", "0")
        let chosen = Rect(column: 0, row: 2, columns: 80, rows: 1)
        #expect(grounds(stage.surface, chosen)[0].count == 1)
    }

    @Test(arguments: looks)
    func signOfAnAlertKeepsTheBackgroundOfItsRow(
        _ name: String, _ depth: ColorDepth
    ) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), theme: try theme(name, depth))
        await stage.press("j", "b", "k")
        let row = try #require(stage.lines.firstIndex { $0.dropFirst().hasPrefix("◆") })
        let inner = try #require(stage.model.layout.inner(.list))
        let bar = Rect(column: 0, row: row, columns: inner.columns, rows: 1)
        #expect(grounds(stage.surface, bar)[0].count == 1)
    }

    @Test(arguments: looks)
    func dialogAndItsSelectionHaveOneBackgroundEach(
        _ name: String, _ depth: ColorDepth
    ) async throws {
        let theme = try theme(name, depth)
        for keys in [
            ["?"], [":"], ["o"], ["x"], ["Enter"], ["@"], ["w", "i", "Enter"], ["w", "d"],
        ] {
            let stage = await Stage(
                try Sample.session(keys: try Sample.notes()), theme: theme)
            for key in keys { await stage.press(key) }
            var screen = Screen(model: stage.model, theme: theme)
            screen.draw()
            let dialog = try #require(screen.dialog, "\(keys)")
            var all: Set<Ground> = []
            for (row, found) in grounds(screen.surface, dialog.inset()).enumerated() {
                // A text field has its own background.
                let found = found.subtracting([Ground(theme[.input])])
                #expect(found.count <= 1, "line \(row) of \(keys) in \(name)")
                all.formUnion(found)
            }
            #expect(all.count <= 2, "\(keys) in \(name)")
        }
    }

    @Test(arguments: looks, [Notice.Kind.info, .done, .warning, .error])
    func longNoticeIsOneBar(
        _ look: (theme: String, depth: ColorDepth), _ kind: Notice.Kind
    ) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()),
            theme: try theme(look.theme, look.depth))
        stage.model.say(kind, String(repeating: "a text of some words ", count: 6))
        let lines = Rect(row: 22, columns: 80, rows: 2)
        let found = grounds(stage.surface, lines)
        #expect(found.allSatisfy { $0.count == 1 } && found[0] == found[1], "\(look), \(kind)")
    }

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), ContrastTests.depths)
    func matchesAreReadableInSelectedAndMarkedRows(
        _ name: String, _ depth: ColorDepth
    ) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 160, rows: 30,
            theme: try theme(name, depth))
        let appearance = try ThemeLibrary(environment: ["HOME": "/nowhere"]).file(named: name)
            .appearance
        await stage.press("/")
        await stage.type("note")
        await stage.press("Enter")
        for keys in [[], ["Space", "j"], ["Tab"], ["Tab"]] {
            for key in keys { await stage.press(key) }
            var check = ScreenCheck(stage.theme, appearance, depth)
            #expect(check.problems(of: stage.model).isEmpty, "\(stage.model.panels.focus)")
        }
    }

    /// Covers the header with all badges, changed rows and their neighbors, dialogs, menus, text
    /// fields, time travel, and notices.
    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), ContrastTests.depths)
    func allTextIsReadable(_ name: String, _ depth: ColorDepth) async throws {
        let theme = try theme(name, depth)
        let appearance = try ThemeLibrary(environment: ["HOME": "/nowhere"]).file(named: name)
            .appearance
        let flows = [
            ["w"], ["w", "Space", "j", "Space"], ["?"], [":"], ["o"], ["x"], ["Enter"], ["@"],
            ["w", "i", "Enter"], ["w", "d"], ["w", "a"], ["c", "Enter"], ["0"], ["E"], ["P"],
            ["F"], ["t"], ["B"], ["w", "M"], ["f", "k", "e", "("], ["K"], ["b", "^g"], ["5"],
        ]
        for (index, keys) in flows.enumerated() {
            // Each flow runs at both sizes, alternating with the color depth.
            let isSmall = (index + depth.rawValue) % 2 == 0
            let stage = await Stage(
                try Sample.session(keys: try Sample.notes()), columns: isSmall ? 80 : 200,
                rows: isSmall ? 24 : 60, theme: theme)
            await stage.emit(
                .changed(
                    .keys, rows: [RowID("note/1/title"): .changed, RowID("note/2/body"): .new],
                    isOwn: false))
            for key in keys { await stage.press(key) }
            var check = ScreenCheck(theme, appearance, depth)
            #expect(check.problems(of: stage.model) == [], "\(keys) at \(stage.model.panels.size)")
        }
    }

    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), ContrastTests.depths)
    func listErrorIsOneBar(_ name: String, _ depth: ColorDepth) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), theme: try theme(name, depth))
        let appearance = try ThemeLibrary(environment: ["HOME": "/nowhere"]).file(named: name)
            .appearance
        stage.model.navigation.withList { $0.problem = "the log can't be read" }
        #expect(stage.text.contains("! the log can't be read"))
        var check = ScreenCheck(stage.theme, appearance, depth)
        #expect(check.problems(of: stage.model) == [])
    }

    /// Text on a background other than the terminal's sets its own color, because the terminal's
    /// text color may be unreadable there.
    @Test(arguments: ThemeLibrary.shipped.keys.sorted(), [ColorDepth.eight, .sixteen])
    func textOnABackgroundSetsItsColor(
        _ name: String, _ depth: ColorDepth
    ) async throws {
        let theme = try theme(name, depth)
        for keys in [["?"], [":"], ["o"], ["Enter"], ["w", "d"]] {
            let stage = await Stage(
                try Sample.session(keys: try Sample.notes()), theme: theme)
            for key in keys { await stage.press(key) }
            let surface = stage.surface
            for row in 0..<surface.size.rows {
                for column in 0..<surface.size.columns {
                    let style = surface[column, row].style
                    guard style.background != .default else { continue }
                    #expect(
                        style.foreground != .default && style.foreground != style.background,
                        "\(column) of \(surface.line(row)) after \(keys)")
                }
            }
        }
    }

    @Test func grayIsNotBlackWithEightColors() throws {
        for name in ThemeLibrary.shipped.keys.sorted() {
            let theme = try theme(name, .eight)
            for role in Role.allCases {
                let style = theme[role]
                #expect(
                    style.foreground != .indexed(0)
                        || ![.default, .indexed(0)].contains(style.background),
                    "\(role) of \(name)")
            }
        }
    }
}
