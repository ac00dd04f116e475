import Foundation
import TestSupport
import Testing

/// The palette's results, and the rows that it marks and exports.
@Suite struct BrowserPaletteTests {
    private let stage: BrowserStage

    init() throws { stage = try BrowserStage() }

    @Test func keyIsFoundFromAnotherPaneAndListedAsRecent() throws {
        try stage.open()
        try stage.press("2", sees: "TIME ")
        try stage.press(":chana", sees: "charlie/with/a/name")
        try stage.press("\r", sees: " 3/7", "VALUE")
        try stage.press("q")
        #expect(try stage.terminal.end() == 0)
        try stage.start()
        try stage.sees("LIVE", "VALUE")
        try stage.press(":", sees: "Commands")
        try stage.sees("the key first") { screen in
            let first = screen.lines.firstIndex { $0.contains("Commands") } ?? 0
            return screen.lines.dropFirst(first + 2).first?.contains("charlie/with/a/name") == true
        }
        try stage.press("\r", sees: " 3/7")
        try stage.quit()
    }

    @Test func otherStoreIsFoundByName() throws {
        let other = stage.folder.appending("Plans.store")
        try stage.tideline("kv", "create", other)
        try stage.tideline("kv", "set", other, "zulu", "one")
        try stage.start(path: other)
        try stage.sees("LIVE", " 1/1")
        try stage.quit()
        try stage.open()
        try stage.press(":plans", sees: "Plans.store")
        try stage.press("\r", sees: " 1/1", "zulu")
        try stage.press("q")
        #expect(try stage.terminal.end() == 0)
    }

    @Test func markedRowsAreExportedEvenIfFiltered() throws {
        let file = stage.folder.appending("rows.csv")
        try stage.open()
        try stage.press("  ", sees: " 3/7")
        try stage.press("fgolf\r", sees: " 1/1")
        try stage.press(":export csv \(file)", sees: "Export 2 marked rows to a file")
        try stage.press("\r", sees: "exported 2 marked rows")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("alpha") && text.contains("bravo/nn") && !text.contains("golf"))
        try stage.quit()
    }

    @Test func feedShowsTheDelayOfArrivingWrites() throws {
        let other = stage.folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: stage.store, toPath: other)
        try stage.tideline("kv", "set", other, "hotel", "late news", device: "tablet")
        try stage.open()
        try stage.press("E", sees: "loaded 7 keys")
        Thread.sleep(forTimeInterval: 1.5)
        try FileManager.default.copyItem(
            atPath: "\(other)/Devices/tablet", toPath: "\(stage.store)/Devices/tablet")
        try stage.sees("how late it is") { screen in
            screen.lines.contains { $0.contains("tablet +1 hotel") && $0.contains(" s late") }
        }
        try stage.quit()
    }
}
