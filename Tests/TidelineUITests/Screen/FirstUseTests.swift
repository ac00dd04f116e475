import Replication
import Testing

@testable import TidelineCore
@testable import TidelineUI

/// First impressions: messages are complete sentences, keys without a function report it, and
/// previews describe the change.
@Suite struct FirstUseTests {
    private func stage(columns: Int = 80, rows: Int = 24) async throws -> Stage {
        await Stage(try Sample.session(keys: try Sample.notes()), columns: columns, rows: rows)
    }

    /// The text of the screen, with each run of spaces replaced by one space.
    private func words(_ stage: Stage) -> String {
        stage.lines.flatMap { $0.split(separator: " ") }.joined(separator: " ")
    }

    @Test(arguments: [(80, 24), (40, 10), (120, 40)])
    func longNoticeIsShownInFull(_ columns: Int, _ rows: Int) async throws {
        let stage = try await stage(columns: columns, rows: rows)
        let text =
            "unknown theme name; available themes are deuteranopia, dracula, gruvbox, "
            + "high-contrast, tide-dark and tide-light"
        await stage.send(.notice(Notice(.error, text)))
        #expect(words(stage).contains("! " + text))
        #expect(stage.lines.last?.contains("tide-light") == true)
    }

    @Test func shortNoticeTakesOneLine() async throws {
        let stage = try await stage()
        let before = stage.lines
        await stage.send(.notice(Notice(.done, "written")))
        #expect(stage.lines.dropLast() == before.dropLast())
        #expect(stage.lines.last?.hasPrefix("✓ written") == true)
    }

    @Test func unboundKeyInHelpDoesNotLeadToHelp() async throws {
        let stage = try await stage()
        await stage.press("?", "F9")
        #expect(stage.text.contains("F9 has no function here"))
        #expect(!stage.text.contains("press F1 for help"))
    }

    /// If `?` is typed as text, the message names another key.
    @Test(arguments: [(":", "F1"), ("@", "?"), ("o", "?"), ("Enter", "?")])
    func unboundKeyInADialogIsReported(_ key: String, _ help: String) async throws {
        let stage = try await stage()
        await stage.press(key, "F9")
        #expect(stage.text.contains("F9 has no function here; press \(help) for help"))
    }

    /// The key goes back in lists, so it also closes dialogs without a text field.
    @Test(arguments: ["?", "x", "o", "K", "@", "y"])
    func backspaceClosesADialog(_ key: String) async throws {
        let stage = try await stage()
        await stage.press(key)
        #expect(stage.model.overlay != nil)
        await stage.press("Backspace")
        #expect(stage.model.overlay == nil)
    }

    @Test func backspaceErasesASearchInHelpBeforeItClosesIt() async throws {
        let stage = try await stage()
        await stage.press("?", "/", "z", "Backspace")
        #expect((stage.model.overlay?.module as? Help)?.isFiltering == true)
        await stage.press("Backspace")
        #expect((stage.model.overlay?.module as? Help)?.isFiltering == false)
        await stage.press("Backspace")
        #expect(stage.model.overlay == nil)
    }

    @Test func keyThatDoesNotConfirmIsReported() async throws {
        let stage = try await stage()
        await stage.press("j", "w", "i", "x", "Enter", "l")
        #expect(stage.text.contains("l has no function here; press ? for help"))
        #expect(stage.model.overlay?.module is PreviewDialog)
    }

