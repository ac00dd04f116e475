import Foundation
import GRDB
import Glibc
import TestSupport
import Testing

/// The configuration, and the view state that is kept between runs of the program.
@Suite struct BrowserConfigTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    private func write(_ yaml: String) throws {
        let folder = stage.folder.appending("config/tideline")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
    }

    private var environment: [String: String] {
        ["XDG_CONFIG_HOME": stage.folder.appending("config")]
    }

    private func config(_ arguments: String...) throws -> ProgramResult {
        var all = stage.terminalEnvironment()
        all.merge(environment) { $1 }
        return try ProgramResult.running("tideline", ["config"] + arguments, environment: all)
    }

    @Test func screenReportsConfigurationErrorsAndUsesTheRest() throws {
        try write("keys:\n  down: [X]\nthem: dark\ncolumns:\n  keys: [key, age]\n")
        try stage.start(environment: environment)
        try stage.sees("config.yaml:3: unknown setting “them”", "AGE", not: "VALUE")
        try stage.press("X", sees: " 2/7")
        try stage.quit()
    }

    @Test func screenAndCommandReportTheSameMistakes() throws {
        try write("keys:\n  filter: q\ncolumns:\n  keys: [key, val]\n")
        let command = try config()
        #expect(command.status == 65)
        #expect(command.errors.contains("config.yaml:2: keys: filter: q "))
        #expect(command.errors.contains("config.yaml:4: columns: keys: unknown column “val”"))
        try stage.start(environment: environment)
        try stage.sees("config.yaml:2: keys: filter: q ")
        try stage.press("E", sees: "config.yaml:4: columns: keys: unknown")
        try stage.press("\u{3}")
        #expect(try stage.terminal.end() == 0)
    }

    @Test func mistakesAreListedInOrderOfLines() throws {
        try write(
            """
            commands:
              a b: {run: x}
            keys:
              filter: q
              wrong: x
            theme: none
            """)
        let command = try config()
        #expect(command.status == 65)
        let lines = command.errors.split(separator: "\n").map(String.init)
        let place = "tideline: \(stage.folder.path)/config/tideline/config.yaml:"
        #expect(lines.map { $0.hasPrefix(place) } == [true, true, true, true])
        #expect(lines.map { $0.dropFirst(place.count).prefix(1) } == ["2", "4", "5", "6"])
        #expect(command.errors.contains("“none”") && !command.errors.contains("\""))
    }

    @Test func configurationErrorsAreReportedOncePerRun() throws {
        try write("them: dark\n")
        let other = stage.folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        try stage.start(environment: environment)
        try stage.sees("config.yaml:1: unknown setting “them”")
        try stage.press(":open \(other)\r", sees: "2/2 ", " 1/7", not: "them")
        try stage.quit()
    }

    @Test func commandLocatesConfigurationErrors() throws {
        let none = try config()
        #expect(none.status == 0 && none.output.contains("(missing; --example prints an example)"))
        try write("them: dark\nascii: x\n")
        let wrong = try config()
        #expect(wrong.status == 65)
        #expect(wrong.output.contains("settings  \(stage.folder.path)/config/tideline/config.yaml"))
        #expect(wrong.errors.contains("config.yaml:1: unknown setting"))
        #expect(wrong.errors.contains("config.yaml:2: ascii "))
        let json = try config("--json").output
        #expect(json.contains("\"exists\":true") && json.contains("config.yaml:1"))
        let example = try config("--example").output
        #expect(example.hasSuffix("read the store's files again afterward\n"))
        try write(example)
        #expect(try config().status == 0)
    }

    @Test func configuredDeviceWrites() throws {
        try write("device: tablet\n")
        var all = stage.terminalEnvironment()
        all.merge(environment) { $1 }
        all["TIDELINE_DEVICE"] = nil
        let result = try ProgramResult.running(
            "tideline", ["kv", "set", stage.store, "india", "1"], environment: all)
        #expect(result.status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(stage.store)/Devices/tablet"))
    }

    @Test func invalidConfiguredDeviceWritesNothing() throws {
        try write("theme: tide-dark\ndevice: a/b\n")
        var all = stage.terminalEnvironment()
        all.merge(environment) { $1 }
        all["TIDELINE_DEVICE"] = nil
        let arguments = ["kv", "set", stage.store, "india", "1"]
        let wrong = try ProgramResult.running("tideline", arguments, environment: all)
        #expect(wrong.status == 65)
        #expect(wrong.errors.contains("config.yaml:2: device: “a/b” "))
        #expect(wrong.errors.contains("--device"))
        // A device named on the command line overrides the configured one.
        let named = try ProgramResult.running(
            "tideline", arguments + ["--device", "tablet", "--new-device"], environment: all)
        #expect(named.status == 0)
        let read = try ProgramResult.running(
            "tideline", ["kv", "get", stage.store, "india"], environment: all)
        #expect(read.status == 0)
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func viewIsRestoredAfterASignal(_ signal: Int32) throws {
        try stage.open()
        try stage.press("fnn\r", sees: " 1/2")
        kill(try stage.terminal.process, signal)
        _ = try stage.terminal.end()
        try stage.start()
        try stage.sees("LIVE", " 1/2")
        try stage.quit()
    }

    @Test(arguments: [("i and more", "and more"), ("i and more\r", "Write?")])
    func typedTextIsKeptAfterASignal(_ keys: String, _ shown: String) throws {
        try stage.open("-w")
        try stage.press(keys, sees: shown)
        kill(try stage.terminal.process, SIGTERM)
        _ = try stage.terminal.end()
        #expect(try stage.screen.shows("the text that you were editing is in "))
        let folder = stage.folder.appending("state/tideline/texts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count == 1)
        let path = "\(folder)/\(names.first ?? "")"
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == "first of all and more")
        try stage.start()
        try stage.sees("LIVE", "the text that you were editing was not written")
        try stage.quit()
        try stage.open()
        #expect(try !stage.screen.shows("the text that you were editing"))
        try stage.quit()
    }

    @Test func textThatCannotBeSavedIsKeptAfterASignal() throws {
        try stage.open("-w")
        try stage.press("i and more\r", sees: "Write?")
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let queue = try DatabaseQueue(
            path: "\(stage.store)/Devices/desk/Logs.db", configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        try stage.press("y", sees: "UNSAVED 1", not: "Write?")
        kill(try stage.terminal.process, SIGTERM)
        #expect(try stage.terminal.end() == 74)
        #expect(try stage.screen.shows("the text that isn't saved is in "))
        try queue.close()
        try stage.start()
        try stage.sees("LIVE", "the text that you were editing was not written")
        try stage.quit()
    }

    @Test func closedTerminalThatSendsSeveralSignalsSavesTheView() throws {
        try stage.open()
        try stage.press("fnn\r", sees: " 1/2")
        let terminal = try stage.terminal
        terminal.hangUp()
        for _ in 0..<20 { kill(terminal.process, SIGHUP) }
        #expect([-SIGHUP, 128 + SIGHUP].contains(try terminal.end()))
        try stage.start()
        try stage.sees("LIVE", " 1/2")
        try stage.quit()
    }

    @Test func storeViewIsRestored() throws {
        try stage.open(columns: 120, rows: 40)
        try stage.press("fnn\r", sees: " 1/2")
        try stage.press("2", sees: "TIME ")
        try stage.quit()
        try stage.start(columns: 120, rows: 40)
        try stage.sees("TIME ", "LIVE")
        try stage.press("1", sees: " 1/2", "nn")
        try stage.press("\u{1B}", sees: "/7")
        try stage.press("q")
        #expect(try stage.terminal.end() == 0)
        try stage.open()
        try stage.quit()
    }
}
