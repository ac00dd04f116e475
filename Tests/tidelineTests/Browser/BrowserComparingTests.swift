import Foundation
import TestSupport
import Testing

/// Comparing the open store with another one.
@Suite struct BrowserComparingTests {
    @Test func valueIsCopiedFromTheOtherStoreAndUndone() throws {
        let stage = try BrowserStage()
        let backup = stage.store + " backup"
        try FileManager.default.copyItem(atPath: stage.store, toPath: backup)
        func value() throws -> String {
            try stage.tideline("kv", "get", stage.store, "alpha").output
        }
        let old = try value()
        #expect(try stage.tideline("kv", "set", stage.store, "alpha", "another text").status == 0)
        #expect(try stage.tideline("kv", "set", backup, "omega", "1").status == 0)

        try stage.open("-w")
        try stage.press(
            ":compare \(backup)\r", sees: "1/2", "OTHER STORE", "OPEN STORE", "changed", "omega")
        try stage.press("/omega\r", sees: " 2/2")
        try stage.press("gg", sees: " 1/2")
        try stage.press("i", sees: "alpha")
        try stage.press("\r", sees: "y: write")
        try stage.press("y", sees: "z: undo")
        #expect(try value() == old)
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone")
        #expect(try value() != old)
        // The next comparison replaces this one.
        try stage.press("G", sees: " 2/2")
        try stage.press(":compare \(backup)\r", sees: " 1/2", "OTHER STORE")
        try stage.press("\u{1B}", sees: " 1/", not: "OTHER STORE")
        try stage.quit()
    }

    @Test func valueIsTakenOverWithoutAnEditor() throws {
        let stage = try BrowserStage()
        let backup = stage.store + " backup"
        try FileManager.default.copyItem(atPath: stage.store, toPath: backup)
        #expect(try stage.tideline("kv", "set", backup, "omega", "1").status == 0)

        try stage.open("-w")
        try stage.press(":compare \(backup)\r", sees: "omega", "O copy over")
        try stage.press("O", sees: "y: write")
        try stage.press("y", sees: "z: undo", "same now")
        #expect(try stage.tideline("kv", "list", stage.store).output.contains("omega"))
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone")
        #expect(try !stage.tideline("kv", "list", stage.store).output.contains("omega"))
        try stage.press("\u{1B}", sees: " 1/", not: "OTHER STORE")
        try stage.press("O", sees: "only in a comparison")
        try stage.quit()
    }

    @Test func markedRowsOfADatabaseAreTakenOverTogether() throws {
        let stage = try BrowserStage()
        let (path, other) = (stage.folder.appending("a.db"), stage.folder.appending("b.db"))
        let sql = "CREATE TABLE person (id INTEGER PRIMARY KEY, city TEXT);"
        try runSQL(sql + "INSERT INTO person VALUES (1, 'Osaka')", at: path)
        try runSQL(sql + "INSERT INTO person VALUES (1, 'Kyoto'), (2, 'Oslo')", at: other)
        try stage.start("-w", path: path)
        try stage.sees("person", "LIVE")
        try stage.press(":compare \(other)\r", sees: "Kyoto", "Oslo", "1/2")
        try stage.press("  O", sees: "Type 2")
        try stage.press("2\r", sees: "same now")
        try stage.press("z", sees: "Undo this change?")
        try stage.press("y", sees: "undone", "changed", "removed")
        try stage.quit()
    }

    @Test func storesWithoutDifferencesAreNotListed() throws {
        let stage = try BrowserStage()
        let copy = stage.store + " copy"
        try FileManager.default.copyItem(atPath: stage.store, toPath: copy)
        try stage.open()
        try stage.press(":compare \(copy)\r", sees: "no differences between the stores")
        try stage.press(":compare /nowhere\r", sees: "/nowhere: ")
        try stage.quit()
    }
}