    @Test func unchangedValueIsNotShownAsAChange() async throws {
        let stage = try await stage()
        await stage.press("w", "i", "Enter")
        guard var dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("nothing is previewed")
            return
        }
        dialog.previews[0].resolvesConflict = true
        stage.model.overlay = Overlay(dialog)
        #expect(stage.text.contains("= 3"), "\(stage.text)")
        #expect(
            stage.text.contains("the value is the same; writing it resolves the conflict"),
            "\(stage.text)")
        #expect(!stage.text.contains("+ 3"))
    }

    @Test func previewWarningIsShownInFull() async throws {
        let stage = try await stage()
        await stage.press("j", "w", "i", "x", "Enter")
        guard var dialog = stage.model.overlay?.module as? PreviewDialog else {
            Issue.record("nothing is previewed")
            return
        }
        let warning =
            "note/1/title will be in conflict again: Kitchen tablet, Ben's phone, Anna's laptop, "
            + "and the server in the cellar"
        dialog.previews[0].warnings = [warning]
        stage.model.overlay = Overlay(dialog)
        let inside = stage.lines.compactMap { line in
            line.split(separator: "│").first { $0.contains("! note/1") || $0.contains("cellar") }
        }
        #expect(inside.count == 2)
        #expect(stage.text.contains("! note/1/title will be in conflict again: Kitchen tablet"))
        #expect(stage.text.contains("the server in the cellar"))
    }

    @Test func innerListFilterIsNamedByItsPath() async throws {
        let keys = try Sample.notes()
        keys.put(try Sample.many(3), inside: RowID("note/1/title"))
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("j", "Enter", "fk00001", "Enter")
        #expect(stage.model.pane?.lists.count == 2)
        #expect(!stage.text.contains("filterKeys"))
        #expect(stage.lines[23].contains("Keys › Keys: k00001"))
    }

    @Test func missingEventSelectionIsReported() async throws {
        let stage = try await stage()
        await stage.press("E", "f")
        await stage.type("nobody")
        await stage.press("Enter", "Enter")
        #expect(stage.text.contains("no event is selected"))
    }

    @Test func keyColumnStaysDuringSideScrolling() async throws {
        let keys = FakeSource(
            "Keys",
            [
                try Sample.entry("note/1", String(repeating: "long ", count: 30)),
                try Sample.entry("note/2", "short"),
            ])
        let stage = await Stage(try Sample.session(keys: keys))
        await stage.press("L", "L")
        #expect(stage.lines[2].contains("note/1"))
        #expect(stage.lines[3].contains("note/2") && stage.lines[3].contains("short"))
        // A mark shows that the text is scrolled.
        #expect(stage.lines[2].contains(" …") && stage.lines[2].contains("long lo"))
        #expect(!stage.lines[3].contains("…"))
    }

    @Test func longKeysScrollOnceOtherTextsAreAtTheirEnd() async throws {
        let name = "folder/" + String(repeating: "k", count: 100) + "KEYEND"
        let keys = FakeSource(
            "Keys", [try Sample.entry(name, String(repeating: "v", count: 80) + "VALUEEND")])
        let stage = await Stage(try Sample.session(keys: keys))
        for _ in 0..<30 where !stage.lines[2].contains("VALUEEND") {
            #expect(stage.lines[2].contains("  folder/"))
            await stage.press("L")
        }
        for _ in 0..<30 { await stage.press("L") }
        #expect(stage.lines[2].contains("KEYEND") && !stage.lines[2].contains("folder/"))
        // The way back starts with the key.
        for _ in 0..<30 where !stage.lines[2].contains("folder/") { await stage.press("H") }
        #expect(stage.lines[2].contains("folder/") && stage.lines[2].contains("VALUEEND"))
        for _ in 0..<30 { await stage.press("H") }
        #expect(stage.lines[2].contains("folder/kkk") && stage.lines[2].contains(" vvv"))
    }

    @Test func sideScrollingWithoutTruncatedTextIsReported() async throws {
        let stage = try await stage()
        await stage.press("L")
        #expect(stage.text.contains("no column or text is cut off here"))
        await stage.press("H")
        #expect(stage.text.contains("already at the first column"))
    }

    @Test(arguments: [40, 80, 100])
    func filterExamplesAreNotTruncated(_ columns: Int) async throws {
        let stage = try await stage(columns: columns)
        await stage.press("E", "f")
        let line = try #require(stage.lines.first { $0.hasPrefix("events:") })
        #expect(line.contains(" words, device:ipad"))
        #expect(!line.contains(/[^ ]…/))
    }

    @Test func hiddenFilterFieldsAreMarked() async throws {
        let stage = try await stage(columns: 80)
        await stage.press("E", "f")
        #expect(stage.lines.first { $0.hasPrefix("events:") }?.hasSuffix(" …") == true)
        let wide = try await self.stage(columns: 160)
        await wide.press("E", "f")
        #expect(wide.lines.first { $0.hasPrefix("events:") }?.contains("…") == false)
    }

    @Test func storeDisappearanceAndReturnAreReported() async throws {
        let stage = try await stage()
        stage.session.status.phase = .missing
        await stage.refreshStatus()
        await stage.emit(.deleted)
        #expect(words(stage).contains("! the store was moved or deleted; showing its last"))
        await stage.press("w")
        #expect(!stage.model.writing.isWritable)
        // The message stays after the next key, above the remaining rows.
        await stage.press("j")
        #expect(words(stage).contains("! the store was moved or deleted; showing its last"))
        #expect(stage.text.contains("Groceries"))
        stage.session.status.phase = .live
        await stage.refreshStatus()
        await stage.emit(.returned)
        #expect(stage.text.contains("the store is back"))
        await stage.press("w")
        #expect(stage.model.writing.isWritable)
    }

    @Test func helpExplainsTheMarksInTheMargin() async throws {
        let stage = try await stage()
        let lines = stage.model.helpLines(filter: "", over: nil)
        let start = try #require(lines.firstIndex(of: .heading("Marks in the margin")))
        let title = "in conflict, or with conflicts inside"
        #expect(lines.dropFirst(start + 1).first == .keys("≠", title: title, reason: nil))
    }

    @Test func helpListsTheFilterFieldsOfTheFocusedPanel() async throws {
        let stage = try await stage()
        let late = HelpLine.keys("late:", title: "for example late>1h", reason: nil)
        #expect(!stage.model.helpLines(filter: "", over: nil).contains(late))
        await stage.press("E")
        #expect(stage.model.helpLines(filter: "", over: nil).contains(late))
    }

    @Test func pathsOfStoresTakeTheWidthOfFormatsAndDevices() {
        let columns = StoresSource.columns
        func widths(path: Int) -> [Int] {
            ColumnSpans(columns, contents: [path, 9, 7, 4, 10, 40], width: 80).spans
                .map(\.range.count)
        }
        #expect(widths(path: 39).count == columns.count && widths(path: 39)[0] > 35)
        #expect(widths(path: 12).last ?? 0 >= 15, "\(widths(path: 12))")
    }

    @Test func deletedStoreHasNoEditingHints() async throws {
        let words = ["edit", "unlock", "write", "preview", "count", "add"]
        func hinted(_ stage: Stage) -> [String] {
            stage.model.hints.map(\.title).filter { title in
                words.contains { title.contains($0) }
            }
        }
        for keys in [[], ["w"], ["w", "i"], ["w", "i", "x", "Enter"]] {
            let stage = try await stage()
            await stage.press("j")
            for key in keys { await stage.press(key) }
            #expect(!hinted(stage).isEmpty, "\(keys)")
            stage.session.status.phase = .missing
            await stage.refreshStatus()
            #expect(hinted(stage).isEmpty, "\(keys): \(hinted(stage))")
            #expect(!stage.text.contains("y: write"), "\(keys)")
        }
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func deletedStoreIsReportedOnce(_ columns: Int, _ rows: Int) async throws {
        let keys = try Sample.notes()
        let stage = await Stage(
            try Sample.session(keys: keys), columns: columns, rows: rows)
        stage.session.status.phase = .missing
        await stage.refreshStatus()
        await stage.emit(.deleted)
        // The row can no longer be read.
        keys.entries.removeAll { $0.id.name == "note/1/title" }
        await stage.press("j")
        #expect(stage.text.ranges(of: "moved or deleted").count == 1)
        #expect(!stage.text.contains("row not found"))
        #expect(stage.model.panelStates.inspector.problem == nil)
    }

    // MARK: Resized panels

    @Test func panelAtItsLimitKeepsItsSize() async throws {
        let stage = try await stage(columns: 120, rows: 40)
        for _ in 0..<30 { await stage.press("=") }
        let least = try #require(stage.model.layout.panels[.inspector])
        #expect(stage.text.contains("the list can't be larger"))
        let share = stage.model.panels.shares[.inspector]
        await stage.press("=")
        #expect(stage.model.panels.shares[.inspector] == share)
        // The first step back changes the size.
        await stage.press("M-Down")
        #expect(stage.model.layout.panels[.inspector] != least)
        #expect(stage.text.contains("% of the height shared with the inspector"))
        for _ in 0..<30 { await stage.press("M-Down") }
        #expect(stage.text.contains("the list can't be smaller"))
    }

    /// Each share changes the layout, including layouts with device columns.
    @Test func resizingWorksAtEveryScreenSize() {
        for (columns, rows) in [(120, 40), (150, 40), (200, 60)] {
            func inspector(_ share: Int) -> Rect? {
                Layout(
                    Layout.Conditions(
                        size: Size(columns: columns, rows: rows), deviceCount: 3,
                        hasConflicts: true, shares: [.inspector: share])
                ).panels[.inspector]
            }
            #expect(inspector(10) != inspector(60), "\(columns)x\(rows)")
        }
    }

    @Test func hintsAreNotActionNames() async throws {
        let stage = try await stage()
        for keys in [[], ["t"], ["0", "E"], ["1", "l"], ["?"]] {
            for key in keys { await stage.press(key) }
            for hint in stage.model.hints { #expect(!hint.title.contains("-"), "\(hint)") }
        }
    }

    // MARK: The help

    @Test(arguments: [40, 60, 80, 120])
    func helpIsCompleteAtEveryWidth(_ columns: Int) async throws {
        let stage = try await stage(columns: columns, rows: 24)
        await stage.press("?")
        var seen = ""
        for _ in 0..<60 {
            seen += words(stage) + "\n"
            // Pages overlap, so that no entry is only seen in two parts.
            await stage.press("^f", "Up", "Up")
        }
        let help = seen.split(whereSeparator: \.isWhitespace).filter { $0 != "│" }
            .joined(separator: " ")
        // The list behind the dialog can be visible after the end of a line.
        #expect(help.contains("First row (with a count: that row)"))
        // Text longer than a line wraps.
        if columns > 40 { #expect(help.contains("hide|show|freeze|unfreeze|WIDTH|natural|FORM")) }
        // The end of the help is reachable.
        #expect(help.contains("for example value:milk"))
    }

    // MARK: Time travel

    @Test func bothMarksFitInEightyColumns() async throws {
        let stage = try await stage()
        await stage.press("t", "A", "Left", "B")
        let line = try #require(stage.lines.first { $0.hasPrefix("PAST") })
        #expect(line.contains(" A 2026-") && line.contains(" B 2026-"))
        #expect(!line.contains("…"))
    }

    @Test func deviceChosenForStepsIsVisible() async throws {
        let session = try Sample.session(keys: try Sample.many(100))
        session.status.devices = try (1...9).map {
            .init(id: try Sample.device("device\($0)"), name: "device \($0)", state: "ok")
        }
        let stage = await Stage(session)
        await stage.press("t")
        #expect(stage.text.contains("↓device 3"))
        for _ in 1...9 where stage.model.time?.device?.name != "device7" {
            await stage.press(">")
        }
        #expect(stage.text.contains(">device 7"))
        #expect(stage.text.contains("↑device 5"))
    }

    // MARK: The palette

    private func choices(_ stage: Stage) -> [String] {
        guard let palette = stage.model.overlay?.module as? CommandPalette else { return [] }
        return stage.model.paletteItems(palette).compactMap {
            guard case .action(let match) = $0, let choice = match.choice else { return nil }
            return "\(match.action.name) \(choice)"
        }
    }

    private func palette(_ text: String) async throws -> Stage {
        let log = FakeSource("Log", [try Sample.entry("x", "1")])
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes(), log: log),
            themes: ["dracula", "tide-dark", "tide-light"], recentStores: ["/stores/Plans.store"])
        await stage.press(":")
        await stage.type(text)
        return stage
    }

    @Test func panesAreFoundByTheirNames() async throws {
        let stage = try await palette("lo")
        #expect(choices(stage).first == "pane Log")
        await stage.type("g")
        await stage.press("Enter")
        #expect(stage.model.pane?.id == .log)
        await stage.press(":")
        await stage.type("event")
        #expect(choices(stage).first == "pane Events")
    }

    @Test func themesAreFoundByTheirNames() async throws {
        let stage = try await palette("drac")
        #expect(choices(stage) == ["theme dracula"])
        await stage.press("Enter")
        #expect(stage.requests.suffix(2) == [.theme("dracula"), .previewTheme(nil)])
    }

    @Test func commandOffersItsArguments() async throws {
        let stage = try await palette("theme li")
        #expect(choices(stage) == ["theme tide-light"])
        await stage.press("Tab")
        guard let completed = stage.model.overlay?.module as? CommandPalette else {
            Issue.record("the palette is closed")
            return
        }
        #expect(completed.text.text == "theme tide-light")
        await stage.press("Enter")
        #expect(stage.requests.suffix(2) == [.theme("tide-light"), .previewTheme(nil)])
        #expect(choices(try await palette("open ")) == ["open /stores/Plans.store"])
        #expect(choices(try await palette("device ")).contains("device mac"))
        #expect(choices(try await palette("alert dev")).contains("alert device:ipad"))
    }

    @Test func commandNameOffersItsArguments() async throws {
        #expect(
            choices(try await palette("theme")) == [
                "theme dracula", "theme tide-dark", "theme tide-light",
            ])
    }

    @Test func commandArgumentsAreShownInFull() async throws {
        let stage = try await palette("alert ")
        #expect(stage.text.contains("alert [NAME*, value>9 or device:NAME]"))
    }

    @Test func missingCompletionIsReported() async throws {
        let stage = try await palette("goto x")
        await stage.press("Tab")
        #expect(stage.text.contains("nothing to complete"))
    }

    // MARK: ASCII

    @Test func arrowOfAWriteIsNotAKeyNameInASCII() async throws {
        let theme = Theme(name: "ascii", background: .plain, isASCII: true, styles: [:], marks: [:])
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: theme)
        await stage.press("t", "Left", "End")
        #expect(stage.text.contains("set note/2/title: 1 -> 2"))
        #expect(!stage.text.contains("1 Right 2"))
    }

    @Test func sentencesAndLettersAreReadableInASCII() {
        var surface = Surface(size: Size(columns: 40, rows: 2), isASCII: true)
        surface.put("“so” ‘it’ – a — b → c… 日", at: Point(column: 0, row: 0))
        surface.put("Belém, Übergröße, naïve, Łódź", at: Point(column: 0, row: 1))
        #expect(surface.line(0) == "\"so\" 'it' - a - b > c~ ??")
        #expect(surface.line(1) == "Belem, Ubergrose, naive, Lodz")
    }

    @Test func replacedDataIsMarkedInASCII() {
        var surface = Surface(size: Size(columns: 20, rows: 1), isASCII: true)
        surface.put("5 € für “お茶”?", at: Point(column: 0, row: 0))
        #expect(surface.line(0) == "5 ? fur \"????\"?")
        let marked = (0..<20).filter { surface[$0, 0].style.attributes.contains(.underline) }
        #expect(marked == [2, 5, 9, 10, 11, 12])
    }

    @Test func errorsAreASCIIInASCIIMode() async throws {
        let theme = Theme(name: "ascii", background: .plain, isASCII: true, styles: [:], marks: [:])
        let stage = await Stage(try Sample.session(keys: try Sample.notes()), theme: theme)
        stage.model.navigation.withList { $0.problem = "a “word” — and more…" }
        #expect(stage.text.contains("! a \"word\" - and more..."))
    }

    @Test func listSignsHaveASCIIReplacements() {
        var surface = Surface(size: Size(columns: 20, rows: 1), isASCII: true)
        surface.put("██░░ 60% → é", at: Point(column: 0, row: 0))
        #expect(surface.line(0).hasPrefix("##.. 60% > e"))
    }
}
