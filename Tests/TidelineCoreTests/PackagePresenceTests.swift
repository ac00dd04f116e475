import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Packages that disappear while a session is opening.
@Suite(.timeLimit(.minutes(30)))
struct PackagePresenceTests {
    @Test func returningPackageIsReadAgain() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("p"))
        let device = try DeviceID("anna")
        let store = try await EntityStore.open(package, device: device)
        try await store.add([(.new("person", identifier: "a"), [:])])
        await store.close()
        let away = folder.appending("away")
        let entities = EntitiesPart(package: package, device: nil, isWritable: false)
        let session = ComposedSession(
            path: package.path,
            parts: [
                PackagePart(
                    package,
                    PackageSession(
                        device: nil, isWritable: false, blobs: BlobList(package.blobs)),
                    models: [], stores: [], doctor: DoctorPart(package.path, own: nil)),
                Remover(from: package.path, to: away), entities,
            ], isWritable: false)
        let events = EventLog(session)
        #expect(await events.next { $0.kind == .deleted } != nil)
        #expect(session.status.phase == .missing)
        // Wait until reading has failed.
        try await wait {
            entities.status.phase != .loading(stage: "reading entities", fraction: nil)
        }
        try FileManager.default.moveItem(atPath: away, toPath: package.path)
        #expect(await events.next { $0.kind == .returned } != nil)
        #expect(await events.next { $0.kind == .loaded } != nil)
        #expect(session.status.counts[.entities] == 1)
        #expect(session.status.phase == .live)
        await session.close()
    }
}

/// File names in a package.
@Suite struct PackageFileNameTests {
    @Test func fileNamesAreRelativeToThePackageForAnyPath() throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Zoës Bücher 本.store"))
        let device = try DeviceID("desk")
        #expect(try package.name(of: .entities, of: device) == "Devices/desk/Entities.db")
        #expect(package.relative("/elsewhere/file") == "/elsewhere/file")
    }
}

/// Moves the package away as soon as the parts before it are watching.
private final class Remover: SessionPart {
    let panes: [Pane] = []
    let status = PartStatus(phase: nil)
    private let from: String
    private let to: String

    init(from: String, to: String) { (self.from, self.to) = (from, to) }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        #expect(rename(from, to) == 0)
    }

    func reload() async {}
    func close() async {}
}
