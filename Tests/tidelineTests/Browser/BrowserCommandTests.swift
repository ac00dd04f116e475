import Foundation
import Glibc
import TestSupport
import Testing

/// Custom commands in the real program on a terminal.
@Suite struct BrowserCommandTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    /// Writes settings with a command on the key `X`.
    private func configure(_ settings: [String]) throws {
        let folder = stage.folder.appending("config/tideline")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let lines = ["commands:", "  mine:", "    title: My command", "    key: X"]
        let yaml = (lines + settings.map { "    \($0)" }).joined(separator: "\n")
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
    }

    /// Starts the browser with a command on the key `X`.
    private func start(_ settings: String...) throws {
        try configure(settings)
        try stage.open()
    }

    @Test func programReceivesTheValueUnchanged() throws {
        let value = "$(touch made); 'a' \"b\" -- *"
        try stage.tideline("kv", "set", stage.store, "alpha", value)
        for settings in [[], ["shell: true"]] {
            try start("run: printf '%s|' {row} {device} {value}", settings.joined())
            try stage.press("X", sees: "alpha|desk|\(value)|", "My command: done")
            try stage.press("q", not: "alpha|")
            try stage.quit()
        }
    }

    @Test func programGetsTheTerminalAndAnyKeyReturns() throws {
        try start(
            "run: sh -c 'echo ready; read line; echo got $line; exit 4'", "output: terminal")
        try stage.press("X", sees: "ready", not: "LIVE")
        try stage.press("text\r", sees: "got text", "[exited with 4] Press any key to return")
        try stage.press("j", sees: "My command: exited with 4", "LIVE")
        // The key that returned had no other effect.
        try stage.press("j", sees: " 2/7")
        try stage.quit()
    }

    @Test func anyKeyReturnsAfterAStop() throws {
        try configure(["run: echo ready", "output: terminal"])
        let shell = try PseudoTerminal.shell(
            environment: stage.terminalEnvironment([
                "TIDELINE": Programs.built("tideline"), "STORE": stage.store,
            ]))
        func waitForPrompts(_ count: Int) throws {
            try shell.wait(for: "the prompt") { screen in
                screen.lines.count { $0.contains("Press any key to return") } == count
            }
        }
        shell.type("$TIDELINE \"$STORE\"\n")
        try shell.wait(forText: " 1/7")
        shell.type("X")
        try waitForPrompts(1)
        shell.type("\u{1A}")
        try shell.wait(forText: "Stopped")
        shell.type("stty sane; fg\n")
        try waitForPrompts(2)
        shell.type("j")
        try shell.wait(forText: "My command: done")
        shell.type("q")
        try shell.wait(for: "the end of the browser") { !$0.isAlternate }
        shell.type("exit\n")
        _ = try shell.end()
        withExtendedLifetime(stage) {}
    }

    @Test(arguments: ["popup", "terminal", "none"])
    func missingProgramIsReportedInTheSameWords(_ output: String) throws {
        try start("run: no-such-tool {row}", "output: \(output)")
        try stage.press("X", sees: "My command: no-such-tool: it can't be started: No such file")
        try stage.quit()
    }

    /// The program ignores the request to end, and holds a named pipe open.
    @Test func quittingEndsTheRunningProgram() throws {
        let path = stage.folder.appending("running")
        #expect(mkfifo(path, 0o600) == 0)
        try start(
            "run: trap '' TERM; exec 9> \(path); sleep 100; sleep 100", "shell: true",
            "output: none")
        try stage.press("X", sees: "RUN My command (Esc: cancel)")
        let running = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(running) }
        try stage.press("q", sees: "“My command” is still running")
        try stage.terminal.type("y")
        #expect(try stage.terminal.end() == 0)
        var byte: UInt8 = 0
        #expect(read(running, &byte, 1) == 0)
    }

    /// The program holds a named pipe open, whose end shows that of the program.
    @Test func escapeEndsTheRunningProgram() throws {
        let path = stage.folder.appending("running")
        #expect(mkfifo(path, 0o600) == 0)
        try start("run: exec sleep 100 > \(path)", "shell: true", "output: none")
        try stage.press("X", sees: "RUN My command (Esc: cancel)")
        let running = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(running) }
        try stage.press("j", sees: " 2/7")
        try stage.press("\u{1B}", sees: "My command: canceled", not: "RUN")
        var byte: UInt8 = 0
        #expect(read(running, &byte, 1) == 0)
        try stage.quit()
    }

    @Test func writesOfAProgramAreShown() throws {
        let tideline = Programs.built("tideline")
        try start(
            "run: \(tideline) kv set {path} alpha written-by-{pane} --device phone", "output: none",
            "reload: true")
        try stage.press("X", sees: "My command: done; reloaded", "written-by-keys")
        try stage.quit()
    }
}
