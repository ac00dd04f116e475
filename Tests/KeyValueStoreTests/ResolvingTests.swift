import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

/// Resolving several conflicts in one transaction.
@Suite struct ResolvingTests {
    private let fixture: StoreFixture
    private let keys = ["a", "b", "c"]

    /// Makes two devices write the same keys without having seen each other's rows.
    init() throws {
        fixture = try StoreFixture()
        let names = ["anna", "ben"]
        let stores = try names.map { try fixture.store($0) }
        for (name, store) in zip(names, stores) {
            for key in keys { try store.set(.string(key + " by " + name), forKey: key) }
            try store.save()
            fixture.clock.advance(microseconds: 1_000)
        }
        for store in stores { try store.close() }
    }

    @Test func conflictsAreResolvedByOneEvent() async throws {
        let store = try fixture.store("cleo")
        var events = store.events().makeAsyncIterator()
        let conflicts = try store.conflicts()
        try #require(conflicts.map(\.key) == keys)
        try store.resolve([
            .init(conflicts[0], .row(try #require(conflicts[0].others.first))),
            .init(conflicts[1], .value("both")), .init(conflicts[2], .value(nil)),
        ])
        #expect(store["a"] == "a by anna")
        #expect(store["b"] == "both")
        #expect(store["c"] == nil)
        #expect(store.conflictCount == 0)
        try await store.save()
        var changed: [[String]] = []
        var resolved: [String] = []
        while resolved.count < keys.count, let event = await events.next() {
            switch event.kind {
            case .changed(let changes): changed.append(changes.keys)
            case .resolved(let key): resolved.append(key)
            default: break
            }
        }
        #expect(changed == [keys] && resolved.sorted() == keys)
        try store.close()

        // Every device agrees.
        let other = try fixture.store("anna")
        try await other.sync()
        #expect(other.conflictCount == 0)
        #expect(other["a"] == "a by anna" && other["b"] == "both" && other["c"] == nil)
    }

    @Test func outdatedConflictPreventsAllResolutions() throws {
        let store = try fixture.store("cleo")
        let conflicts = try store.conflicts()
        try store.set("newer", forKey: "b")
        #expect(throws: KeyValueError.self) {
            try store.resolve(conflicts.map { .init($0, .value("resolved")) })
        }
        #expect(store.conflictKeys == ["a", "c"])
        #expect(store["a"] == "a by ben" && store["b"] == "newer")
    }
}
