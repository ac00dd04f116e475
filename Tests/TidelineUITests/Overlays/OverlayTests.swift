import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// Overlays without a screen around them: a state and a context in, outcomes out.
@Suite struct OverlayTests {
    private let source = SourceID(1)
    private let row = RowID("note/1")

    // MARK: Menu

    private var menu: Menu {
        Menu(
            title: "Sort by",
            items: [
                Menu.Item(title: "KEY", choice: .action("sort-key")),
                Menu.Item(
                    title: "AGE", unavailable: "no times here",
                    choice: .action("sort-age")),
            ])
    }

    @Test func menuClosesAndReportsTheChoice() {
        var menu = menu
        let outcomes = menu.perform("menu-choose", in: ScreenContext())
        #expect(outcomes == [.close(), .choose(.action("sort-key"), of: menu)])
    }

    @Test func unavailableChoiceKeepsTheMenuOpen() {
        var menu = menu
        #expect(
            menu.perform("menu-choose-2", in: ScreenContext())
                == [.notice(.warning, "AGE: no times here")])
        #expect(menu.perform("menu-choose-3", in: ScreenContext()) == [.none(of: 2)])
    }

    @Test func menuCursorStaysWithinTheItems() {
        var menu = menu
        for _ in 0..<3 { #expect(menu.perform("menu-next", in: ScreenContext()).isEmpty) }
        #expect(menu.cursor == 1)
        #expect(menu.perform("menu-first", in: ScreenContext()).isEmpty)
        #expect(menu.cursor == 0)
    }

    @Test func menuDrawsItsItemsWithKeysAndReasons() {
        let lines = menu.lines(in: ScreenContext())
        #expect(lines.contains { $0.contains("1 KEY") })
        #expect(lines.contains { $0.contains("2 AGE  no times here") })
    }

    // MARK: Dialogs about edits

    private func dialog(rows: Int) -> PreviewDialog {
        let rows = (0..<rows).map { RowID("\($0)") }
        let preview = EditPreview(
            edit: .remove(rows, field: nil), summary: "delete rows", changes: [], file: "Logs.db")
        return PreviewDialog(source: source, direction: .edit, previews: [preview])
    }

    @Test func previewOfOneRowIsWrittenByOneKey() {
        var dialog = dialog(rows: 1)
        #expect(dialog.perform("preview-yes", in: ScreenContext()) == [.write])
    }

    @Test func previewOfSeveralRowsIsWrittenAfterTypingTheirNumber() {
        var dialog = dialog(rows: 3)
        #expect(dialog.perform("preview-yes", in: ScreenContext()).isEmpty)
        #expect(dialog.problem?.contains("type 3 and Enter") == true)
        dialog.count = TextField("2")
        #expect(dialog.perform("preview-count", in: ScreenContext()).isEmpty)
        dialog.count = TextField("3")
        #expect(dialog.perform("preview-count", in: ScreenContext()) == [.write])
    }

    @Test func canceledPreviewReturnsToTheOverlayBehindIt() {
        var dialog = dialog(rows: 1)
        dialog.over = Overlay(menu)
        #expect(
            dialog.perform("preview-no", in: ScreenContext())
                == [.notice(.info, "nothing was written"), .close(showing: Overlay(menu))])
    }

    @Test(arguments: [
        ("a", "b\n", "b"), ("a", "b\r\n", "b"), ("a\r\nb", "a\r\nb\r\n", "a\r\nb"),
        ("a\r\n", "b\r\n", "b\r\n"), ("a\r", "a\r\n", "a\r"), ("a\n", "b\n\n", "b\n\n"),
    ])
    func newlineThatAnEditorAddsIsRemoved(_ original: String, _ text: String, _ value: String) {
        let job = EditorJob(
            source: source, purpose: .resolve(row, nil), kind: .string, original: original)
        #expect(job.value(in: text).utf8.elementsEqual(value.utf8))
    }

    @Test func invalidTextIsEditedAgainOrDiscarded() {
        let job = EditorJob(
            source: source, purpose: .resolve(row, nil), kind: .integer, original: "1")
        var reopening = EditedTextDialog(job: job, text: "one", problem: "not a number")
        var edited = job
        edited.draft = "one"
        #expect(
            reopening.perform("reopen-edit", in: ScreenContext())
                == [.close(), .edit(edited, text: "one")])
        #expect(
            reopening.perform("reopen-drop", in: ScreenContext())
                == [.notice(.info, "nothing was written"), .close()])
    }

    @Test func longEditedTextIsDiscardedOnlyAfterAQuestion() {
        let job = EditorJob(
            source: source, purpose: .resolve(row, nil), kind: .integer, original: "1")
        var edited = EditedTextDialog(job: job, text: String(repeating: "one ", count: 20))
        #expect(edited.perform("reopen-drop", in: ScreenContext()) == [])
        #expect(edited.problem?.contains("will be lost") == true)
        #expect(
            edited.perform("reopen-drop", in: ScreenContext())
                == [.notice(.info, "nothing was written"), .close()])
    }

    @Test func longReasonsAreWrappedOnSmallScreens() throws {
        var context = ScreenContext(size: Size(columns: 40, rows: 12))
        let job = EditorJob(
            source: source, purpose: .resolve(row, nil), kind: .date, original: "1")
        let invalid = EditedTextDialog(
            job: job, text: "one", problem: "a long and wrong text is not a date such as 2026-11-21"
        )
        let lines = invalid.lines(in: context)
        #expect(lines.contains { $0.contains("2026-11-21") })
        #expect(lines.contains { $0.contains("discard") })
        context.refusal = { _ in "showing the past; press t to return to today" }
        #expect(try conflict().lines(in: context).contains { $0.contains("today") })
    }

    @Test func quitPromptStaysAtAnyOtherKey() {
        let leaving = QuitDialog(
            exitReason: .quit, reason: "an export is running", over: Overlay(menu))
        #expect(leaving.pressedNothing(in: ScreenContext()) == [.open(Overlay(menu))])
        #expect(leaving.lines(in: ScreenContext()).contains { $0.contains("an export is running") })
    }

    // MARK: Conflicts

    private func conflict() throws -> ConflictView {
        let sides = try ["ipad", "mac"].enumerated().map { index, name in
            RowConflict.Side(
                author: .device(try DeviceID(name)), value: name,
                instant: Timestamp(microseconds: Int64(index)), isWinner: index == 1,
                reason: "newest", typed: TypedText(.string, name))
        }
        var view = ConflictView(source: source, row: row, title: "note/1")
        view.show(RowConflict(sides: sides, base: nil, proposal: nil))
        return view
    }

    @Test func chosenSideIsPreviewed() throws {
        var view = try conflict()
        let sides = try #require(view.conflict?.sides)
        #expect(
            view.perform("conflict-take-2", in: ScreenContext())
                == [.preview(source, [.resolve(row, .take(sides[1].id))])])
        #expect(view.perform("conflict-take-3", in: ScreenContext()) == [.none(of: 2)])
    }

    @Test func refusalIsShownInsteadOfAPreview() throws {
        var view = try conflict()
        var context = ScreenContext()
        context.refusal = { _ in "read-only" }
        #expect(
            view.perform("conflict-take", in: context)
                == [.notice(.warning, "Choose a side: read-only")])
        #expect(
            view.perform("conflict-edit", in: context) == [.notice(.warning, "Edit: read-only")])
        #expect(view.lines(in: context).contains { $0.contains("Can't resolve: read-only") })
    }

    // MARK: Text fields

    @Test func searchInHelpStartsAtTheTop() {
        var context = ScreenContext(size: Size(columns: 80, rows: 10))
        let entries = (1...40).map { HelpSection.Entry(keys: "k\($0)", title: "Action \($0)") }
        context.shortcuts = { _ in [HelpSection(title: "Rows", entries: entries)] }
        var help = Help()
        #expect(help.perform("help-last", in: context).isEmpty)
        #expect(help.lines(in: context).contains { $0.contains("Action 40") })
        _ = help.perform("help-find", in: context)
        help.field = TextField("action 7")
        #expect(help.fieldChanged(in: context).isEmpty)
        #expect(help.lines(in: context).contains { $0.contains("k7") })
        #expect(!help.lines(in: context).contains { $0.contains("k8") })
        #expect(help.perform("help-close", in: context).isEmpty && !help.isFiltering)
        #expect(help.perform("help-close", in: context) == [.close()])
    }

    @Test func numberInThePaletteSelectsARow() {
        var palette = CommandPalette(text: TextField("12"))
        #expect(
            palette.perform("palette-accept", in: ScreenContext())
                == [.close(), .selectRow(11)])
    }

    @Test func paletteWaitsForARunningSearch() {
        var context = ScreenContext()
        context.isSearching = true
        var palette = CommandPalette(text: TextField("note"))
        #expect(palette.perform("palette-accept", in: context).isEmpty)
        #expect(palette.accepts)
    }

    @Test func promptRecallsEarlierFilters() {
        var context = ScreenContext()
        for filter in ["first", "second"] { context.recents.add(filter: filter) }
        var prompt = Prompt(purpose: .feed(before: ""), text: TextField())
        let outcomes = prompt.perform("prompt-earlier", in: context)
        #expect(prompt.text.text == "second" && outcomes == [.changed(prompt)])
        _ = prompt.perform("prompt-earlier", in: context)
        #expect(prompt.text.text == "first")
    }
}
