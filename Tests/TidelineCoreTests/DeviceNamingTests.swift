import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The name of this device in the Devices pane.
@Suite struct DeviceNamingTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let source: DevicesSource
    private let row = RowID("desk")

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        let writing = WriteAccess(as: try DeviceID("desk"), isUnlocked: true)
        source = DevicesSource(of: package, writing) { [] }
    }

    @Test func newNameIsPreviewedWrittenAndUndone() async throws {
        let preview = try await source.preview(.rename(row, to: " Anna's desk "))
        #expect(preview.changes.map(\.old?.line) == ["desk"])
        #expect(preview.changes.map(\.new?.line) == ["Anna's desk"])
        #expect(package.deviceNames().isEmpty)
        let applied = try await source.apply(preview)
        #expect(package.deviceNames() == [try DeviceID("desk"): "Anna's desk"])
        // After a restart, only edits in the journal can be undone.
        let kept = JournalEntry(applied, direction: .edit, pane: "devices")
        let undo = try #require(kept.applied.undo.first)
        let undone = try await source.apply(try await source.preview(undo))
        #expect(try package.blobs.entries().isEmpty)
        let redo = try #require(undone.undo.first)
        _ = try await source.apply(try await source.preview(redo))
        #expect(package.deviceNames() == [try DeviceID("desk"): "Anna's desk"])
    }

    @Test func sameNameOfAnotherDeviceIsMentioned() async throws {
        for name in ["desk", "phone"] {
            try FileManager.default.createDirectory(
                atPath: "\(package.path)/Devices/\(name)", withIntermediateDirectories: true)
        }
        try package.setDeviceName("Anna", of: try DeviceID("phone"))
        for name in ["Anna", "phone"] {
            let preview = try await source.preview(.rename(row, to: name))
            #expect(preview.warnings.count == 1)
        }
        #expect(try await source.preview(.rename(row, to: "Ben")).warnings.isEmpty)
    }

    @Test func onlyThisDeviceIsRenamed() async throws {
        for edit in [Edit.rename(RowID("phone"), to: "x"), .remove([row], field: nil)] {
            await expect(.unsupported) { try await source.preview(edit) }
        }
        await expect(.invalid) { try await source.preview(.rename(row, to: " ")) }
        await expect(.unchanged) { try await source.preview(.rename(row, to: "desk")) }
        source.writing.isUnlocked = false
        await expect(.readOnly) { try await source.preview(.rename(row, to: "x")) }
    }

    @Test func nameChangedInTheMeantimeIsNotReplaced() async throws {
        let preview = try await source.preview(.rename(row, to: "x"))
        try package.setDeviceName("y", of: try DeviceID("desk"))
        await expect(.moved) { try await source.apply(preview) }
        #expect(package.deviceNames() == [try DeviceID("desk"): "y"])
    }

    private func expect<Result>(
        _ code: EditError.Code, _ body: () async throws -> Result,
        location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(sourceLocation: location) {
            _ = try await body()
        } throws: {
            ($0 as? EditError)?.code == code
        }
    }
}
