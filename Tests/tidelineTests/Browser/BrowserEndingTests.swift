import Foundation
import Glibc
import TestSupport
import Testing

/// The browser restores the terminal however it starts and ends.
@Suite struct BrowserEndingTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    @Test(arguments: [("q", Int32(0), Int32(0)), ("\u{03}", 0, 0), ("", SIGTERM, -SIGTERM)])
    func terminalIsRestored(_ key: String, _ signal: Int32, _ end: Int32) throws {
        let before = try PseudoTerminal.untouched()
        try stage.open()
        let terminal = try stage.terminal
        #expect(terminal.attributes != before)
        if signal != 0 { kill(terminal.process, signal) }
        terminal.type(key)
        #expect(try terminal.end() == end)
        #expect(terminal.traces(since: before) == [])
    }

    @Test func quittingWithTypedTextAsksFirst() throws {
        try stage.open("-w")
        try stage.press("i and more", sees: "and more")
        try stage.press("\u{03}", sees: "the typed value isn't written yet")
        try stage.press("n", sees: "Enter: preview", not: "the typed value isn't written yet")
        try stage.press("\u{03}", sees: "the typed value isn't written yet")
        try stage.terminal.type("y")
        #expect(try stage.terminal.end() == 0)
        #expect(
            try stage.tideline("kv", "get", stage.store, "alpha").output == "first of all\n")
    }

    @Test func stoppedBrowserRedrawsWhenContinued() throws {
        let shell = try PseudoTerminal.shell(
            environment: stage.terminalEnvironment([
                "TIDELINE": Programs.built("tideline"), "STORE": stage.store,
            ]))
        let before = shell.attributes
        shell.type("$TIDELINE \"$STORE\"\n")
        try shell.wait(forText: " 1/7")
        shell.type("j")
        try shell.wait(forText: " 2/7")
        shell.type("\u{1A}")
        try shell.waitForPrompt()
        #expect(shell.traces(since: before) == [])
        // Changes made in the meantime are shown on return.
        try stage.tideline("kv", "set", stage.store, "aardvark", "from afar", device: "tablet")
        shell.type("fg\n")
        try shell.wait(for: "the browser") {
            $0.isAlternate && $0.shows("aardvark") && $0.shows(" 3/8")
                && $0.modes == [1000, 1002, 1006, 2004]
        }
        shell.type("q")
        try shell.waitForPrompt()
        #expect(shell.traces(since: before) == [])
        shell.type("exit\n")
        _ = try shell.end()
        withExtendedLifetime(stage) {}
    }

    @Test(arguments: [
        ("no-such.store", Int32(66)), ("text", 65), ("empty", 65),
    ])
    func failureToOpenLeavesTerminalUntouched(_ name: String, _ status: Int32) throws {
        let before = try PseudoTerminal.untouched()
        try Data("no store".utf8).write(to: URL(filePath: stage.folder.appending("text")))
        try Data().write(to: URL(filePath: stage.folder.appending("empty")))
        try stage.start(path: stage.folder.appending(name))
        let terminal = try stage.terminal
        #expect(try terminal.end() == status)
        #expect(!terminal.output.contains(0x1B))
        #expect(terminal.screen.lines[0].hasPrefix("tideline: "))
        #expect(terminal.traces(since: before) == [])
    }

    @Test func disappearingPackageIsReported() throws {
        try stage.open()
        try FileManager.default.moveItem(
            atPath: stage.store, toPath: stage.folder.appending("Elsewhere.store"))
        try stage.sees("MISSING", "\"first of all\"")
        // When the package is back, the browser continues.
        try FileManager.default.moveItem(
            atPath: stage.folder.appending("Elsewhere.store"), toPath: stage.store)
        try stage.press("R", sees: "\"first of all\"")
        try stage.quit()
    }

    @Test func damagedLogIsNamedAndRepaired() throws {
        let log = "\(stage.store)/Devices/phone/Logs.db"
        let whole = try Data(contentsOf: URL(filePath: log))
        try stage.open()
        try whole.prefix(whole.count / 2).write(to: URL(filePath: log))
        try stage.sees("!1", "\"a game\"", "\"first of all\"")
        try stage.press("7", sees: "BEHIND")
        try stage.sees("the device") { screen in
            screen.lines.contains {
                $0.contains("phone") && ($0.contains("incomplete") || $0.contains("unreadable"))
            }
        }
        try whole.write(to: URL(filePath: log))
        try stage.sees("LIVE", "BEHIND", not: "!1")
        try stage.quit()
    }
}
