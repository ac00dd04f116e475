import EntityStore
import Foundation
import Replication
import Testing

@testable import TidelineCore

/// Pane numbers depend on the kind of store, not on its current content.
@Suite(.timeLimit(.minutes(30)))
struct PaneNumberTests {
    /// The panes of a package, whose numbers users learn.
    private static let first = [
        "keys": 1, "keys/log": 2, "conflicts": 3, "package/devices": 4, "package/blobs": 5,
        "doctor/problems": 9,
    ]
    private static let entities = ["entities": 6, "entities/types": 7]

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
        let all = Self.first.merging(Self.entities) { $1 }.merging(["documents": 8]) { $1 }
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
        #expect(numbers(pane.session) == Self.first.merging(["documents": 8]) { $1 })
        // The panes of a document come after the ninth, and need no number.
        let documents = try pane.source(.documents)
        let row = try #require(try await pane.rows(.documents).first)
        let tree = try await documents.open(row.id, at: nil)
        #expect(tree != nil)
        #expect(numbers(pane.session) == Self.first.merging(["documents": 8]) { $1 })
        #expect(pane.session.panes.contains { $0.id == .documentHistory && $0.number == nil })
        await pane.session.close()
    }
}
