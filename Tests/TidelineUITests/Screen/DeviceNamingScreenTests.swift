import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The question for this device's name after its first write to a store.
@Suite struct DeviceNamingScreenTests {
    @Test func firstWriteAsksForTheNameOnce() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d", "y")
        #expect(stage.text.contains("Name of this device"))
        for _ in 0..<3 { await stage.press("Backspace") }
        await stage.type("Ann's desk")
        await stage.press("Enter")
        #expect(stage.text.contains("+ Ann's desk"))
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        let names = try Self.names(at: path)
        #expect(names.contains("Ann's desk"))

        await stage.press("d", "y")
        #expect(stage.model.overlay == nil)
        await session.close()
    }

    @Test func deviceNameCanBeLeftEmpty() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d", "y", "Esc")
        #expect(stage.model.overlay == nil)
        #expect(try Self.names(at: path).count == 3)
        await session.close()
    }

    private static func names(at path: String) throws -> [String] {
        Array(try StorePackage(opening: path).deviceNames().values)
    }

    @Test func deviceChosenByTheUserNeedsNoName() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press("w", "d", "y")
        #expect(stage.model.overlay == nil)
        await session.close()
    }
}
