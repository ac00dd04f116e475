import Foundation
import Testing
import TidelineCore

@testable import TidelineUI

@Suite struct ActionTests {
    @Test func exportReportsItsOutput() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press(":")
        await stage.type("export")
        #expect(stage.text.contains("Export 4 rows"))
        await stage.press("Esc", "Space", "Space")
        await stage.press("fbody", "Enter", ":")
        await stage.type("export csv rows.csv")
        #expect(stage.text.contains("Export 2 marked rows"))
        let action = try #require(Action.named("export"))
        let effects = stage.model.perform(action, .init(argument: "csv rows.csv"))
        guard case .export(_, _, _, let chosen, .csv, "rows.csv")? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(chosen == [RowID("note/1/due"), RowID("note/1/title")])
    }

    @Test func everyActionHasAKeyOrIsACommandAndIsInTheHelp() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let help = stage.model.helpLines(filter: "")
        for action in Action.every {
            let keys = Keymap.standard.keys(for: action.name)
            #expect(
                !keys.isEmpty || action.argument != nil || action.group == .lists,
                "\(action.name)")
            let isInHelp = help.contains { line in
                guard case .keys(_, let title, _) = line else { return false }
                // The line of a number key also has the name of the tab.
                return title.hasPrefix(action.title)
            }
            #expect(isInHelp, "\(action.name)")
        }
    }

    @Test func everyKeyIsBoundToAnExistingAction() {
        for binding in Keymap.standard.bindings {
            #expect(Action.named(binding.action) != nil, "\(binding.action)")
        }
        #expect(Keymap.standardTable.count == Set(Keymap.standardTable.map(\.0)).count)
        for (action, notations) in Keymap.standardTable {
            for notation in notations {
                #expect(KeyNotation.keys(in: notation) != nil, "\(action) \(notation)")
            }
        }
    }

    @Test func keysAreUniquePerScope() {
        let bindings = Keymap.standard.bindings
        for (index, one) in bindings.enumerated() {
            for other in bindings.dropFirst(index + 1) {
                guard Action.named(one.action)?.scope == Action.named(other.action)?.scope else {
                    continue
                }
                // A binding must not be a prefix of another one, which would then be unreachable.
                #expect(
                    !one.keys.starts(with: other.keys) && !other.keys.starts(with: one.keys),
                    "\(one.action) and \(other.action)")
            }
        }
    }

    @Test func namesAreUnique() {
        #expect(Set(Action.every.map(\.name)).count == Action.every.count)
    }

    @Test func everyActionCanBeCalledAnywhere() async throws {
        for action in Action.every {
            let empty = await Stage(try Sample.session(keys: FakeSource("Keys")))
            await empty.perform(action, .init(count: 3, argument: "x y"))
            _ = empty.surface
            let stage = await Stage(try Sample.session(keys: try Sample.notes()))
            _ = stage.model.perform(action, .init())
            _ = stage.surface
        }
    }

    @Test func keysCanBeRebound() {
        let (keymap, problems) = Keymap.standard.overridden(by: [
            "down": ["^x j", "PgDn"], "nonsense": ["a"], "up": ["NoSuch-Key"],
        ])
        #expect(problems.count == 2)
        #expect(keymap.keys(for: "down").map { KeyNotation.text(for: $0) } == ["^x j", "PgDn"])
        #expect(!keymap.hint(for: "page-down").contains("PgDn"))
        let keys: [Key] = [.character("x", .control), .character("j")]
        guard case .incomplete = keymap.resolve([keys[0]], where: { _ in true }) else {
            Issue.record("the first key has a meaning of its own")
            return
        }
        #expect(keymap.resolve(keys, where: { _ in true }).action?.name == "down")
    }

    @Test func sequencesThatCannotBeTypedAreReported() {
        let (keymap, _) = Keymap.standard.overridden(by: ["down": ["j", "qx"]])
        let problems = keymap.problems(ofRebound: ["down"])
        #expect(problems.map(\.action) == ["down"], "\(problems)")
        #expect(problems.first?.problem.contains("qx") == true)
        #expect(problems.first?.problem.contains("quit") == true)
        let (moved, _) = Keymap.standard.overridden(by: ["down": ["qx"], "quit": ["Q"]])
        #expect(moved.problems(ofRebound: ["down", "quit"]).isEmpty)
        let (inDialogs, _) = Keymap.standard.overridden(by: ["leave": ["^c", "gQ"]])
        let dialogProblems = inDialogs.problems(ofRebound: ["leave"]).map(\.problem)
        #expect(dialogProblems.count == 1 && dialogProblems.first?.hasPrefix("gQ ") == true)
    }

    @Test func sequenceOfADialogHasNoFunctionOutsideDialogs() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        stage.model.preferences.keymap = Keymap.standard.overridden(by: ["leave": ["gQ"]]).keymap
        await stage.press("gQ")
        #expect(stage.lines[23].contains("gQ has no function"), "\(stage.lines[23])")
    }

    @Test func sequenceNeverFallsBackToItsLastKey() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("j", "w", "gr")
        #expect(stage.model.overlay == nil, "\(stage.text)")
        #expect(stage.lines[23].hasPrefix("! "), "\(stage.lines[23])")
        await stage.press("gz")
        #expect(stage.lines[23].contains("gz has no function"), "\(stage.lines[23])")
        #expect(stage.model.list?.cursor == 1)
    }

    @Test(arguments: ["j", "gg", "^d", "S-Left", "M-5", "PgDn", "F5", "Space", "Esc", "BackTab"])
    func notationIsReadBack(_ text: String) throws {
        let keys = try #require(KeyNotation.keys(in: text))
        let shown = KeyNotation.text(for: keys)
        #expect(KeyNotation.keys(in: shown) == keys)
    }

    @Test func helpIsShownAndSearched() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("?")
        #expect(stage.text.contains("Row actions"))
        await stage.press("/")
        await stage.type("undo")
        #expect(!stage.text.contains("Row actions"))
        await stage.press("Enter", "Esc")
        #expect(stage.model.overlay == nil)
    }

    @Test func helpStartsWithTheCurrentPanelAndFindsActionsByName() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("E", "?")
        #expect(stage.lines[2].contains("Live"), "\(stage.text)")
        await stage.press("Esc", "Esc", "t", "?")
        #expect(stage.lines[2].contains("Time"), "\(stage.text)")
        await stage.press("/")
        await stage.type("journal")
        #expect(stage.text.contains("@"))
        // The new search replaces the previous one.
        await stage.press("Enter", "/")
        await stage.type("undo")
        #expect(stage.text.contains(": undo  ("))
    }

    @Test func overlayKeysCanBeReboundAndHintsFollow() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        stage.model.preferences.keymap =
            Keymap.standard.overridden(by: [
                "menu-close": ["F9"], "menu-next": ["^n"], "text-erase-word": ["F8"],
            ]).keymap
        await stage.press("o")
        #expect(stage.lines[23].contains("F9 close"))
        await stage.press("Esc")
        #expect(stage.model.overlay != nil)
        await stage.press("^n", "^n")
        guard let menu = stage.model.overlay?.module as? Menu else {
            Issue.record("the menu is closed")
            return
        }
        #expect(menu.cursor == 2)
        await stage.press("F9")
        #expect(stage.model.overlay == nil)
        await stage.press(":")
        await stage.type("one two")
        await stage.press("^w", "F8")
        guard let palette = stage.model.overlay?.module as? CommandPalette else {
            Issue.record("the palette is closed")
            return
        }
        #expect(palette.text.text == "one ")
    }

    /// Every key types its letter in a text field, even if it is bound elsewhere.
    @Test func boundLettersAreTypedInATextField() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("?", "/")
        await stage.type("q?jkgG/ ")
        guard let help = stage.model.overlay?.module as? Help else {
            Issue.record("the help is closed")
            return
        }
        #expect(help.filter.text == "q?jkgG/ ")
    }

    @Test func helpInAMenuStartsWithItsKeysAndReturnsToIt() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("o", "j")
        let menu = stage.model.overlay
        await stage.press("?")
        let first = stage.model.helpLines(filter: "", over: menu).first
        #expect(first == .heading(Menu.group.title))
        #expect(stage.text.contains("Menu"))
        await stage.press("Esc")
        #expect(stage.model.overlay == menu)
    }

    @Test func paletteListsOnlyGlobalActions() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let matches = stage.model.paletteMatches(for: "")
        #expect(!matches.isEmpty)
        for match in matches {
            #expect(match.action.isGlobal, "\(match.action.name)")
        }
    }

    @Test func hintsShowTheKeysOfTheTable() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let stage = await Stage(session)
        stage.model.preferences.keymap = Keymap.standard.overridden(by: ["filter": ["F7"]]).keymap
        #expect(stage.lines[23].contains("F7 filter"))
    }

    @Test func unavailableActionsAreNotHinted() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let locked = await Stage(session, locked: "opened with --read-only")
        #expect(!locked.lines[23].contains("unlock") && !locked.lines[23].contains("edit"))
        let stage = await Stage(session)
        #expect(stage.lines[23].contains("w unlock") && !stage.lines[23].contains("edit"))
        await stage.press("w", "j")
        #expect(stage.lines[23].contains("i edit") && !stage.lines[23].contains("unlock"))
        await stage.press("t")
        #expect(stage.lines[23].contains("A mark") && !stage.lines[23].contains("compare"))
        await stage.press("A")
        #expect(stage.lines[23].contains("D compare with now"))
    }

    @Test func everyHintHasAnActionAndAKey() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        for panel in Panel.allCases {
            for name in stage.model.panelStates[panel].hints(in: stage.model.context) {
                #expect(Action.named(name) != nil, "\(name)")
                #expect(!Keymap.standard.hint(for: name).isEmpty, "\(name)")
            }
        }
    }

    @Test func keysInTheMenuOfARowAreAligned() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("x")
        guard let menu = stage.model.overlay?.module as? Menu else {
            Issue.record("no menu: \(stage.text)")
            return
        }
        let aligned = menu.items.filter(\.isAligned)
        #expect(aligned.count > 2)
        for item in aligned {
            let title = item.title.padding(
                toLength: menu.hintColumn + 2, withPad: " ", startingAt: 0)
            #expect(stage.text.contains(title + item.hint), "\(stage.text)")
        }
    }

    @Test func hintForGoingBackNamesWhatTheKeyDoesFirst() async throws {
        let keys = FakeSource("Keys", [try Sample.entry("a", "1")])
        let inside = try ["b", "c"].map { try Sample.entry($0, "1") }
        keys.put(FakeSource("Inside", inside), inside: RowID("a"))
        let stage = await Stage(try Sample.session(keys: keys), columns: 120)
        await stage.press("Enter")
        #expect(stage.lines[23].contains("Esc back"), "\(stage.lines[23])")
        await stage.press("f")
        await stage.type("b")
        await stage.press("Enter", "Space")
        #expect(stage.lines[23].contains("Esc unmark"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(stage.lines[23].contains("Esc clear filter"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(stage.lines[23].contains("Esc back"), "\(stage.lines[23])")
        await stage.press("Esc")
        #expect(stage.model.breadcrumb == "Keys")
        #expect(!stage.lines[23].contains("Esc"), "\(stage.lines[23])")
        await stage.press("f")
        await stage.type("a")
        await stage.press("Enter")
        #expect(stage.lines[23].contains("f filter  Esc clear filter"), "\(stage.lines[23])")
        await stage.press("Space")
        #expect(stage.lines[23].contains("f filter  Esc unmark"), "\(stage.lines[23])")
    }

    @Test func unavailableTimeTravelActionHasAReason() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        let mark = try #require(Action.named("mark-a"))
        #expect(stage.model.whyUnavailable(mark)?.contains("press t") == true)
        await stage.press("t")
        #expect(stage.model.whyUnavailable(mark) == nil)
    }

    @Test func unboundKeyIsReported() async throws {
        let stage = await Stage(try Sample.session(keys: try Sample.notes()))
        await stage.press("Q")
        #expect(stage.lines[23].contains("Q has no function"))
    }
}
