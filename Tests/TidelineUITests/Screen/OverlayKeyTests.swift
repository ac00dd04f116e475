import Replication
import Testing
import TidelineCore

@testable import TidelineUI

/// The keys of all overlays, and their meanings elsewhere.
@Suite struct OverlayKeyTests {
    @Test(arguments: ["o", "d", "?", ":"])
    func noticesStayVisibleNextToADialog(_ key: String) async throws {
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), columns: 20, rows: 5)
        await stage.press("j", "w", key)
        #expect(stage.model.overlay != nil)
        stage.model.say(.warning, "one two three four five six")
        #expect(stage.lines[3...].joined() == "! one two three four  five six")
    }

    /// In the timeline, arrows and the keys for the ends move through time instead of rows.
    @Test func keyHasOneMeaningInEveryMode() {
        let moving: Set = ["Left", "Right", "S-Left", "S-Right", "Home", "End"]
        var actions: [[Key]: Set<String>] = [:]
        for binding in Keymap.standard.bindings {
            guard let action = Action.named(binding.action), action.isGlobal else { continue }
            actions[binding.keys, default: []].insert(action.name)
        }
        // The same key starts and ends time travel.
        actions[[.character("t")]]?.remove("now")
        for (keys, names) in actions where names.count > 1 {
            let key = keys.map { KeyNotation.text(for: $0) }.joined()
            #expect(moving.contains { KeyNotation.keys(in: $0) == keys }, "\(key): \(names)")
        }
    }

    /// A key that both a list and a dialog about its rows use means the same in both.
    @Test func keysOfDialogsKeepTheirMeaning() {
        let same = [
            "conflict-edit": "edit", "conflict-edit-external": "edit-external",
            "conflict-next": "down", "conflict-previous": "up", "conflict-now": "now",
            "journal-next": "down", "journal-previous": "up", "output-copy": "copy",
            "output-down": "down", "output-up": "up", "help-find": "search",
            "overlay-help": "help", "overlay-palette": "palette",
        ]
        for (inner, outer) in same {
            let keys = Keymap.standard.keys(for: inner)
            #expect(!keys.isEmpty)
            let others = Set(Keymap.standard.keys(for: outer))
            #expect(keys.allSatisfy(others.contains), "\(inner), \(outer)")
        }
    }

    /// A stage with the overlay open and its cursor in the middle, so that each of its keys has an
    /// effect.
    private func stage(_ kind: Overlay.Kind) async throws -> Stage? {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        func write(_ text: String) async {
            await stage.press("i")
            await stage.type(text)
            await stage.press("Enter", "y")
        }
        switch kind {
        case Prompt.kind:
            for filter in ["a", "b", "c"] { stage.model.recents.add(filter: filter) }
            await stage.press("f", "Up", "Up")
        case CommandPalette.kind: await stage.press(":", "Down")
        case Menu.kind: await stage.press("o", "j")
        case Help.kind: await stage.press("?", "j", "j")
        case FieldEditor.kind: await stage.press("j", "w", "a")
        case PreviewDialog.kind: await stage.press("w", "Space", "Space", "d", "Down", "Down")
        case ConflictView.kind: await stage.press("w", "gg", "c", "Enter", "j")
        case ManyConflicts.kind: await stage.press("w", "gg", "M", "j", "j")
        case JournalView.kind:
            await stage.press("j", "w")
            for text in ["x", "y", "z"] { await write(text) }
            await stage.press("@", "k")
        case CommandOutput.kind:
            let text = (1...100).map { "\($0)\n" }.joined()
            stage.model.overlay = Overlay(
                CommandOutput("Numbers", CommandResult(code: 0, output: text), columns: 80))
            await stage.press("j", "j")
        case EditedTextDialog.kind:
            let list = try #require(stage.model.list)
            stage.model.overlay = Overlay(
                EditedTextDialog(
                    job: EditorJob(
                        source: list.source.id, purpose: .resolve(RowID("x"), nil), kind: .integer,
                        original: "1"),
                    text: "one", problem: "not a number"))
        case QuitDialog.kind:
            await stage.press("j", "w", "i", "x", "^c")
        // This dialog is shown only for a moment, so only fast typing reaches it.
        case ChangedRowDialog.kind: return nil
        default:
            Issue.record("no keys open this overlay: \(kind)")
            return nil
        }
        #expect(stage.model.overlay?.kind == kind)
        return stage
    }

    /// These keys have no effect here: the field isn't nullable, no search is active in the help,
    /// the entry of the journal is shown from its start, and the conflict has two sides and no
    /// parts.
    private static let idle: Set = [
        "field-null", "help-found", "journal-page-up", "conflict-next", "conflict-pick-next",
        "conflict-pick-previous",
    ]

    /// Whether the action has a number larger than the number of choices.
    private func isBeyond(_ action: String, _ overlay: Overlay) -> Bool {
        guard let number = action.last?.wholeNumberValue else { return false }
        switch overlay.module {
        case let menu as Menu: return number > menu.items.count
        case let many as ManyConflicts: return number > many.choices.count
        case let view as ConflictView: return number > view.conflict?.sides.count ?? 0
        default: return false
        }
    }

    @Test(arguments: Overlay.modules.map { $0.kind })
    func everyKeyDoesSomething(_ kind: Overlay.Kind) async throws {
        guard let first = try await stage(kind) else { return }
        let overlay = try #require(first.model.overlay)
        for binding in Keymap.standard.bindings
        where Action.named(binding.action)?.scope == .overlay(kind) {
            if isBeyond(binding.action, overlay) || Self.idle.contains(binding.action) { continue }
            let stage = try #require(try await stage(kind))
            let (before, count) = (stage.model.overlay, stage.requests.count)
            await stage.press(KeyNotation.text(for: binding.keys))
            let isDone =
                stage.model.overlay != before || stage.requests.count > count
                || stage.model.notice != nil
            #expect(isDone, "\(KeyNotation.text(for: binding.keys)) for \(binding.action)")
        }
    }

    @Test func everyOverlayShowsItsKeyHints() async throws {
        for kind in Overlay.modules.map({ $0.kind }) {
            guard let stage = try await stage(kind) else { continue }
            stage.model.notice = nil
            let hints = try #require(stage.model.overlay).module.hints(in: stage.model.context)
            #expect(!hints.isEmpty, "\(kind)")
            for hint in hints.prefix(2) where kind != Prompt.kind {
                #expect(stage.lines[23].contains("\(hint.keys) \(hint.title)"), "\(kind)")
            }
        }
    }

    @Test(arguments: [
        Menu.kind, Help.kind, PreviewDialog.kind, ConflictView.kind, ManyConflicts.kind,
        JournalView.kind, EditedTextDialog.kind, CommandOutput.kind, QuitDialog.kind,
    ])
    func everyOverlayFindsItsActionsInThePalette(_ kind: Overlay.Kind) async throws {
        guard let stage = try await stage(kind) else { return }
        await stage.press(":")
        #expect(stage.model.overlay?.module is CommandPalette)
        #expect(stage.text.contains("Commands"))
        // Help covers only its own dialog, so it lists the actions of the panels instead.
        if kind != Help.kind {
            let names = Action.every.filter { $0.scope == .overlay(kind) }.map(\.name)
            #expect(names.contains { stage.text.contains("│ \($0) ") }, "\(kind)")
        }
        await stage.press("Esc")
        #expect(stage.model.overlay?.kind == kind)
    }

    /// If the key for confirming is unbound, another key can confirm.
    @Test func confirmingKeyCanBeRebound() async throws {
        let keys = try Sample.notes()
        let stage = await Stage(try Sample.session(keys: keys))
        stage.model.preferences.keymap =
            Keymap.standard.overridden(by: ["preview-yes": ["F4"]]).keymap
        await stage.press("j", "w", "i", "x", "Enter")
        #expect(stage.text.contains("F4: write"))
        await stage.press("y")
        #expect(keys.writes == 0)
        await stage.press("F4")
        #expect(keys.writes == 1)
    }
}
