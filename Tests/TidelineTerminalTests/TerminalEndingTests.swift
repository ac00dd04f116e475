import Foundation
import TestSupport
import Testing

/// The state of the terminal after each way a program can end.
@Suite(.serialized) struct TerminalEndingTests {
    /// A way to end, and the status that the parent process sees.
    struct Way: Sendable, CustomTestStringConvertible {
        var name: String
        var key = ""
        var signal: Int32 = 0
        var end: Int32
        /// The text expected on the terminal afterward.
        var message = ""
        var testDescription: String { name }
    }

    static let ways = [
        Way(name: "quit", key: "q", end: 3),
        Way(name: "throw", key: "t", end: 1, message: "fixture: Failure"),
        Way(name: "exit called anywhere", key: "E", end: 5),
        Way(name: "^C", key: "\u{03}", end: 130),
        Way(name: "^\\", key: "\u{1C}", end: -SIGQUIT),
        Way(name: "SIGTERM", signal: SIGTERM, end: -SIGTERM),
        Way(name: "SIGHUP", signal: SIGHUP, end: -SIGHUP),
        Way(name: "failed precondition", key: "T", end: -SIGILL, message: "Index out of range"),
        Way(name: "bad memory", key: "S", end: -SIGSEGV),
        Way(name: "out of stack", key: "O", end: -SIGSEGV),
        Way(name: "abort", key: "A", end: -SIGABRT),
        Way(name: "SIGFPE from outside", signal: SIGFPE, end: -SIGFPE),
        Way(name: "SIGBUS from outside", signal: SIGBUS, end: -SIGBUS),
        Way(name: "SIGTRAP from outside", signal: SIGTRAP, end: -SIGTRAP),
    ]

    private static let environment = [
        "TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
        "SWIFT_BACKTRACE": "enable=no",
    ]

    private func start(_ arguments: [String] = []) throws -> PseudoTerminal {
        let terminal = try PseudoTerminal(
            Programs.built("TerminalFixture"), arguments, environment: Self.environment)
        return terminal
    }

    @Test(arguments: ways) func terminalStateIsRestored(_ way: Way) throws {
        let terminal = try start()
        // The modes of an untouched terminal: the program sets its modes before it draws.
        let before = try PseudoTerminal.untouched()
        try terminal.wait(forText: "ready")
        #expect(terminal.screen.isAlternate)
        #expect(terminal.screen.modes == [1000, 1002, 1006, 2004])
        #expect(terminal.attributes != before)
        if way.signal != 0 { kill(terminal.process, way.signal) }
        terminal.type(way.key)
        #expect(try terminal.end() == way.end)
        #expect(terminal.traces(since: before) == [])
        if !way.message.isEmpty {
            let text = String(decoding: terminal.output, as: UTF8.self)
            #expect(text.contains(way.message), "\(terminal.screen.lines)")
        }
    }

    @Test func secondSignalEndsAStuckProgram() throws {
        let before = try PseudoTerminal.untouched()
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.type("h")
        try terminal.wait(for: "a stuck program") { !$0.copied.isEmpty }
        // The program doesn't handle the first signal.
        try waitBlocking {
            terminal.type("\u{03}")
            usleep(20_000)
            return terminal.hasEnded
        }
        #expect(try terminal.end() == -SIGINT)
        #expect(terminal.traces(since: before) == [])
    }

    @Test(arguments: [("\u{03}", Int32(130)), ("\u{1C}", -SIGQUIT), ("T", -SIGILL), ("q", 3)])
    func loopOnAnotherThreadEndsTheSameWay(_ key: String, _ end: Int32) throws {
        let before = try PseudoTerminal.untouched()
        let terminal = try start(["--thread"])
        try terminal.wait(forText: "ready")
        terminal.type(key)
        #expect(try terminal.end() == end)
        #expect(terminal.traces(since: before) == [])
    }

    @Test func closedTerminalEndsTheProgram() throws {
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.hangUp()
        #expect([-SIGHUP, 128 + SIGHUP].contains(try terminal.end()))
    }

    @Test func errorOutputIsShownAfterTheProgramEnds() throws {
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.type("Lb")
        try terminal.wait(forText: "\"b\"")
        #expect(!terminal.screen.lines.contains { $0.contains("complains") })
        terminal.type("q")
        #expect(try terminal.end() == 3)
        #expect(terminal.screen.lines.contains("a library complains ?]0;x?"))
        #expect(terminal.screen.unknown.isEmpty)
    }

    @Test func childProgramGetsTheOriginalTerminalState() throws {
        let before = try PseudoTerminal.untouched()
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.type("v")
        // The child sends an interrupt, as a key would: the waiting program ignores it.
        try terminal.wait(forText: "ran 0")
        try terminal.wait(forText: "resumed")
        #expect(terminal.screen.isAlternate)
        let output = String(decoding: terminal.output, as: UTF8.self)
        #expect(output.contains("<a b><$(x)>"))
        terminal.type("q")
        #expect(try terminal.end() == 3)
        #expect(terminal.traces(since: before) == [])
    }

    @Test(arguments: ["", "--thread"])
    func stoppedProgramRedrawsWhenContinued(_ option: String) throws {
        let shell = try PseudoTerminal.shell(
            environment: Self.environment.merging(
                ["FIXTURE": Programs.built("TerminalFixture")]
            ) { $1 })
        let before = shell.attributes
        shell.type("$FIXTURE \(option)\n")
        try shell.wait(forText: "ready")
        shell.type("\u{1A}")
        try shell.waitForPrompt()
        #expect(shell.traces(since: before) == [])
        shell.type("fg\n")
        try shell.wait(forText: "resumed")
        #expect(shell.screen.isAlternate)
        #expect(shell.screen.modes == [1000, 1002, 1006, 2004])
        shell.type("x")
        try shell.wait(forText: "\"x\"")
        shell.type("q")
        try shell.waitForPrompt()
        #expect(shell.traces(since: before) == [])
        shell.type("exit\n")
        _ = try shell.end()
    }

}
