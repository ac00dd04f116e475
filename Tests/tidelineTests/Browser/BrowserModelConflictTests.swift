import Foundation
import TestSupport
import Testing

/// Models that are synced through a package, with an app and the browser open on it at the same
/// time.
@Suite struct BrowserModelConflictTests {
    private let stage: BrowserStage
    private let package: String

    init() throws {
        stage = try BrowserStage()
        package = stage.folder.appending("Models.store")
    }

    /// Sets a text in a package as a device's app does.
    private func put(_ text: String, as device: String, in package: String) throws {
        let result = try ProgramResult.running(
            "sync-writer",
            [stage.folder.appending("\(device).db"), package, device, "put", "1", text],
            environment: [:])
        if result.status != 0 { throw PseudoTerminal.Failure(description: result.errors) }
    }

    /// The lines that a running app prints.
    private final class App {
        private let program: RunningProgram
        private var heard: Set<String> = []

        init(_ arguments: [String]) throws {
            program = try RunningProgram("sync-writer", arguments)
        }

        /// Reads lines until one equals the text.
        func says(_ text: String) throws -> Bool {
            while !heard.contains(text) {
                guard let line = try program.line() else { return false }
                heard.insert(line)
            }
            return true
        }
    }

    /// The desk and the phone concurrently set the same text.
    private func putBoth() throws {
        try put("one", as: "desk", in: package)
        let other = stage.folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package, toPath: other)
        // Neither device has seen the other's write.
        try put("of the desk", as: "desk", in: package)
        try put("of the phone", as: "phone", in: other)
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(package)/Devices/phone")
    }

    /// Opens the browser next to the desk's app once the app has the phone's text.
    private func openBoth() throws -> App {
        try putBoth()
        let app = try App([
            stage.folder.appending("desk.db"), package, "desk", "follow", "1",
        ])
        #expect(try app.says("of the phone"))
        try stage.start("-w", "--pane", "entities", path: package, device: "tablet")
        return app
    }

    @Test(.timeLimit(.minutes(30)))
    func appReceivesTheChosenSideOfAConflict() throws {
        let app = try openBoth()
        try stage.sees("≠1", "≠ Entry-1")
        try stage.press("c", sees: "≠ Entry-1 › text", "property", "1/1")
        // Resolve several at once, with every property of each row.
        try stage.press("M", sees: "1 row in conflict", "this resolves", "Entry-1 › text")
        try stage.press("\u{1b}", sees: "≠ Entry-1", not: "1 row in conflict")
        // The screen shows each side, the base, and the reason why the winner wins.
        try stage.press(
            "\r", sees: "Entry-1 › text", "★ phone", "newest by", "desk", "of the desk",
            "without seeing phone's", "common base", "one")
        try stage.press(
            "2", sees: "resolve Entry-1 › text", "- \"of the phone\"",
            "creates its folder", "y: write")
        try stage.press("y", sees: "(z: undo)")
        #expect(try app.says("of the desk"))
        // Undo restores the conflict.
        try stage.press("z", sees: "Undo this change?", "will be in conflict again: phone, desk")
        try stage.press("y", sees: "undone", "≠1")
        #expect(try app.says("of the phone"))
        try stage.press(
            "\r", sees: "★ phone", "newest by", "of the desk", "without seeing phone's",
            "common base", "one")
        try stage.press("G", sees: "History (newest first)", "◆")
        try stage.press("\u{1b}", sees: "≠ Entry-1", not: "History (newest first)")
        try stage.quit()
    }

    @Test(.timeLimit(.minutes(30)))
    func appReceivesTheResolutionOfAConflict() throws {
        let app = try openBoth()
        try stage.sees("LIVE", "Entry-1")
        // The inspector shows both values with their devices, the winner first.
        try stage.press("\t", sees: "text  of the phone", "of the desk", "History")
        try stage.sees("   phone 20", "   desk  20")
        // Deleting one value leaves the other.
        try stage.press("jj", sees: " 3/16")
        try stage.press(
            "d", sees: "delete one value of Entry-1 › text", "- \"of the phone\"",
            "creates its folder", "y: write")
        try stage.press("y", sees: "text  of the desk", "(z: undo)")
        #expect(try app.says("of the desk"))
        // Another value also resolves the conflict.
        try stage.press("i", sees: "Enter: preview")
        try stage.press(" and of all\r", sees: "of the desk and of all", "y: write")
        try stage.press("y", sees: "(z: undo)")
        #expect(try app.says("of the desk and of all"))
        try stage.quit()
    }
}
