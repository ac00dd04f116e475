import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing
import TidelineCore

/// A single data model of a store, opened for a command.
@Suite struct StandalonePartTests {
    private let folder: TemporaryFolder
    private let package: StorePackage
    private let anna: DeviceID

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("p.store"))
        anna = try DeviceID("anna")
    }

    private func reading<Part: StandalonePart>(
        _ model: Part.Type, _ path: String
    ) async throws -> (session: any StoreSession, store: Part.Store) {
        try await StoreOpener(device: nil).open(model, of: path)
    }

    @Test func storeIsLoadedCompletelyWhenOpened() async throws {
        let writer = StoreOpener(device: anna, isWritable: true)
        let keys = try await writer.open(KeyValuePart.self, of: package.path).store
        try keys.set("v", forKey: "k")
        try await KeyValuePart.finish(keys)
        let entities = try await writer.open(EntitiesPart.self, of: package.path).store
        try await entities.add([(.new("person", identifier: "a"), [:])])
        try await EntitiesPart.finish(entities)
        let documents = try await writer.open(DocumentStorePart.self, of: package.path).store
        let workspace = try documents.newWorkspace(named: "w").id
        try await DocumentStorePart.finish(documents)

        let (session, known) = try await reading(KeyValuePart.self, package.path)
        #expect(known.value(forKey: "k") == "v")
        #expect(session.status.phase == .live && session.status.devices.map(\.id) == [anna])
        let people = try await reading(EntitiesPart.self, package.path).store
        #expect(try await people.count(EntityQuery()) == 1)
        let workspaces = try await reading(DocumentStorePart.self, package.path).store
        #expect(workspaces.documentSummaries().map(\.id) == [workspace])
    }

    @Test func readingCreatesNoFiles() async throws {
        let opener = StoreOpener(device: anna)
        let before = try FolderState(of: folder.path)
        _ = try await opener.open(KeyValuePart.self, of: package.path)
        _ = try await opener.open(EntitiesPart.self, of: package.path)
        _ = try await opener.open(DocumentStorePart.self, of: package.path)
        #expect(try FolderState(of: folder.path) == before)
    }

    @Test func unreadableDeviceIsReported() async throws {
        let place = try package.makeDeviceFolder(anna)
        for kind in [DatabaseKind.logs, .entities, .documents] {
            try Data("no database, and longer than a header".utf8)
                .write(to: URL(filePath: place.path(of: kind)))
        }
        for status in [
            try await reading(KeyValuePart.self, package.path).session.status,
            try await reading(EntitiesPart.self, package.path).session.status,
            try await reading(DocumentStorePart.self, package.path).session.status,
        ] {
            #expect(status.devices.first.map { $0.id == anna && $0.state != "ok" } == true)
            #expect(status.devices.first?.problem != nil)
        }
    }

    @Test func readOnlyFileIsNotOpenedForWriting() async throws {
        let keys = try await StoreOpener(device: anna, isWritable: true)
            .open(EntitiesPart.self, of: package.path).store
        try await keys.add([(.new("person", identifier: "a"), [:])])
        await keys.close()
        let file = try package.device(anna).path(of: .entities)
        #expect(try await reading(EntitiesPart.self, file).store.count(EntityQuery()) == 1)
        let opener = StoreOpener(device: anna, isWritable: true)
        await expect(.noPermission) { _ = try await opener.open(EntitiesPart.self, of: file) }
        let document = folder.appending("a.automerge")
        try Data([0x85, 0x6F, 0x4A, 0x83, 0, 0, 0, 0]).write(to: URL(filePath: document))
        await expect(.noPermission) {
            _ = try await opener.open(DocumentStorePart.self, of: document)
        }
    }

    @Test func storeWithoutTheDataModelIsRejectedWithItsCategory() async throws {
        let file = folder.appending("file.txt")
        try Data("neither this nor that, and longer than a header".utf8)
            .write(to: URL(filePath: file))
        let missing = folder.appending("missing")
        for (path, category) in [(file, ErrorCategory.badData), (missing, .noSuchFile)] {
            await expect(category) { _ = try await reading(KeyValuePart.self, path) }
            await expect(category) { _ = try await reading(EntitiesPart.self, path) }
            await expect(category) { _ = try await reading(DocumentStorePart.self, path) }
        }
    }

    private func expect(
        _ category: ErrorCategory, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            Issue.record("nothing was thrown", sourceLocation: sourceLocation)
        } catch {
            let found = (error as? any ExplainedError)?.category
            #expect(found == category, sourceLocation: sourceLocation)
        }
    }
}
