import TestSupport
import Testing

/// The list of the rows that a device has seen, on the screen.
@Suite struct BrowserDeviceTests {
    @Test func openedDeviceListsSeenRowsAndLinksToAnUnseenConflict() throws {
        let stage = try BrowserStage()
        let before = try FolderState(of: stage.store)
        try stage.start("--pane", "devices", columns: 130, rows: 30)
        try stage.sees("LIVE", "desk (this device)", " 1/2")
        // The phone's row of another key is unknown to the desk, as far as is proven.
        try stage.press("\r", sees: "Devices › Seen by desk", "never", " 1/1")
        try stage.press("\u{1B}", sees: " 1/2", not: "Seen by desk")
        try stage.press("j", sees: " 2/2")
        try stage.press("\r", sees: "Devices › Seen by phone", "rows behind", "Unseen conflicts")
        try stage.press("0G", sees: "Enter open  y copy")
        try stage.press("\r", sees: " 4/7", "Inspector: delta")
        try stage.press("\u{1B}", sees: "Devices › Seen by phone")
        try stage.quit()
        #expect(try FolderState(of: stage.store) == before)
    }

    @Test func ownDeviceIsMarkedInEightyColumns() throws {
        let stage = try BrowserStage()
        try stage.tideline("devices", stage.store, "--name", "Anna's laptop")
        try stage.start("--pane", "devices")
        try stage.sees("LIVE", "Anna's laptop (this device)", " 1/2")
        try stage.quit()
    }

    @Test func onlyDeviceOpensItsDetails() throws {
        let stage = try BrowserStage()
        let single = stage.folder.appending("Single.store")
        try stage.tideline("kv", "create", single)
        try stage.tideline("kv", "set", single, "key", "value")
        try stage.start("--pane", "devices", path: single, columns: 130)
        try stage.sees("LIVE", "desk (this device)", " 1/1")
        try stage.press("\r", sees: "Esc back", "1/9", not: "Seen by")
        try stage.quit()
    }
}
