import EntityStore
import Foundation
import Replication
import ServerCatalogGRDB
import Testing

@testable import TidelineCore

/// The order and the numbers of panes depend on the kind of store, not on its current content.
@Suite(.timeLimit(.minutes(30)))
struct PaneNumberTests {
    /// The panes of a package, whose numbers users learn.
    private static let first = [
        "keys": 1, "keys/log": 2, "conflicts": 3, "package/devices": 7, "package/blobs": 8,
        "doctor/problems": 9,
    ]
    private static let entities = ["entities": 4, "entities/types": 5]
    private static let documents = ["documents": 6]

    private func numbers(_ session: any StoreSession) -> [String: Int] {
        Dictionary(
            uniqueKeysWithValues: session.panes.compactMap { pane in
                pane.number.map { (pane.id.text, $0) }
            })
    }

    @Test func unlockingKeepsPaneNumbers() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path, isWritable: false)
        #expect(numbers(pane.session) == Self.first)
        pane.session.setWritable(true)
        let all = Self.first.merging(Self.entities) { $1 }.merging(Self.documents) { $1 }
        #expect(numbers(pane.session) == all)
        #expect(pane.session.panes.compactMap(\.number) == Array(1...9))
        pane.session.setWritable(false)
        #expect(numbers(pane.session) == Self.first)
        await pane.session.close()
    }

    @Test func dataOfAnotherDeviceKeepsPaneNumbers() async throws {
        let shared = try SharedPackage()
        let pane = try await PaneSession(shared.path, isWritable: false)
        let events = EventLog(pane.session)
        let store = try await EntityStore.open(shared.package, device: try DeviceID("ben"))
        try await store.add([(.new("person", identifier: "a"), [:])])
        await store.close()
        let expected = Self.first.merging(Self.entities) { $1 }
        while numbers(pane.session) != expected {
            guard await events.next(where: { _ in true }) != nil else { break }
        }
        #expect(numbers(pane.session) == expected)
        await pane.session.close()
    }

    @Test func initialPanesHaveTheSameNumbers() async throws {
        let stored = try DocumentPackage()
        let pane = try await PaneSession(stored.package.path, isWritable: false)
        let expected = Self.first.merging(Self.documents) { $1 }
        #expect(numbers(pane.session) == expected)
        // The history of the open document has no number.
        let documents = try pane.source(.documents)
        let row = try #require(try await pane.rows(.documents).first)
        let tree = try await documents.open(row.id, at: nil)
        #expect(tree != nil)
        #expect(numbers(pane.session) == expected)
        #expect(pane.session.panes.contains { $0.id == .documentHistory && $0.number == nil })
        await pane.session.close()
    }

    @Test func relatedPanesAreNeighbors() async throws {
        let stored = try DocumentPackage()
        try CatalogSamples.write(
            to: stored.package.device(DeviceID("anna")).path(of: .catalog))
        let pane = try await PaneSession(stored.package.path)
        let row = try #require(try await pane.rows(.documents).first)
        _ = try await pane.source(.documents).open(row.id, at: nil)
        let panes = pane.session.panes
        #expect(
            panes.map(\.id.text) == [
                "keys", "keys/log", "conflicts", "entities", "entities/types", "documents",
                "documents/history", "servers", "package/devices", "package/blobs",
                "doctor/problems",
            ])
        let groups: [PaneGroup] = [
            .data, .data, .data, .data, .data, .documents, .documents, .catalog, .package,
            .package, .package,
        ]
        #expect(panes.map(\.group) == groups)
        #expect(panes.filter { $0.number == nil }.map(\.id) == [.documentHistory, .servers])
        await pane.session.close()
    }

    @Test func conflictsOfDocumentsAreInTheirGroup() async throws {
        let stored = try DocumentPackage()
        var opener = StoreOpener(device: nil)
        opener.partNames = [PaneID.documents.part]
        let session = try opener.open(stored.package.path)
        #expect(session.panes.map(\.id) == [.documents, .conflicts])
        #expect(session.panes.allSatisfy { $0.group == .documents })
        await session.close()
    }

    @Test func journalEntryIsUndoneByAPaneOfItsDataModel() {
        let panes: [PaneID] = [.keys, .conflicts, .entities, .devices, .blobs]
        func pane(undoing model: String, in pane: String) -> PaneID? {
            let undo = Edit.revert(EditRecord(summary: "", model: model))
            let applied = AppliedEdit(summary: "", date: Date(), rows: [], undo: [undo])
            return panes.index(
                undoing: UndoHistory.Entry(pane: pane, applied: applied, direction: .edit)
            ).map { panes[$0] }
        }
        #expect(pane(undoing: "keys", in: "keys") == .keys)
        #expect(pane(undoing: "entities", in: "keys") == .entities)
        #expect(pane(undoing: "entities", in: "conflicts") == .conflicts)
        #expect(pane(undoing: "package", in: "package/blobs") == .blobs)
        #expect(pane(undoing: "package", in: "keys") == .devices)
        #expect(pane(undoing: "entities", in: "missing") == .entities)
    }
}
