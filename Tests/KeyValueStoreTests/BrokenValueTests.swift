import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Values in a damaged page whose damage SQLite doesn't detect.
@Suite struct BrokenValueTests {
    private struct Scene {
        let fixture: StoreFixture
        let store: KeyValueStore
        let sound: Data
        let broken: Data

        init(loadingBroken: Bool) throws {
            fixture = try StoreFixture()
            let writer = try fixture.store("a")
            try writer.set("what the other device wrote, and some more text", forKey: "k")
            try writer.set("another value that stays as it is, in the same page", forKey: "l")
            try writer.close()
            let url = URL(filePath: fixture.logPath("a"))
            sound = try Data(contentsOf: url)
            var broken = sound
            let place = try #require(broken.range(of: Data("what the other device".utf8)))
            // Overwrite the value from the text to the end, including its table of offsets.
            let end = place.lowerBound + 80
            broken.replaceSubrange(place.lowerBound..<end, with: Data(repeating: 0xEE, count: 80))
            self.broken = broken
            if loadingBroken { try broken.write(to: url) }
            store = try fixture.store("b")
        }

        func put(_ file: Data) throws { try file.write(to: URL(filePath: fixture.logPath("a"))) }
    }

    @Test func recoveredValueIsReadAgain() throws {
        let scene = try Scene(loadingBroken: true)
        #expect(scene.store["k"] == nil)
        #expect(scene.store["l"] != nil)
        #expect(scene.store.devices.first?.problem?.contains("\"k\"") == true)
        try scene.put(scene.sound)
        try scene.store.sync()
        #expect(scene.store["k"] == "what the other device wrote, and some more text")
        #expect(scene.store.devices.first?.problem == nil)
        #expect(try scene.fixture.store(nil).everything == scene.store.everything)
    }

    @Test func knownValueSurvivesDamageOnReload() throws {
        let scene = try Scene(loadingBroken: false)
        let before = scene.store.everything
        try scene.put(scene.broken)
        try scene.store.load()
        #expect(scene.store.everything == before)
        try scene.put(scene.sound)
        try scene.store.sync()
        #expect(scene.store.everything == before)
    }

    @Test func brokenValueIsReportedUntilItsKeyIsWritten() throws {
        let scene = try Scene(loadingBroken: true)
        let writer = try scene.fixture.store("a")
        try writer.set("news", forKey: "m")
        try writer.save()
        try scene.store.sync()
        #expect(scene.store["m"] == "news")
        #expect(scene.store.devices.first?.problem != nil)
        scene.fixture.clock.advance(microseconds: 10)
        try writer.set("written anew", forKey: "k")
        try writer.save()
        try scene.store.sync()
        #expect(scene.store["k"] == "written anew")
        #expect(scene.store.devices.first?.problem == nil)
    }
}
