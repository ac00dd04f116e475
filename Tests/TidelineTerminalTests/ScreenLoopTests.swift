import Foundation
import TestSupport
import Testing
import TidelineUI

@testable import TidelineTerminal

/// When the loop wakes, draws and sleeps.
@Suite(.serialized) struct ScreenLoopTests {
    private func start(_ arguments: [String] = []) throws -> PseudoTerminal {
        try PseudoTerminal(
            Programs.built("TerminalFixture"), arguments,
            environment: ["TERM": "xterm-256color", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"])
    }

    @Test func manyMessagesShareFewFrames() throws {
        let terminal = try start(["--flood"])
        try terminal.wait(forText: "count 20000")
        terminal.type("f")
        try terminal.wait(forText: "frames")
        let line = terminal.screen.lines.first { $0.contains("frames") } ?? ""
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        #expect((numbers.first ?? .max) < 2000, "\(line)")
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    /// The kernel counts context switches; an idle process has none.
    @Test func idleLoopUsesNoProcessorTime() throws {
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.type("b")
        try terminal.wait(forText: "\"b\"")
        func switches() throws -> String {
            let status = try String(
                contentsOfFile: "/proc/\(terminal.process)/task/\(terminal.process)/status",
                encoding: .utf8)
            return status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
                .joined(separator: " ")
        }
        // The process may not sleep yet: it is idle once two readings are equal.
        var before = try switches()
        var same = 0
        try waitBlocking {
            usleep(50_000)
            let now = try switches()
            same = now == before ? same + 1 : 0
            before = now
            return same == 10
        }
        terminal.type("q")
        _ = try terminal.end()
    }

    @Test func keysTypedBeforeTheFirstFrameAreNotLost() throws {
        let terminal = try start()
        terminal.type("bc")
        try terminal.wait(forText: "\"c\"")
        #expect(terminal.screen.lines.contains { $0.contains("\"b\"") })
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    @Test func pasteMouseAndAltReachTheProgram() throws {
        let terminal = try start()
        try terminal.wait(forText: "ready")
        terminal.type("\u{1B}[200~q\nq\u{1B}[201~")
        try terminal.wait(forText: "paste <q␊q>")
        terminal.type("\u{1B}[<0;3;4M")
        try terminal.wait(forText: "mouse click 2 3")
        terminal.type("\u{1B}q")
        try terminal.wait(forText: "key character(\"q\") 4")
        terminal.type("m")
        try terminal.wait(for: "no mouse") { $0.modes.isDisjoint(with: [1000, 1002, 1006]) }
        terminal.type("c")
        try terminal.wait(forText: "copy sent")
        #expect(terminal.screen.copied == ["YWJj"])
        terminal.type("q")
        #expect(try terminal.end() == 3)
    }

    @Test func copySequenceIsWrappedForTmux() {
        let sequence = Terminal.copySequence("a", isInTmux: true)
        #expect(
            sequence == "\u{1B}]52;c;YQ==\u{07}"
                + "\u{1B}Ptmux;\u{1B}\u{1B}]52;c;YQ==\u{07}\u{1B}\\")
    }

    @Test func notificationIsVisibleTextOfLimitedSize() throws {
        let hostile = "a\u{1B}\\b\u{07}\u{9C}\u{202E}c"
        #expect(
            Terminal.notification(hostile, .osc9, isInTmux: false)
                == "\u{1B}]9;a␛\\b␇\\x9c\\u{202e}c\u{07}")
        // A single character can have many bytes.
        let long = "a" + String(repeating: "\u{301}", count: 100_000)
        let shown = try #require(Terminal.notification(long, .osc777, isInTmux: false))
        #expect(shown.utf8.count <= Terminal.notificationLimit + 30)
        #expect(shown.hasPrefix("\u{1B}]777;notify;Tideline;") && shown.hasSuffix("\u{07}"))
        #expect(
            Terminal.notification("x", .osc9, isInTmux: true)
                == "\u{1B}Ptmux;\u{1B}\u{1B}]9;x\u{07}\u{1B}\\")
        #expect(Terminal.notification("x", .bell, isInTmux: true) == nil)
    }

    @Test func messagesFromEachThreadArriveInOrder() async throws {
        let mailbox = try Mailbox<(Int, Int)>()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<500 { mailbox.send((sender, number)) } }
            }
        }
        let messages = mailbox.take()
        #expect(messages.count == 2000)
        for sender in 0..<4 {
            #expect(messages.filter { $0.0 == sender }.map(\.1) == Array(0..<500))
        }
        #expect(mailbox.take().isEmpty)
        mailbox.close()
        mailbox.send((9, 9))
        #expect(mailbox.take().isEmpty)
    }
}
