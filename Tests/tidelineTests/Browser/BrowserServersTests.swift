import Foundation
import ServerCatalog
import TestSupport
import Testing

/// The server catalog on the screen: changed from files, and chosen among those of devices.
@Suite(.timeLimit(.minutes(30))) struct BrowserServersTests {
    private let stage: BrowserStage
    private let samples = SampleServers(count: 40, countryCount: 4).servers()

    init() throws {
        stage = try BrowserStage()
        try write("all.json", LogicalsWriter.logicals(samples))
        try write("few.json", LogicalsWriter.logicals(Array(samples.prefix(30))))
        var busy = samples
        busy[0].logical.status.load = 100 - busy[0].logical.status.load
        try write("loads.json", LogicalsWriter.loads(busy))
        for (device, file) in [("desk", "few.json"), ("phone", "all.json")] {
            try stage.tideline(
                "servers", "import", stage.store, stage.folder.appending(file), device: device)
        }
    }

    private func write(_ name: String, _ data: Data) throws {
        try data.write(to: URL(filePath: stage.folder.appending(name)))
    }

    private func count(_ device: String = "desk") throws -> Int {
        try stage.tideline("servers", "list", stage.store, "--device", device, "--json").output
            .split(separator: "\n").count
    }

    @Test func importIsChosenFromTheRowMenuPreviewedAndUndone() throws {
        let before = try count()
        try stage.start("-w", "--pane", "servers")
        try stage.sees("LIVE", "COUNTRY")
        try stage.press("x", sees: "Import servers from a file", "Replace the server catalog")
        try stage.press("\u{1b}", sees: "COUNTRY", not: "Import servers")
        try stage.press(":import-servers ~/all.json\r", sees: "10 added", "Type 10 and Enter")
        try stage.press("10\r", sees: "imported servers from all.json: 10 added (z: undo)")
        #expect(try count() > before)
        try stage.press("z", sees: "Undo this change?", "import servers from all.json")
        try stage.press("y", sees: "undone")
        #expect(try count() == before)
        try stage.press(":refresh-loads ~/loads.json\r", sees: "1 changed", "y: write")
        try stage.press("y", sees: "refreshed loads from loads.json: 1 changed")
        try stage.press(":rebuild-catalog\r", sees: "30 servers", "Type 30 and Enter")
        try stage.press("30\r", sees: "emptied the server catalog (z: undo)")
        #expect(try count() == 0)
        // An empty list has the same commands.
        try stage.press("x", sees: "Import servers from a file")
        try stage.press("\u{1b}", not: "Import servers from a file")
        try stage.press("z", sees: "Undo this change?", "Catalog.db.old")
        try stage.press("y", sees: "undone")
        #expect(try count() == before)
        try stage.quit()
    }

    @Test func anotherDevicesCatalogIsChosen() throws {
        try stage.start("--pane", "servers")
        try stage.sees("LIVE", "COUNTRY")
        try stage.press(":choose-catalog phone\r", sees: "showing phone's catalog", not: "y: show")
        try stage.press("j", sees: "Servers (phone)")
        try stage.press(
            ":import-servers ~/all.json\r", sees: "phone's catalog is shown", not: "Type 10")
        try stage.press(":choose-catalog d\t", sees: ":choose-catalog desk")
        try stage.press("\r", sees: "showing desk's catalog", not: "y: show")
        // The cursor can still move while the other catalog is loading.
        try stage.press("gg", sees: " 1/", not: "Servers (phone)")
        try stage.press("j", sees: " 2/", not: "Servers (phone)")
        try stage.quit()
    }
}
