import Foundation
import TestSupport
import Testing

/// Keys and sizes at random on a real terminal, while another device writes: the program lives until
/// it is asked to leave, and leaves the terminal as it was.
@Suite struct BrowserMonkeyTests {
    @Test(arguments: [1, 2] as [UInt64])
    func noKeysKeepTheTerminalFromBeingRestored(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let stage = try BrowserStage()
        let before = try PseudoTerminal.untouched()
        try stage.open("-w", environment: ["EDITOR": "true"])
        let escape = "\u{1B}"
        let special = [
            "\r", escape, "\t", escape + "[Z", escape + "[A", escape + "[B", escape + "[C",
            escape + "[D", escape + "[H", escape + "[F", escape + "[5~", escape + "[6~",
        ]
        // Not those that leave the program, or stop it.
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
        // Out of whatever is open, each key by itself, and out.
        try stage.terminal.setSize(columns: 80, rows: 24)
        for _ in 0..<10 {
            try stage.terminal.type(escape)
            try look(stage, for: .milliseconds(200))
        }
        try stage.terminal.type("q")
        // There is nothing more to read once it has ended.
        try? look(stage, for: .milliseconds(500))
        // Leaving with unsaved edits shows a prompt.
        if try !stage.terminal.hasEnded { try stage.terminal.type("y") }
        #expect(try stage.terminal.end() == 0)
        #expect(try stage.terminal.traces(since: before) == [])
    }

    /// Reads what the program writes for a while: what nobody reads keeps it from going on.
    private func look(_ stage: BrowserStage, for time: Duration) throws {
        let end = ContinuousClock.now + time
        try stage.terminal.wait(for: "nothing") { _ in ContinuousClock.now >= end }
    }
}
