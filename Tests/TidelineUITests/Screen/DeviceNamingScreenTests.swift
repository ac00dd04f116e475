import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing
import TidelineCore

@testable import TidelineUI

/// The name of this device, which the preview of its first write to a store offers to set.
@Suite struct DeviceNamingScreenTests {
    @Test func nameIsTypedInThePreviewAndWrittenAfterTheEdit() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d")
        #expect(stage.text.contains("r: name this device"))
        await stage.press("r")
        #expect(stage.text.contains("Name of this device: _  (Enter: box)"))
        #expect(stage.lines[23].contains("Enter use the name"))
        await stage.type("Ann's desk")
        await stage.press("Enter")
        #expect(stage.text.contains("device  Ann's desk  (new)"))
        #expect(try !Self.names(at: path).contains("Ann's desk"))
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        let notice = try #require(stage.model.notice?.text)
        #expect(notice.hasSuffix("“Ann's desk”"), "\(notice)")
        #expect(try Self.names(at: path).contains("Ann's desk"))
        // Naming the device isn't a separate edit.
        #expect(stage.model.writing.journal.entries.count == 1)

        await stage.press("d")
        #expect(!stage.text.contains("name this device"))
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        await session.close()
    }

    @Test func suggestedNameIsUsedIfNoneIsTyped() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d", "r", "Enter", "y")
        #expect(try Self.names(at: path).contains("box"))
        await session.close()
    }

    @Test func onlyThisDeviceOffersToBeRenamed() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        await stage.press("w", "d", "y", ":")
        await stage.type("pane devices")
        await stage.press("Enter")
        await stage.wait { $0.pane?.id == .devices && $0.list?.total == 4 }
        await stage.press("/")
        await stage.type("this device")
        await stage.press("Enter", "x")
        #expect(stage.text.contains("Copy row") && stage.text.contains("Rename row"))
        await stage.press("Esc", "G", "x")
        #expect(stage.text.contains("Copy row") && !stage.text.contains("Rename row"))
        await stage.press("Esc", "r")
        #expect(stage.model.overlay == nil)
        #expect(stage.lines[23].contains("only this device"))
        await session.close()
    }

    @Test func writeWithoutTypingANameLeavesNoPromptOpen() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d", "y", "j")
        #expect(stage.model.overlay == nil)
        #expect(try Self.names(at: path).count == 3)
        await session.close()
    }

    @Test func cancelingTheNameReturnsToThePreview() async throws {
        let (folder, path) = try await ActionModeTests.package()
        defer { withExtendedLifetime(folder) {} }
        let session = try await ActionModeTests.open(path)
        let stage = await Stage(session, pane: "keys")
        stage.model.preferences.hostName = "box"
        await stage.press("w", "d", "r", "y", "Esc")
        #expect(stage.text.contains("r: name this device"))
        await stage.press("y")
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
        await stage.press("w", "d", "r")
        #expect(!stage.text.contains("ame of this device"))
        #expect(stage.text.contains("New device"))
        #expect(stage.lines[23].contains("has the name that you chose"), "\(stage.lines[23])")
        await stage.press("y")
        #expect(stage.model.overlay == nil)
        await session.close()
    }
}
