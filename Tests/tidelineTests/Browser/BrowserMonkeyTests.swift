import Foundation
import TestSupport
import Testing

/// Random keys and sizes on a real terminal while another device writes. The program runs until it
/// is asked to quit, and restores the terminal.
@Suite struct BrowserMonkeyTests {
    @Test(arguments: [1, 2] as [UInt64])
    func terminalIsRestoredWhateverKeysArePressed(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let stage = try BrowserStage()
        let before = try PseudoTerminal.untouched()
        try stage.open("-w", environment: ["EDITOR": "true"])
        let escape = "\u{1B}"
        let special = [
            "\r", escape, "\t", escape + "[Z", escape + "[A", escape + "[B", escape + "[C",
            escape + "[D", escape + "[H", escape + "[F", escape + "[5~", escape + "[6~",
        ]
        // Keys that quit or stop the program are excluded.
        let plain =
            "abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/?[]_+=-{}()<>@% é日"
            .map(String.init)
        for step in 0..<250 {
            let keys = Int.random(in: 0..<3, using: &random) == 0 ? special : plain
            try stage.terminal.type(try #require(keys.randomElement(using: &random)))
            if step % 10 == 0 { try look(stage, for: .milliseconds(20)) }
            if step % 25 == 7 {
                try stage.terminal.setSize(
                    columns: Int.random(in: 20...200, using: &random),
                    rows: Int.random(in: 5...60, using: &random))
            }
            if step % 40 == 11 {
                try stage.tideline(
                    "kv", "set", stage.store, "monkey", "\(step)", device: "phone")
            }
        }
        // Close anything that is open with single keys, then quit.
        try stage.terminal.setSize(columns: 80, rows: 24)
        for _ in 0..<10 {
            try stage.terminal.type(escape)
            try look(stage, for: .milliseconds(200))
        }
        try stage.terminal.type("q")
        // After the program has ended there is no more output.
        try? look(stage, for: .milliseconds(500))
        // Leaving with unsaved edits shows a prompt.
        if try !stage.terminal.hasEnded { try stage.terminal.type("y") }
        #expect(try stage.terminal.end() == 0)
        #expect(try stage.terminal.traces(since: before) == [])
    }

    /// Reads the program's output for a while. Unread output would block the program.
    private func look(_ stage: BrowserStage, for time: Duration) throws {
        let end = ContinuousClock.now + time
        try stage.terminal.wait(for: "nothing") { _ in ContinuousClock.now >= end }
    }
}
