import Foundation
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The user's settings, and the messages for mistakes in them.
@Suite struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ yaml: String) throws -> Configuration {
        try Configuration.reading(yaml, in: folder)
    }

    @Test func resolutionRulesKeepTheirOrder() throws {
        let settings = try read(
            "resolve:\n  note/*/title: as desk\n  note/*: merge\n  '*': newest\n")
        #expect(settings.problems.isEmpty)
        #expect(settings.resolutionRules.map(\.way) == [.device("desk"), .merge, .newest])
        let wrong = try read("resolve:\n  a: oldest\n  b: as\n  c: newest\n")
        #expect(wrong.problems.count == 2 && wrong.resolutionRules.count == 1)
        #expect(wrong.problems[0].contains("config.yaml:2: resolve: “a”: expected newest"))
    }

    @Test func everySettingIsRead() throws {
        let settings = try read(
            """
            theme: dracula
            device: desk
            ascii: true
            keys:
              down: [n, Down]
              filter: F7
              delete: []
              search-next: []
            columns:
              keys: [key, age]
            layout:
              inspector: 50
              events: none
            merge-tool: meld
            alerts: osc9
            resolve:
              note/*: newest
            commands:
              count:
                title: Count words
                run: wc -w {row}
                key: X
                panes: [blobs]
                output: none
                reload: true
            """)
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        #expect(settings.theme == "dracula" && settings.device == "desk")
        #expect(settings.isASCII == true)
        #expect(settings.keymap.hint(for: "down") == "n")
        #expect(settings.keymap.hint(for: "filter") == "F7")
        #expect(settings.keymap.hint(for: "delete").isEmpty)
        // The key now belongs to this action and no longer to the other one.
        #expect(settings.keymap.hint(for: "search-next").isEmpty)
        #expect(settings.columns["keys"] == ["key", "age"])
        #expect(settings.shares == [.inspector: 50, .events: 0])
        #expect(settings.mergeTool == MergeTool("meld") && settings.alertSignal == .osc9)
        #expect(settings.resolutionRules.map(\.names) == ["note/*"])
        let command = try #require(settings.keymap.commands.first)
        #expect(command.name == "count" && command.title == "Count words")
        #expect(command.panes == ["blobs"] && command.output == .none && command.reloads)
        #expect(settings.keymap.hint(for: "count") == "X")
    }

    @Test(arguments: [
        ("a: b", 1, "unknown setting “a”; the settings are theme, device, ascii, keys"),
        ("\ntheme: nope", 2, "theme: there is no theme “nope”"),
        ("theme: [a]", 1, "theme must be a name or the path of a file"),
        ("device: a/b", 1, "device: “a/b” is not a device identifier"),
        ("ascii: perhaps", 1, "ascii must be true or false"),
        ("keys: [j]", 1, "keys must be lines of the form action: keys"),
        ("keys:\n  wrong: x", 2, "keys: unknown action “wrong”"),
        ("keys:\n  up: X-Up", 2, "keys: up: X-Up is not a key name"),
        ("keys:\n  up: {a: b}", 2, "keys: up: expected a key or a list of keys"),
        ("keys:\n  up: [[a]]", 2, "keys: up: each key must be a word"),
        ("keys:\n  down: [j, Dwn]", 2, "keys: down: Dwn can't be typed where D is a key of"),
        (
            "keys:\n  filter: q", 2,
            "keys: filter: q was a key of quit, which still has ^c; to avoid this message, also set"
        ),
        ("keys:\n  filter: n", 2, "keys: filter: n was a key of search-next, which now has no key"),
        (
            "keys:\n  filter: g", 2,
            "keys: filter: g makes it impossible to type gg, a key of first"
        ),
        ("keys:\n  quit: q\n  filter: q", 3, "keys: filter: q is set for quit, too"),
        ("columns: 3", 1, "columns must be lines of the form pane: [columns]"),
        ("columns:\n  keys: key", 2, "columns: “keys”: expected a list of columns"),
        (
            "columns:\n  keys:\n  - key\n  - val", 4,
            "columns: keys: unknown column “val”; the columns are key, value, type, device, age"
        ),
        (
            "columns:\n  history: [change, tx, sql]", 2,
            "columns: history: unknown column “sql”; the columns are change, actor, time"
        ),
        ("columns:\n  keys: []", 2, "columns: keys: expected a list of column names, at least one"),
        ("layout: x", 1, "layout must be lines of the form panel: size"),
        ("layout:\n  sidebar: 20", 2, "layout: unknown panel “sidebar”; the panels are inspector"),
        (
            "layout:\n  events: 99", 2,
            "layout: events: “99” is neither none nor a number from 10 to 80"
        ),
        ("commands: x", 1, "commands must be lines of the form name: settings"),
        (
            "commands:\n  a b:\n    run: x", 2,
            "commands: “a b” is not a valid name: use letters, digits and dashes"
        ),
        ("commands:\n  undo:\n    run: x", 2, "commands: undo is the name of an action"),
        ("commands:\n  a: x", 2, "commands: a: expected settings, at least “run”"),
        ("commands:\n  a:\n    key: X", 2, "commands: a has no command line: run is missing"),
        ("commands:\n  a:\n    run: ''", 3, "commands: a: run: the command is empty"),
        ("commands:\n  a:\n    run: [x]", 3, "commands: a: run must be a command line"),
        (
            "commands:\n  a:\n    run: x\n    rum: x", 4,
            "commands: a: unknown setting “rum”; the settings are run, title, key"
        ),
        (
            "commands:\n  a:\n    key: X\n    run: x {nope}", 4,
            "commands: a: run: unknown placeholder {nope}; the placeholders are {path}"
        ),
        ("commands:\n  a:\n    run: x | y", 3, "commands: a: run: | needs shell: true"),
        (
            "commands:\n  a:\n    shell: true\n    run: x '{row}'", 4,
            "commands: a: run: {row} is quoted already"
        ),
        (
            "commands:\n  a:\n    run: x\n    shell: 3", 4,
            "commands: a: shell must be true or false"
        ),
        (
            "commands:\n  a:\n    run: x\n    output: file", 4,
            "commands: a: output must be popup, terminal or none"
        ),
        (
            "commands:\n  a:\n    run: x\n    panes: [keys, kez]", 4,
            "commands: a: panes: unknown pane “kez”; the panes are keys, log, conflicts"
        ),
        (
            "commands:\n  a:\n    run: x\n    title: ''", 4,
            "commands: a: title must be a line of at"
        ),
        ("commands:\n  a:\n    run: x\n    key: X-X", 4, "commands: a: key: X-X is not a key name"),
        (
            "commands:\n  a:\n    run: x\n    key: j", 4,
            "commands: a: key: j is a key of “Next row” (down)"
        ),
        // A key that starts a sequence would never be reached, or make the sequence unreachable.
        (
            "commands:\n  a:\n    run: x\n    key: g\n    panes: keys", 4,
            "commands: a: key: g is a key of “First row (with a count: that row)” (first)"
        ),
        (
            "commands:\n  a:\n    run: x\n    key: X\n  b:\n    run: x\n    key: [V, X]\n    panes: log",
            7, "commands: b: key: X is a key of “a” (a)"
        ),
        (
            "commands:\n  a:\n    run: x\n    key: X\nkeys:\n  undo: X", 4,
            "commands: a: key: X is a key of “Undo last change” (undo)"
        ),
        ("commands:\n  a:\n    run: x\n  a:\n    run: y", 2, "invalid YAML: “a” occurs more than"),
        ("theme: dracula\n\tdevice: x", 2, "invalid YAML: "),
        ("- a\n- b", 1, "expected settings, each as name: value"),
    ])
    func everyMistakeIsReportedWithItsLine(_ yaml: String, _ line: Int, _ problem: String) throws {
        let settings = try read(yaml)
        #expect(settings.problems.count == 1, "\(settings.problems)")
        let text = try #require(settings.problems.first)
        #expect(
            text.hasPrefix("\(folder.path)/tideline/config.yaml:\(line): \(problem)"), "\(text)")
    }

    @Test func commandWithATakenKeyKeepsItsOtherKeys() throws {
        let settings = try read("commands:\n  a:\n    run: x\n    key: [j, X]")
        #expect(settings.problems.count == 1)
        #expect(settings.keymap.hint(for: "a") == "X" && settings.keymap.hint(for: "down") == "j")
    }

    @Test func commandCanTakeAKeyThatWasFreed() throws {
        let settings = try read("commands:\n  a:\n    run: x\n    key: Z\nkeys:\n  redo: []")
        #expect(settings.problems.isEmpty && settings.keymap.hint(for: "a") == "Z")
    }

    @Test func commandWithAMistakeIsNotDefined() throws {
        let settings = try read(
            "commands:\n  a:\n    run: x\n    output: y\n    key: X\n  b:\n    run: x")
        #expect(settings.keymap.commands.map(\.name) == ["b"])
        #expect(settings.keymap.hint(for: "a").isEmpty)
    }

    @Test func invalidConfiguredDeviceIsReported() throws {
        for yaml in ["theme: dracula\ndevice: a/b", "device: [a]", "device: ''", "- a", "a: [b"] {
            let settings = try read(yaml)
            #expect(settings.device == nil && settings.deviceProblem != nil, "\(yaml)")
            #expect(settings.deviceProblem.map(settings.problems.contains) == true, "\(yaml)")
        }
        for yaml in ["", "them: dark", "device: desk\nascii: x"] {
            #expect(try read(yaml).deviceProblem == nil, "\(yaml)")
        }
    }

    @Test func validSettingsApplyDespiteMistakes() throws {
        let settings = try read("theme: dracula\nkeys:\n  wrong: x\n  filter: F7\nlayout: 1")
        #expect(settings.theme == "dracula")
        #expect(settings.keymap.hint(for: "filter") == "F7")
        #expect(settings.problems.count == 2)
    }

    @Test func exampleIsValidWithAndWithoutCommentSigns() throws {
        #expect(try read(ConfigurationFile.example) == Configuration())
        let lines = ConfigurationFile.example.split(separator: "\n").filter {
            $0.hasPrefix("# ") && ($0.contains(": ") || $0.hasSuffix(":"))
                && !$0.contains(". ") && !$0.hasSuffix(".")
        }
        let settings = try read(lines.map { String($0.dropFirst(2)) }.joined(separator: "\n"))
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        #expect(settings.device == "desk" && settings.shares.count == 2)
    }

    @Test func missingConfigurationIsNotAnError() throws {
        let file = ConfigurationFile(environment: ["HOME": "/nowhere"])
        #expect(!file.exists && file.configuration() == Configuration())
        #expect(try read("").problems.isEmpty)
    }

    /// Settings on a disk that isn't mounted aren't missing settings. Otherwise a command would
    /// ignore their device and write as a new device.
    @Test func brokenLinkToTheSettingsIsAProblemOfTheDevice() throws {
        let files = FileManager.default
        for link in [".config", ".config/tideline", ".config/tideline/config.yaml"] {
            let home = try TemporaryFolder()
            let path = home.appending(link)
            try files.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(),
                withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: path, withDestinationPath: home.appending("unmounted"))
            let settings = ConfigurationFile(environment: ["HOME": home.path]).configuration()
            let problem = "\(path): a symbolic link to a missing file or folder"
            #expect(settings.problems == [problem])
            #expect(settings.deviceProblem == problem)
        }
    }

    /// Otherwise a command without `HOME`, for example in a service, would ignore the device of the
    /// settings and write as a new device.
    @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]])
    func settingsAreInTheHomeFolderOfTheAccountWithoutHome(_ environment: [String: String]) {
        let home = UserPath.home(environment)
        #expect(home.hasPrefix("/"))
        #expect(
            ConfigurationFile(environment: environment).path
                == home + "/.config/tideline/config.yaml")
        #expect(
            ThemeLibrary(environment: environment).folder == home + "/.config/tideline/themes")
        #expect(
            UserState(environment: environment).path == home + "/.local/state/tideline")
    }

    // MARK: On the screen

    private func stage(_ yaml: String = "", view: StoreView? = nil) async throws -> Stage {
        await Stage(
            try Sample.session(
                keys: try Sample.notes(), conflicts: try Sample.notes(),
                log: FakeSource("Log", [try Sample.entry("l", "1")])),
            columns: 100, rows: 40, configuration: try read(yaml), view: view)
    }

    @Test func columnsKeepTheirOrder() async throws {
        let stage = try await stage("columns:\n  keys: [value, key]")
        let titles = stage.lines[2]
        #expect(titles.contains("VALUE") && !titles.contains("AGE"))
        let value = try #require(titles.firstRange(of: "VALUE"))
        let key = try #require(titles.firstRange(of: "KEY"))
        #expect(value.lowerBound < key.lowerBound)
    }

    @Test func eventsListAllProblemsOfTheSettings() async throws {
        let stage = try await stage(
            "keys:\n  filter: q\ncolumns:\n  keys: [key, color]\nthem: dark\n")
        await stage.press("E", "_")
        #expect(stage.text.contains("settings: config.yaml:2: keys: filter: q"), "\(stage.text)")
        #expect(stage.text.contains("settings: config.yaml:4: columns: keys: unknown column"))
        #expect(stage.text.contains("settings: config.yaml:5: unknown setting “them”"))
    }

    @Test func panelsStartAtTheirConfiguredSize() async throws {
        func rows(_ stage: Stage) -> Int? { stage.model.layout.panels[.inspector]?.rows }
        let usual = try await stage()
        let stage = try await stage("layout:\n  inspector: 60")
        #expect(rows(stage) ?? 0 > rows(usual) ?? 0)
        let before = try #require(rows(stage))
        await stage.press("0", "M-Down")
        #expect(try #require(rows(stage)) < before)
        await stage.press("Esc", "M-Down", "M-Down")
        #expect(try #require(rows(stage)) > before)
        let none = try await self.stage("layout:\n  inspector: none")
        #expect(rows(none) == nil)
        await none.press("0")
        #expect(rows(none) != nil)
    }

    @Test func viewIsSavedAndRestored() async throws {
        let stage = try await stage()
        await stage.press("f")
        await stage.type("note/1")
        await stage.press("Enter", "o", "3", "j", "b", "3", "=", "q")
        let left = try #require(
            stage.effects.lazy.compactMap { effect in
                if case .keepView(let view) = effect { view } else { nil }
            }.first)
        #expect(left.pane == "conflicts" || left.pane == "keys/conflicts")
        #expect(left.lists["keys"]?.filter == "note/1" && left.lists["keys"]?.sort == "key")
        #expect(left.alerts.count == 1 && left.shares.count == 1)

        let again = try await self.stage(view: left)
        #expect(again.model.pane?.id.name == "conflicts")
        await again.press("1")
        #expect(again.model.list?.query.filter == "note/1")
        #expect(again.model.list?.query.sort == .init(column: "key", isDescending: true))
        #expect(again.model.watching.alerts == stage.model.watching.alerts)
        #expect(again.model.panels.shares == stage.model.panels.shares)
        // An unchanged view is not saved again.
        await again.press("3", "q")
        #expect(!again.effects.contains { if case .keepView = $0 { true } else { false } })
    }

    /// A document's own panes exist only after it is opened.
    @Test func missingPaneFallsBackToItsModel() async throws {
        var view = StoreView()
        view.pane = "entities/gone"
        let session = FakeSession(
            panes: [Pane(.keys, try Sample.notes()), Pane(.entities, try Sample.notes())],
            status: SessionStatus(phase: .live, ownDevice: try Sample.device("here")))
        let stage = await Stage(session, view: view)
        #expect(stage.model.pane?.id == .entities)
    }

    @Test func invalidSavedFilterShowsAllRows() async throws {
        var view = StoreView()
        var list = StoreView.List()
        list.filter = "gone:1"
        list.sort = "gone"
        view.lists["keys"] = list
        let stage = try await stage(view: view)
        #expect(stage.model.list?.rows.count == 4)
        #expect(stage.text.contains("dropped the filter from the last run: unknown field “gone”"))
    }
}
