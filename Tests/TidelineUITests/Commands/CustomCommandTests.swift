import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// Custom commands on the screen: keys, menus, values, output, canceling.
@Suite struct CustomCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ yaml: String) throws -> Configuration {
        let settings = try Configuration.reading(yaml, in: folder)
        #expect(settings.problems.isEmpty, "\(settings.problems)")
        return settings
    }

    /// A stage with the command `mine` on the key `X`.
    private func stage(
        _ run: String, _ settings: String = "", keys: FakeSource? = nil, pane: String? = nil
    ) async throws -> Stage {
        let keys = try keys ?? Sample.notes()
        let lines = [
            "commands:", "  mine:", "    title: My command", "    key: X", "    run: \(run)",
        ]
        let more = settings.split(separator: "\n").map { "    \($0)" }
        return await Stage(
            try Sample.session(keys: keys, log: FakeSource("Log", [try Sample.entry("l", "1")])),
            pane: pane, configuration: try read((lines + more).joined(separator: "\n")))
    }

    private var escape: Message { .input(.key(Key(.escape))) }

    private func press(_ key: Character, _ model: inout Model) -> [Effect] {
        update(&model, .input(.key(.character(key))))
    }

    private func header(_ model: Model) -> String {
        render(model, theme: .bare, size: model.panels.size).lines[0]
    }

    /// The program that the model wants to run, once it knows the values of the row.
    private func program(_ model: inout Model, forms: [CopyForm]) -> [String]? {
        let effects = press("X", &model)
        for effect in effects {
            guard case .copyForms(let id, _, _, _, _) = effect else { continue }
            let next = update(&model, .copyForms(id, .success(forms)))
            return next.lazy.compactMap {
                if case .runProgram(id, let arguments) = $0 { arguments } else { nil }
            }.first
        }
        return nil
    }

    // MARK: Values

    @Test func placeholdersDescribeTheSelectedRow() async throws {
        let stage = try await stage("tool {path} {pane} {row} {value} {device}")
        await stage.press("j")
        let path = stage.model.session.path
        var model = stage.model
        let forms = [CopyForm("value", "whole\nvalue"), CopyForm("key", "note/1/title")]
        #expect(
            program(&model, forms: forms)
                == ["tool", path, "keys", "note/1/title", "whole\nvalue", "mac"])
    }

    @Test func rowOfTheLogIsNamedByItsKey() async throws {
        let stage = try await stage("tool {row} {pane}", pane: "log")
        var model = stage.model
        #expect(program(&model, forms: [CopyForm("key", "note/9")]) == ["tool", "note/9", "log"])
    }

    @Test func rowWithoutASingleValueProvidesJSON() async throws {
        let stage = try await stage("tool {value}")
        var model = stage.model
        let forms = [CopyForm("key", "1"), CopyForm("JSON", "{\"a\":1}")]
        #expect(program(&model, forms: forms) == ["tool", "{\"a\":1}"])
    }

    @Test func missingValueStopsTheCommandWithAReason() async throws {
        let stage = try await stage("tool {value}")
        var model = stage.model
        #expect(program(&model, forms: [CopyForm("key", "1")]) == nil)
        #expect(model.notice?.text.contains("no value") == true)
        #expect(model.commands.running == nil)
        // An empty value is a value.
        #expect(program(&model, forms: [CopyForm("value", "")]) == ["tool", ""])
    }

    @Test(arguments: [
        ("tool {row}", true), ("tool {value}", true), ("tool {device}", true),
        ("tool {path}", false),
    ])
    func commandNeedsARowOnlyForItsPlaceholders(_ run: String, _ needsRow: Bool) async throws {
        let stage = try await stage(run, keys: FakeSource("Keys"))
        var model = stage.model
        let effects = press("X", &model)
        #expect(effects.contains { if case .runProgram = $0 { true } else { false } } != needsRow)
        if needsRow { #expect(model.notice?.text.contains("no row") == true) }
    }

    @Test(arguments: [
        ("blobs", "a blob is a file"), ("documents", "a document has many values"),
    ])
    func rowsThatAreNotValuesStopTheCommandWithAReason(
        _ pane: String, _ reason: String
    ) async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let settings = try read("commands:\n  mine:\n    run: tool {value}\n    key: X")
        let stage = await Stage(session, pane: pane, configuration: settings)
        #expect(stage.model.pane?.id.name == pane && stage.model.list?.selectedRow != nil)
        await stage.press("X")
        let notice = try #require(stage.model.notice)
        #expect(notice.text.contains("{value} isn't possible here: \(reason)"), "\(notice.text)")
        await session.close()
    }

    /// Large values aren't read if the command doesn't use them.
    @Test func valuesAreReadOnlyIfTheCommandUsesThem() async throws {
        let stage = try await stage("tool {device}")
        var model = stage.model
        let effects = press("X", &model)
        #expect(effects.contains { if case .runProgram = $0 { true } else { false } })
        #expect(!effects.contains { if case .copyForms = $0 { true } else { false } })
    }

    @Test func unknownDeviceStopsTheCommandWithAReason() async throws {
        let stage = try await stage("tool {device}")
        var model = stage.model
        _ = model.navigation.withList { $0.rows[0].device = nil }
        _ = press("X", &model)
        #expect(model.notice?.text.contains("device") == true)
        #expect(model.commands.running == nil)
    }

    @Test func valueThatCannotBeAnArgumentIsRefused() async throws {
        let stage = try await stage("tool {value}")
        var model = stage.model
        #expect(program(&model, forms: [CopyForm("value", "a\0b")]) == nil)
        #expect(model.notice?.text.contains("null character") == true)
        let long = String(repeating: "a", count: 131_072)
        #expect(program(&model, forms: [CopyForm("value", long)]) == nil)
        let notice = try #require(model.notice?.text)
        #expect(notice.contains("131,072 bytes") && notice.contains("131,071"))
    }

    // MARK: Places

    @Test func commandIsInTheMenuThePaletteAndTheHelp() async throws {
        let stage = try await stage("echo hello")
        await stage.press("x")
        #expect(stage.lines.contains { $0.contains(/My command +X/) })
        await stage.press("Esc", ":")
        await stage.type("my com")
        #expect(stage.lines.contains { $0.contains("mine") && $0.contains("My command") })
        await stage.press("Enter")
        #expect(stage.text.contains("hello"))
        await stage.press("Esc", "?", "/")
        await stage.type("my command")
        #expect(stage.text.contains("Custom commands"))
        #expect(stage.lines.contains { $0.contains("  X ") && $0.contains("My command") })
    }

    @Test func commandWithoutKeyIsInTheHelpByName() async throws {
        let settings = try read("commands:\n  mine:\n    run: echo")
        let stage = await Stage(
            try Sample.session(keys: try Sample.notes()), configuration: settings)
        #expect(
            stage.model.helpLines(filter: "mine").contains(
                .keys(":mine", title: "mine", reason: nil)))
    }

    @Test func commandAppliesOnlyInItsPanes() async throws {
        let stage = try await stage("echo hello", "panes: log")
        await stage.press("X")
        #expect(stage.model.notice?.text.hasPrefix("X has no function") == true)
        await stage.press("x")
        #expect(!stage.text.contains("My command"))
        await stage.press("Esc", ":")
        await stage.type("mine")
        #expect(stage.text.contains("(works only in log)"))
        await stage.press("Esc", "]", "X")
        #expect(stage.text.contains("hello"))
    }

    @Test func panesCanShareAKey() async throws {
        let settings = try read(
            """
            commands:
              one: {run: echo in-keys, key: X, panes: [keys]}
              two: {run: echo in-log, key: X, panes: [log, events]}
            """)
        let stage = await Stage(
            try Sample.session(
                keys: try Sample.notes(), log: FakeSource("Log", [try Sample.entry("l", "1")])),
            configuration: settings)
        await stage.press("X")
        #expect(stage.text.contains("in-keys"))
        await stage.press("Esc", "]", "X")
        #expect(stage.text.contains("in-log"))
        await stage.press("Esc", "[", "E", "X")
        #expect(stage.text.contains("in-log"))
    }

    // MARK: Output

    @Test func popupShowsTheOutputAndTheExitCode() async throws {
        let stage = try await stage("sh -c 'seq 100; exit 3'")
        await stage.press("X")
        #expect(stage.model.overlay?.module is CommandOutput)
        #expect(stage.text.contains("│ 1 ") && stage.text.contains("! exited with 3"))
        #expect(stage.model.notice == Notice(.error, "My command: exited with 3"))
        await stage.press("G")
        #expect(stage.text.contains("│ 100 ") && !stage.text.contains("│ 1 "))
        await stage.press("y")
        let copied = (1...100).map { "\($0)\n" }.joined()
        #expect(stage.requests.last == .copy(copied, name: "output"))
        await stage.press("q")
        #expect(stage.model.overlay == nil)
    }

    @Test func hostileOutputIsVisibleAndTabsAreAligned() async throws {
        let stage = try await stage(#"printf '\033[1ma\033\tb\r\nabc\td'"#)
        await stage.press("X")
        let lines = stage.lines
        let escape = try #require(lines.first { $0.contains("│ a␛") })
        #expect(!escape.unicodeScalars.contains("\u{1B}"))
        #expect(lines.contains { $0.contains("abc     d") })
    }

    @Test func longLinesAreWrappedForEachSize() async throws {
        let word = String(repeating: "x", count: 150)
        let stage = try await stage("echo \(word)")
        await stage.press("X")
        func count() -> Int { stage.text.count { $0 == "x" } }
        #expect(count() == 150)
        await stage.send(.input(.resize(columns: 40, rows: 24)))
        #expect(count() == 150)
    }

    @Test func missingCommandOutputIsReported() async throws {
        let stage = try await stage("true")
        await stage.press("X")
        #expect(stage.model.overlay == nil)
        #expect(stage.model.notice == Notice(.done, "My command: done, without output"))
    }

    @Test func quietCommandShowsSuccessOrItsLastLine() async throws {
        let good = try await stage("echo hello", "output: none")
        await good.press("X")
        #expect(good.model.overlay == nil)
        #expect(good.model.notice == Notice(.done, "My command: done"))
        let bad = try await stage("sh -c 'echo one; echo two >&2; echo; exit 2'", "output: none")
        await bad.press("X")
        #expect(bad.model.notice == Notice(.error, "My command: exited with 2: two"))
    }

    @Test func missingProgramIsReported() async throws {
        let stage = try await stage("tideline-no-such-program")
        await stage.press("X")
        #expect(
            stage.model.notice
                == Notice(
                    .error,
                    "My command: tideline-no-such-program: it can't be started: No such file or "
                        + "directory"))
        #expect(stage.model.commands.running == nil)
    }

    @Test func commandThatPrintsTooMuchIsReported() async throws {
        let stage = try await stage("yes")
        await stage.press("X")
        #expect(stage.model.notice?.kind == .error)
        #expect(stage.model.notice?.text.contains("64.0 MB") == true)
        #expect(stage.text.contains("! stopped: "))
    }

    @Test func programControlsTheTerminal() async throws {
        let stage = try await stage("less {path}", "output: terminal")
        await stage.press("X")
        guard case .run(let id, let arguments)? = stage.requests.last else {
            Issue.record("\(stage.requests)")
            return
        }
        #expect(arguments == ["less", stage.model.session.path])
        await stage.send(.ran(id, .success(CommandResult(code: 130))))
        #expect(stage.model.notice == Notice(.error, "My command: exited with 130"))
        #expect(stage.model.commands.running == nil)
    }

    @Test func storeIsReadAgainAfterward() async throws {
        let stage = try await stage("true", "output: none\nreload: true")
        let version = stage.model.session.version
        await stage.press("X")
        #expect(stage.effects.contains(.reload(after: Notice(.done, "My command: done"))))
        #expect(stage.model.session.version > version)
    }

    @Test func reloadKeepsTheResultOfTheCommand() async throws {
        let session = try Sample.session(keys: try Sample.notes())
        let (notices, sent) = AsyncStream<Notice>.makeStream()
        let interpreter = EffectInterpreter(session: session) {
            if case .notice(let notice) = $0 { sent.yield(notice) }
        }
        var next = notices.makeAsyncIterator()
        _ = interpreter.run([.reload(after: Notice(.error, "exited with 1"))])
        #expect(await next.next() == Notice(.error, "exited with 1; reloaded"))
        session.reloadFailure = CoreError(.badData, "damaged")
        _ = interpreter.run([.reload(after: Notice(.done, "done"))])
        #expect(await next.next() == Notice(.error, "done; reload incomplete: damaged"))
        interpreter.stop()
    }

    // MARK: While it runs

    @Test func screenStaysUsableWhileACommandRuns() async throws {
        let stage = try await stage("tool")
        var model = stage.model
        let effects = press("X", &model)
        guard case .runProgram(let id, ["tool"])? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(model.notice?.text == "My command: running … (Esc: cancel)")
        #expect(header(model).contains("RUN My command (Esc: cancel)"))
        _ = press("j", &model)
        #expect(model.list?.cursor == 1)
        _ = press("X", &model)
        #expect(model.notice?.text.contains("is still running") == true)
        // The output doesn't replace a dialog.
        _ = press("?", &model)
        _ = update(&model, .ran(id, .success(CommandResult(code: 0, output: "hello"))))
        #expect(model.overlay?.module is Help)
        #expect(model.notice?.text.hasPrefix("My command: done") == true)
        #expect(!header(model).contains("RUN"))
        _ = update(&model, escape)
        #expect(model.overlay?.module is CommandOutput)
        #expect(
            render(model, theme: .bare, size: model.panels.size).lines.joined().contains("hello"))
    }

    @Test func escapeCancelsTheCommand() async throws {
        let stage = try await stage("tool")
        var model = stage.model
        guard case .runProgram(let id, _)? = press("X", &model).first else {
            Issue.record("\(String(describing: model.notice))")
            return
        }
        #expect(update(&model, escape).contains(.cancel(id)))
        #expect(model.notice?.text == "My command: canceled")
        _ = update(&model, .ran(id, .success(CommandResult(code: 143, output: "late"))))
        #expect(model.notice?.text == "My command: canceled" && model.overlay == nil)
    }

    @Test func quittingAsksWhileACommandRuns() async throws {
        let stage = try await stage("tool")
        var model = stage.model
        _ = press("X", &model)
        _ = press("q", &model)
        guard let leaving = model.overlay?.module as? QuitDialog else {
            Issue.record("\(String(describing: model.overlay))")
            return
        }
        #expect(leaving.reason == "“My command” is still running")
        // The question is pointless once the command has ended.
        guard let id = model.commands.running?.id else {
            Issue.record("no command is running")
            return
        }
        _ = update(&model, .ran(id, .success(CommandResult(code: 0, output: "hello"))))
        #expect(model.overlay?.module is CommandOutput)
    }
}
