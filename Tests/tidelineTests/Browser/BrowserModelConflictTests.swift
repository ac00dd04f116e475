import Foundation
import TestSupport
import Testing

/// Models that travel in a package, an app and the browser side by side on it.
@Suite struct BrowserModelConflictTests {
    private let stage: BrowserStage
    private let package: String

    init() throws {
        stage = try BrowserStage()
        package = stage.folder.appending("Models.store")
    }

    /// Sets a text as the app of a device does, in a package.
    private func put(_ text: String, as device: String, in package: String) throws {
        let result = try ProgramResult.running(
            "sync-writer",
            [stage.folder.appending("\(device).db"), package, device, "put", "1", text],
            environment: [:])
        if result.status != 0 { throw PseudoTerminal.Failure(description: result.errors) }
    }

    /// The lines that a running app says.
    private final class App {
        private let program: RunningProgram
        private var heard: Set<String> = []

        init(_ arguments: [String]) throws {
            program = try RunningProgram("sync-writer", arguments)
        }

        /// Reads on until a line is what is wanted.
        func says(_ text: String) throws -> Bool {
            while !heard.contains(text) {
                guard let line = try program.line() else { return false }
                heard.insert(line)
            }
            return true
        }
    }

    /// A desk and a phone set one text, neither knowing of the other's.
    private func putBoth() throws {
        try put("one", as: "desk", in: package)
        let other = stage.folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package, toPath: other)
        // Neither knows of the other's.
        try put("of the desk", as: "desk", in: package)
        try put("of the phone", as: "phone", in: other)
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/phone", toPath: "\(package)/Devices/phone")
    }

    /// The desk's app, once it has the phone's text, with the browser beside it.
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
    func aConflictIsMarkedAndASideIsTakenAndTheAppTakesIt() throws {
        let app = try openBoth()
        try stage.sees("≠1", "≠ Entry-1")
        // The next conflict, where no pane lists conflicts alone and all rows are seen.
        try stage.press("c", sees: "≠ Entry-1", "1/1")
        // Many at once, of each row every property.
        try stage.press("M", sees: "1 row in conflict", "ended", "Entry-1 › text")
        try stage.press("\u{1b}", sees: "≠ Entry-1", not: "1 row in conflict")
        // Each side, what both started from, and why the one wins.
        try stage.press(
            "\r", sees: "Entry-1 › text", "★ phone", "newest by", "desk", "of the desk",
            "without seeing phone's", "common base", "one")
        try stage.press(
            "2", sees: "resolve text of Entry-1", "- of the phone",
            "creates its folder", "y: write")
        try stage.press("y", sees: "(z: undo)")
        #expect(try app.says("of the desk"))
        // Taken back, it is the conflict that it was.
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
    func aConflictIsSeenAndResolvedAndTheAppTakesIt() throws {
        let app = try openBoth()
        try stage.sees("LIVE", "Entry-1")
        // Both values are there, the one that counts first, and who wrote each.
        try stage.press("\t", sees: "text  of the phone", "of the desk", "History")
        try stage.sees("   phone 20", "   desk  20")
        // The one that is not wanted goes, and the other is left.
        try stage.press("jj", sees: " 3/16")
        try stage.press(
            "d", sees: "delete one value of text", "- of the phone",
            "creates its folder", "y: write")
        try stage.press("y", sees: "text  of the desk", "(z: undo)")
        #expect(try app.says("of the desk"))
        // Another value ends it too.
        try stage.press("i", sees: "Enter: preview")
        try stage.press(" and of all\r", sees: "of the desk and of all", "y: write")
        try stage.press("y", sees: "(z: undo)")
        #expect(try app.says("of the desk and of all"))
        try stage.quit()
    }
}
