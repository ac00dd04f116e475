import Foundation
import TestSupport
import Testing

/// The three main jobs of the browser, by key, starting with `tideline PATH`.
@Suite struct BrowserJobTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    /// Presses keys one by one and waits for the effect of each before the next.
    ///
    /// - Returns: The number of keys.
    private func press(_ steps: [(String, String)]) throws -> Int {
        for (key, text) in steps { try stage.press(key, sees: text) }
        return steps.reduce(0) { $0 + ($1.0.hasPrefix("\u{1B}") ? 1 : $1.0.count) }
    }

    @Test func conflictIsResolvedByProposalInSixKeys() throws {
        // Both sides change different lines of one text.
        let other = stage.folder.appending("Other.store")
        try stage.tideline("kv", "set", stage.store, "list", "a\nb\nc", device: "desk")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        try stage.tideline("kv", "set", stage.store, "list", "A\nb\nc", device: "desk")
        try stage.tideline("kv", "set", other, "list", "a\nb\nC", device: "phone")
        try FileManager.default.removeItem(atPath: "\(stage.store)/Devices/phone")
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(stage.store)/Devices/phone")
        try stage.tideline("resolve", stage.store, "delta", "--take", "desk")
        try stage.start()
        try stage.sees("≠1", "LIVE")
        let count = try press([
            ("c", "≠ conflict"), ("\r", "merged value"), ("w", "[WRITE]"), ("p", "y: write"),
            ("y", "(z: undo)"),
        ])
        #expect(count <= 6)
        try stage.quit()
        #expect(
            try stage.tideline("kv", "get", stage.store, "list").output == "A\nb\nC\n")
    }

    @Test func valueOfAKeyAWeekAgoIsShownInEightKeys() throws {
        try stage.open()
        // The store is only a few seconds old: a week ago it was empty, which the screen says.
        let count = try press([
            ("/", "search"), ("e", "search: e"), ("c", "search: ec"), ("\r", " 5/7"),
            ("t", "PAST"), ("{", "no rows as of"),
        ])
        #expect(count <= 8)
        try stage.press("}", sees: "\"echoes\"", "PAST")
        try stage.press("t", sees: "LIVE")
        try stage.quit()
    }

    @Test func deviceAlertIsSetInEightKeys() throws {
        try stage.open()
        let count = try press([("7", " 1/2"), ("j", " 2/2"), ("b", "alert on for")])
        #expect(count <= 8)
        try stage.tideline("kv", "set", stage.store, "hotel", "news", device: "phone")
        try stage.sees("alert: phone", "◆1")
        #expect(try stage.terminal.output.contains(0x07))
        try stage.quit()
    }
}
