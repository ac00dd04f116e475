import DocumentStore
import Foundation
import TestSupport
import Testing

/// The documents of a store on the screen.
@Suite struct BrowserDocumentTests {
    private let stage: BrowserStage
    private let plans: String

    init() throws {
        stage = try BrowserStage()
        plans = try stage.tideline("docs", "new", stage.store, "Plans", device: "phone")
            .output.trimmingCharacters(in: .newlines)
        for (pointer, value, type) in [
            ("/title", "Trip", "string"), ("/nights", "7", "counter"),
            ("/todos", #"[{"done":false},"b"]"#, "json"),
        ] {
            try stage.tideline(
                "docs", "set", stage.store, plans, pointer, value, "--as", type, device: "phone")
        }
    }

    private func shown() throws -> String {
        try stage.tideline("docs", "show", stage.store, plans, "--json").output
    }

    @Test func documentIsOpenedEditedAndUndone() throws {
        try stage.open("-w")
        try stage.press(":pane doc\r", sees: "DOCUMENT", "Plans", "CHUNKS")
        try stage.press("\r", sees: "\"Trip\"", "counter", " 1/3")
        try stage.press("jj", sees: " 3/3")
        try stage.press("\r", sees: "{\"done\":false}", " 1/2", not: "\"Trip\"")
        try stage.press("\u{1B}", sees: " 3/3", "\"Trip\"")
        try stage.press("k", sees: " 2/3")
        try stage.press("i", sees: "Enter: preview")
        try stage.press(
            " by sea\r", sees: "y: write", "- \"Trip\"", "+ \"Trip by sea\"",
            "Devices/desk/Documents.db")
        #expect(try shown().contains("\"Trip\""))
        try stage.press("y", sees: "(z: undo)", "\"Trip by sea\"")
        #expect(try shown().contains("\"Trip by sea\""))
        // Another device's writes appear while the document is open.
        try stage.tideline(
            "docs", "increment", stage.store, plans, "/nights", "4", device: "phone")
        try stage.sees("the counter") { $0.showsLine("~ nights ", "11") }
        try stage.press("z", sees: "Undo this change?", "+ \"Trip\"")
        try stage.press("y", sees: "undone", not: "\"Trip by sea\"")
        #expect(try shown().contains(#""nights":11,"title":"Trip""#))
        try stage.press(":pane hist\r", sees: "CHANGE", "BASED ON", " 1/")
        try stage.quit()
    }

    @Test func plusOnALockedCounterNamesTheKeyThatUnlocks() throws {
        try stage.open()
        try stage.press(":pane doc\r", sees: "DOCUMENT", "Plans", "CHUNKS")
        try stage.press("\r", sees: "counter", " 1/3")
        try stage.press("+", sees: "press w to unlock", not: "y: write")
        try stage.press("w", sees: "[WRITE]")
        try stage.press("+", sees: "y: write", "- 7", "+ 8")
        try stage.press("\u{1B}", sees: "nothing was written")
        try stage.quit()
    }

    @Test func plusAndMinusChangeACounter() throws {
        try stage.open("-w")
        try stage.press(":pane doc\r", sees: "DOCUMENT", "Plans", "CHUNKS")
        try stage.press("\r", sees: "counter", " 1/3")
        try stage.press("+", sees: "y: write", "- 7", "+ 8", "add 1 to Plans /nights")
        // Another device increments the counter before the confirmation; both increments count.
        try stage.tideline(
            "docs", "increment", stage.store, plans, "/nights", "4", device: "phone")
        try stage.press("y", sees: "(z: undo)", "12")
        // Further keys adjust the preview in both directions.
        try stage.press("--", sees: "subtract 2 from Plans /nights", "+ 10")
        try stage.press("+", sees: "subtract 1 from Plans /nights", "+ 11")
        try stage.press("y", sees: "(z: undo)", "11")
        #expect(try shown().contains(#""nights":11"#))
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone", "12")
        #expect(try shown().contains(#""nights":12"#))
        try stage.quit()
    }

    @Test func firstDocumentIsCreatedInTheBrowser() throws {
        let folder = stage.folder.appending("Empty.store")
        try stage.tideline("kv", "create", folder)
        try stage.start("-w", path: folder)
        try stage.sees("LIVE", "│6D")
        try stage.press(":pane doc\r", sees: "Press a to add one")
        try stage.press("a", sees: "Enter: preview", "│ workspace ", "┌content─")
        try stage.press(
            "Plans\r{\"a\": 1}\u{13}", sees: "workspace Plans", "creates its folder",
            "y: write")
        try stage.press("y", sees: "(z: undo)", "SIZE")
        try stage.press("\r", sees: "integer", " 1/1")
        try stage.quit()
    }

    @Test func automergeRepoStorageFolderIsShown() throws {
        let path = stage.folder.appending("amrg")
        try AutomergeStore(creatingStorageFolder: path).close()
        let id = try stage.tideline("docs", "new", path, "Trips")
            .output.trimmingCharacters(in: .newlines)
        try stage.tideline("docs", "set", path, id, "/title", "Trip")
        try stage.start(path: path)
        try stage.sees("LIVE", " 1D", "CHUNKS", not: "DEVICES")
        try stage.press("\r", sees: "\"Trip\"")
        try stage.quit()
    }
}
