import Foundation
import TestSupport
import Testing

/// Program start with different terminals, locales and sizes.
@Suite(.serialized) struct TerminalStartTests {
    private func start(
        _ environment: [String: String], _ arguments: [String] = [], columns: Int = 80,
        rows: Int = 24
    ) throws -> PseudoTerminal {
        var all = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        all.merge(environment) { $1 }
        return try PseudoTerminal(
            Programs.built("TerminalFixture"), arguments, environment: all, columns: columns,
            rows: rows)
    }

    @Test(arguments: [
        ("dumb", "can't show the screen"), ("no-such-terminal", "unknown terminal type"),
        ("", "not set"),
    ])
    func incapableTerminalIsRefusedCleanly(_ type: String, _ reason: String) throws {
        let terminal = try start(["TERM": type])
        #expect(try terminal.end() == 64)
        let text = terminal.screen.lines.joined()
        #expect(text.contains(reason), "\(text)")
        #expect(!terminal.output.contains(0x1B))
    }

    @Test func hostileTerminalTypeIsEscapedInTheError() throws {
        let terminal = try start(["TERM": "x\u{1B}]0;title\u{07}"])
        #expect(try terminal.end() == 64)
        #expect(!terminal.output.contains(0x1B))
    }

    @Test func missingTerminalIsAnError() throws {
        // A new session has no /dev/tty either.
        let program = try RunningProgram(
            executable: Programs.installed("setsid") ?? "/usr/bin/setsid",
            ["--wait", Programs.built("TerminalFixture")], environment: ["TERM": "xterm"],
            output: .null, errors: .pipe)
        let message = try program.communicate().errors
        #expect(try program.wait() == .exit(64))
        #expect(message.contains("no terminal"))
    }

    @Test(arguments: [
        ["TERM": "vt100"], ["TERM": "xterm-256color", "LANG": "C"],
        ["TERM": "xterm-256color", "LC_ALL": "no_SUCH.locale"],
        ["TERM": "xterm-256color", "NO_COLOR": "1"], ["TERM": "linux"], ["TERM": "screen"],
        ["TERM": "ansi"], ["TERM": "xterm-256color", "COLORTERM": "truecolor"],
    ])
    func anyTerminalAndLocaleIsSupported(_ environment: [String: String]) throws {
        let terminal = try start(environment)
        try terminal.wait(forText: "ready")
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    @Test(arguments: [["NO_COLOR": "1", "TERM": "xterm-256color"], ["TERM": "vt100"]])
    func noColorIsWrittenWithoutColorSupport(_ environment: [String: String]) throws {
        let terminal = try start(environment)
        try terminal.wait(forText: "ready")
        terminal.type("q")
        _ = try terminal.end()
        let output = String(decoding: terminal.output, as: UTF8.self)
        #expect(!output.contains("38;5;") && !output.contains(/\[[0-9;]*3[0-7]m/))
    }

    @Test func framesAreASCIIOnRequest() throws {
        let terminal = try start(["TERM": "xterm-256color", "LANG": "C.UTF-8"], ["--ascii"])
        try terminal.wait(forText: "ready")
        #expect(terminal.screen.lines[0].hasPrefix("+tide-dark true-"))
        #expect(terminal.output.allSatisfy { $0 < 0x80 })
        terminal.type("q")
        _ = try terminal.end()
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 3), (5, 2), (1000, 3)])
    func anySizeIsSupported(_ columns: Int, _ rows: Int) throws {
        let terminal = try start(["TERM": "xterm-256color"], columns: columns, rows: rows)
        try terminal.wait(for: "the screen") { $0.isAlternate }
        terminal.setSize(columns: 80, rows: 24)
        try terminal.wait(forText: "size 80x24")
        terminal.setSize(columns: columns, rows: rows)
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    @Test func absurdWindowSizeIsDrawnInPart() throws {
        let terminal = try start(["TERM": "xterm-256color"])
        try terminal.wait(forText: "ready")
        terminal.setSize(columns: 3000, rows: 700)
        try terminal.wait(forText: "size 1024x512")
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    @Test(arguments: [
        ("rgb:ffff/ffff/ffff", "tide-light"), ("rgb:0000/0000/0000", "tide-dark"),
        ("rgb:f/f/e", "tide-light"), ("nonsense", "tide-dark"),
    ])
    func backgroundDecidesTheTheme(_ answer: String, _ theme: String) throws {
        let terminal = try start(["TERM": "xterm-256color"])
        terminal.answerBackground(answer)
        try terminal.wait(forText: "ready")
        terminal.type("b")
        try terminal.wait(forText: "\"b\"")
        // On a busy machine a late answer arrives as an event instead.
        let late = "background \(theme.dropFirst(5))"
        #expect(
            terminal.screen.lines[0].contains(theme)
                || terminal.screen.lines.contains { $0.contains(late) })
        #expect(!terminal.screen.lines.contains { $0.contains("\"r\"") || $0.contains("]") })
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }
}
