import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct TransactionTests {
    @Test func changesOfATransactionAreOneEvent() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(0, forKey: "n")
        var events = store.events().makeAsyncIterator()
        try store.transaction { transaction in
            try transaction.set(1, forKey: "n")
            try transaction.transaction { inner in
                try inner.set("x", forKey: "m")
                try inner.set(2, forKey: "n")
            }
            #expect(transaction.value(forKey: "n") == 2)
            #expect(store["n"] == 0)
        }
        try store.set(3, forKey: "after")
        guard case .changed(let first)? = await events.next()?.kind,
            case .changed(let second)? = await events.next()?.kind
        else {
            Issue.record("not two changes")
            return
        }
        #expect(first.keys == ["m", "n"])
        #expect(first["n"]?.value == 2)
        #expect(second.keys == ["after"])
        try await store.save()
        // Each set is a separate row; the parent of the second one is the first.
        let rows = try store.rows(forKey: "n")
        #expect(try rows.map { try $0.value() } == [0, 1, 2])
        #expect(rows[2].parentTimestamp == rows[1].timestamp)
    }

    @Test func transactionThatThrowsChangesNothing() throws {
        struct Failure: Error {}
        let store = try StoreFixture().store("a")
        #expect(throws: Failure.self) {
            try store.transaction { transaction in
                try transaction.set(1, forKey: "n")
                throw Failure()
            }
        }
        #expect(store.count == 0)
        #expect(!store.hasUnsavedChanges)
    }

    @Test func onlyTheThrowingInnerTransactionIsRolledBack() throws {
        struct Failure: Error {}
        let store = try StoreFixture().store("a")
        try store.transaction { transaction in
            try transaction.set(1, forKey: "kept")
            #expect(throws: Failure.self) {
                try transaction.transaction { inner in
                    try inner.set(2, forKey: "kept")
                    try inner.set(2, forKey: "dropped")
                    throw Failure()
                }
            }
        }
        #expect(store.everything == ["kept": 1])
    }

    @Test func emptyTransactionPostsNoEvent() async throws {
        let store = try StoreFixture().store("a")
        var events = store.events().makeAsyncIterator()
        try store.transaction { _ in }
        try store.set(1, forKey: "k")
        guard case .changed(let changes)? = await events.next()?.kind else {
            Issue.record("no change")
            return
        }
        #expect(changes.keys == ["k"])
    }

    @Test func bulkSetHasOneTimestampAndAParentForEachKey() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("old", forKey: "x")
        try store.set("gone", forKey: "y")
        let parent = try #require(store.newestTimestamp(forKey: "x"))
        try store.set(contentsOf: ["x": "new", "y": nil, "z": 1])
        #expect(store.everything == ["x": "new", "z": 1])
        let rows = try store.rows(since: nil).suffix(3)
        #expect(Set(rows.map(\.timestamp)).count == 1)
        #expect(rows.first { $0.key == "x" }?.parentTimestamp == parent)
        #expect(rows.first { $0.key == "z" }?.parentTimestamp == nil)
        #expect(rows.first { $0.key == "y" }?.isDeletion == true)
    }

    @Test func setThatExpectsAnotherStateIsRefused() throws {
        let store = try StoreFixture().store("a")
        try store.set(1, forKey: "k", ifNewestIs: .some(nil))
        let seen = store.newestTimestamp(forKey: "k")
        try store.set(2, forKey: "k")
        #expect(throws: KeyValueError.self) { try store.set(3, forKey: "k", ifNewestIs: seen) }
        #expect(store["k"] == 2)
        try store.set(3, forKey: "k", ifNewestIs: store.newestTimestamp(forKey: "k"))
        #expect(store["k"] == 3)
    }
}
