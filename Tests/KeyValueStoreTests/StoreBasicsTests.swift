import Foundation
import KeyValueStore
import Replication
import Testing

@Suite struct StoreBasicsTests {
    @Test func loadingANewPackageCreatesNoFiles() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        #expect(store.isLoaded)
        #expect(store.count == 0)
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: fixture.package.path) == ["Devices"]
        )
    }

    @Test func valuesAreVisibleImmediatelyAndAfterReloading() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set("Groceries", forKey: "title")
        try store.set(7, forKey: "count")
        #expect(store["title"] == "Groceries")
        try store.save()
        let again = try fixture.store("a")
        #expect(again.everything == ["title": "Groceries", "count": 7])
        try again.load()
        #expect(again.everything == ["title": "Groceries", "count": 7])
    }

    @Test func otherDevicesSeeSavedValues() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        let b = try fixture.store("b")
        try a.set("one", forKey: "k")
        try a.save()
        try b.sync()
        #expect(b["k"] == "one")
        try b.set("two", forKey: "k")
        try b.save()
        try a.sync()
        #expect(a["k"] == "two")
        #expect(a.conflictCount == 0)
        #expect(b.conflictCount == 0)
    }

    @Test func concurrentValuesConflictUntilARowNamesBoth() throws {
        let fixture = try StoreFixture()
        let a = try fixture.store("a")
        let b = try fixture.store("b")
        try a.set("base", forKey: "k")
        try a.save()
        try b.sync()
        try a.set("from a", forKey: "k")
        try b.set("from b", forKey: "k")
        try a.save()
        try b.save()
        try a.sync()
        try b.sync()
        #expect(a["k"] == b["k"])
        #expect(a.conflictKeys == ["k"])
        #expect(b.conflictKeys == ["k"])
        let conflict = try #require(try a.conflict(forKey: "k"))
        #expect(try conflict.base?.value() == "base")
        #expect(try conflict.winner.value() == "from b")
        #expect(try conflict.others.map { try $0.value() } == ["from a"])
        #expect(!conflict.isPossible)
        try a.resolve("k", taking: DeviceID("a"))
        try a.save()
        #expect(a.conflictCount == 0)
        try b.sync()
        #expect(b.conflictCount == 0)
        #expect(b["k"] == "from a")
        let c = try fixture.store("c")
        #expect(c.conflictCount == 0)
        #expect(c["k"] == "from a")
    }
}
