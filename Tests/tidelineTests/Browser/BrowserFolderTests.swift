import Automerge
import Foundation
import TestSupport
import Testing

/// The stores of a folder on the screen.
@Suite struct BrowserFolderTests {
    private let stage: BrowserStage

    init() throws {
        stage = try BrowserStage()
        let document = Document()
        try document.put(obj: .ROOT, key: "title", value: .String("Trip"))
        try document.save().write(to: URL(filePath: stage.folder.appending("trip.automerge")))
    }

    @Test func closingAStoreReturnsToItsFolder() throws {
        try stage.start(path: stage.folder.path)
        try stage.sees("STORE", "Notes.store", "package", "trip.automerge", "automerge", "LIVE")
        try stage.press("w", sees: "open a store to edit it", "[RO]")
        try stage.press("\r", sees: " 1/7", "alpha", not: "trip.automerge")
        try stage.press("fecho\r", sees: " 1/1")
        try stage.press("\u{1B}", sees: "/7")
        try stage.press("\u{1B}", sees: "STORE", "trip.automerge")
        try stage.press("j\r", sees: "title", "\"Trip\"", not: "Notes.store")
        // The previous store is selected.
        try stage.press("\u{1B}", sees: "STORE", "Notes.store", " 2/2")
        // A new store appears while the list is open.
        try FileManager.default.copyItem(
            atPath: stage.store, toPath: stage.folder.appending("Zulu.store"))
        try stage.sees("Zulu.store")
        try stage.press("\u{1B}", sees: "press q to quit")
        try stage.quit()
    }

    @Test func emptyFolderFillsAndItsDeletionIsShown() throws {
        let path = stage.folder.appending("empty")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        try stage.start(path: path)
        try stage.sees(
            "No stores yet", "Stores that are added to this folder appear here", "LIVE",
            not: "next tab")
        try FileManager.default.copyItem(
            atPath: stage.store, toPath: path + "/Notes.store")
        try stage.sees("STORE", "Notes.store")
        try FileManager.default.removeItem(atPath: path)
        try stage.sees("MISSING", not: "LIVE")
        try stage.press("R", sees: "reload incomplete: no such file or folder")
        try stage.quit()
    }

    @Test func severalStoresAreOpenAtOnce() throws {
        try stage.open("-w")
        try stage.press("gt", sees: "no other store is open")
        try stage.press("fecho\r", sees: " 1/1")
        try stage.press(":open \(stage.folder.path)/trip.automerge\r", sees: "2/2 ", "\"Trip\"")
        try stage.press("gt", sees: "1/2 ", " 1/1", "echo", "[WRITE]")
        try stage.press("gT", sees: "2/2 ", "\"Trip\"")
        try stage.press(":open \(stage.folder.path)/nothing\r", sees: "! can't open:")
        try stage.press("gx", sees: " 1/1", "echo", not: "1/2 ")
        try stage.quit()
    }

    @Test func writingIsOnlyUnlockedForTheStoreOfTheCommandLine() throws {
        let elsewhere = try TemporaryFolder()
        let other = elsewhere.appending("Other.store")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        try stage.open("-w")
        try stage.sees("[WRITE]")
        try stage.press(":open \(other)\r", sees: "2/2 ", " 1/7", "[RO]", not: "[WRITE]")
        try stage.press("gt", sees: "1/2 ", "[WRITE]")
        try stage.quit()
    }

    @Test func writingIsUnlockedForTheStoresOfTheFolder() throws {
        try stage.start("-w", path: stage.folder.path)
        try stage.sees("STORE", "Notes.store", "LIVE")
        try stage.press("\r", sees: " 1/7", "[WRITE]")
        try stage.quit()
    }

    @Test func feedContinuesWhileAnotherStoreIsShown() throws {
        func write(_ key: String) throws {
            try stage.tideline("kv", "set", stage.store, key, "1", device: "phone")
        }
        try stage.open()
        try stage.press("G", sees: " 7/7")
        try write("before")
        try stage.press("E", sees: "+1 before")
        try stage.press(":open \(stage.folder.path)/trip.automerge\r", sees: "2/2 ", "\"Trip\"")
        try write("meanwhile")
        // The selection stays on the selected key, although three keys arrive, two of them before
        // it.
        try stage.press("gt", sees: "1/2 ", "+1 before", "+1 meanwhile")
        // The store still receives events.
        try write("after")
        try stage.sees("+1 after")
        try stage.press("\u{1B}", sees: " 9/10", "golf")
        try stage.quit()
    }

    @Test func alertRingsWhileAnotherStoreIsShown() throws {
        try stage.open()
        try stage.press(":alert news/*\r", sees: "alert on for news/*")
        try stage.press(":open \(stage.folder.path)/trip.automerge\r", sees: "2/2 ", "\"Trip\"")
        #expect(try !stage.terminal.output.contains(0x07))
        try stage.tideline("kv", "set", stage.store, "golf", "quiet", device: "phone")
        try stage.tideline("kv", "set", stage.store, "news/1", "loud", device: "phone")
        try stage.sees("alert in Notes.store: phone: news/1", "\"Trip\"")
        func bells() throws -> Int { try stage.terminal.output.count { $0 == 0x07 } }
        #expect(try bells() == 1)
        // The alert is counted in its own store and doesn't ring there again.
        try stage.press("gt", sees: "1/2 ", "◆1", not: "alert")
        try stage.press("G", sees: "news/1")
        #expect(try bells() == 1)
        try stage.tideline("kv", "set", stage.store, "news/2", "again", device: "phone")
        try stage.sees("alert: phone: news/2", "◆2")
        #expect(try bells() == 2)
        try stage.quit()
    }

    @Test func keysTypedWhileSwitchingStoresAreNotLost() throws {
        try stage.start(path: stage.folder.path)
        try stage.sees("STORE", "Notes.store", "trip.automerge", "LIVE")
        // All keys arrive at once; those after the key that opens a store apply to that store.
        try stage.press("\rG", sees: " 7/7", "golf", not: "trip.automerge")
        try stage.press("\u{1B}", sees: "STORE", "trip.automerge", " 1/2")
        try stage.press(":open \(stage.folder.path)/trip.automerge\rgTj", sees: " 2/2", "STORE")
        try stage.press("gt", sees: "2/2 ", "\"Trip\"")
        try stage.quit()
    }

    @Test func folderIsListedAsPlainLines() throws {
        let output = try stage.tideline(stage.folder.path, "--linear").output
        #expect(output.contains("1. store Notes.store, kind package, size "))
        #expect(output.contains("2. store trip.automerge, kind automerge"))
    }
}
