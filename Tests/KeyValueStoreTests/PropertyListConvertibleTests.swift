import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct PropertyListConvertibleTests {
    @Test func valuesAreReadByKind() throws {
        let store = KeyValueStore()
        #expect(store.isEmpty)
        let due = Date(timeIntervalSinceReferenceDate: 0.5)
        let exact: Int64 = 1 << 53
        let values: [String: PropertyList] = [
            "title": "Groceries", "count": 3, "price": 2.5, "isDone": true, "due": .date(due),
            "bytes": .data(Data([1])), "tags": ["a", "b"], "sizes": ["s": 1],
            "most": .unsigned(.max), "exact": .integer(exact), "inexact": .integer(exact + 1),
        ]
        try store.set(contentsOf: values)
        #expect(!store.isEmpty)
        #expect(store["title"]?.string == "Groceries")
        #expect(store["count"]?.integer == 3 && store["count"]?.double == 3)
        #expect(store["price"]?.double == 2.5 && store["price"]?.integer == nil)
        #expect(store["isDone"]?.bool == true && store["isDone"]?.integer == nil)
        #expect(store["due"]?.date == due)
        #expect(store["bytes"]?.data == Data([1]))
        #expect(store["tags"]?.array?.compactMap(\.string) == ["a", "b"])
        #expect(store["sizes"]?.dictionary?["s"] == 1)
        #expect(store["most"]?.integer == nil && store["most"]?.double == nil)
        #expect(store["exact"]?.double == 0x1p53 && store["inexact"]?.double == nil)
        #expect(store["title"]?.bool == nil && store["none"]?.string == nil)
    }

    @Test func variablesOfCommonTypesAreStoredAsTheirKind() throws {
        let store = KeyValueStore(inMemory: .init())
        let title = "Groceries"
        let count = 3
        let price = 2.0
        let isDone = true
        let due = Date(timeIntervalSinceReferenceDate: 0.5)
        let bytes = Data([1, 2])
        let site = try #require(URL(string: "https://example.org/a?b"))
        let id = UUID()
        let tags = ["a", "b"]
        let sizes = ["s": 1, "l": 2]
        try store.set(title, forKey: "title")
        try store.set(count, forKey: "count")
        try store.set(price, forKey: "price")
        try store.set(isDone, forKey: "isDone")
        try store.set(due, forKey: "due")
        try store.set(bytes, forKey: "bytes")
        try store.set(site, forKey: "site")
        try store.set(id, forKey: "id")
        try store.set(tags, forKey: "tags")
        try store.set(sizes, forKey: "sizes")
        #expect(store["title"] == .string("Groceries"))
        #expect(store["count"] == .integer(3))
        #expect(store["price"] == .real(2))
        #expect(store["isDone"] == .boolean(true))
        #expect(store["due"] == .date(due))
        #expect(store["bytes"] == .data(bytes))
        #expect(try store.url(forKey: "site") == site)
        #expect(try store.uuid(forKey: "id") == id)
        #expect(store["tags"] == .array([.string("a"), .string("b")]))
        #expect(store["sizes"] == .dictionary(["s": .integer(1), "l": .integer(2)]))
    }

    @Test func convertedValuesEqualEncodedOnes() throws {
        let site = try #require(URL(string: "https://example.org/a?b"))
        let id = UUID()
        #expect(try site.propertyList == PropertyList(encoding: site))
        #expect(try id.propertyList == PropertyList(encoding: id))
        #expect(try UInt64.max.propertyList == PropertyList(encoding: UInt64.max))
        #expect(try [1.0, 2.5].propertyList == PropertyList(encoding: [1.0, 2.5]))
    }

    @Test func literalsKeepTheirKind() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set("x", forKey: "text")
        try store.set(1, forKey: "integer")
        try store.set(1.0, forKey: "real")
        try store.set([1, "x"], forKey: "mixed")
        try store.set([], forKey: "empty")
        #expect(store["text"] == .string("x"))
        #expect(store["integer"] == .integer(1))
        #expect(store["real"] == .real(1))
        #expect(store["mixed"] == .array([.integer(1), .string("x")]))
        #expect(store["empty"] == .array([]))
    }

    @Test func nilOfAnyTypeRemovesTheKey() throws {
        let store = KeyValueStore(inMemory: .init())
        try store.set(1, forKey: "a")
        try store.set(2, forKey: "b")
        let none: String? = nil
        try store.set(none, forKey: "a")
        try store.set(nil, forKey: "b")
        #expect(store.keys.isEmpty)
    }

    @Test func dictionariesKeyedByStringRoundTrip() throws {
        let store = KeyValueStore(inMemory: .init())
        let titles: [String: String] = ["note/1": "Milk", "note/2": "Tea"]
        let changes: [String: Int?] = ["note/2": nil, "size": 3]
        try store.set(contentsOf: titles)
        try store.set(contentsOf: changes)
        let values: [String: PropertyList] = store.dictionary()
        #expect(values == ["note/1": .string("Milk"), "size": .integer(3)])
    }

    @Test func dictionaryOfDifferentTypesIsSetWithOneTimestamp() throws {
        let store = KeyValueStore(inMemory: .init())
        let title = "Milk"
        let count: Int? = nil
        let due = Date(timeIntervalSinceReferenceDate: 0.5)
        try store.set(3, forKey: "count")
        try store.set(contentsOf: ["title": title, "due": due, "count": count])
        let values: [String: PropertyList] = store.dictionary()
        #expect(values == ["title": .string("Milk"), "due": .date(due)])
    }

    @Test func otherNumbersAreStoredAsIntegersAndReals() {
        #expect(PropertyList(Int32.min) == .integer(Int64(Int32.min)))
        #expect(PropertyList(UInt32.max) == .integer(Int64(UInt32.max)))
        #expect(PropertyList(UInt(3)) == .integer(3) && PropertyList(UInt.max) == .unsigned(.max))
        #expect(PropertyList(Float(1.5)) == .real(1.5))
    }

    @Test func transactionsTakeVariables() throws {
        let store = KeyValueStore(inMemory: .init())
        let title = "Milk"
        try store.transaction { try $0.set(title, forKey: "a") }
        #expect(store["a"] == .string("Milk"))
    }

    @Test func storeOpensByPathAndDeviceName() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        #expect(throws: ReplicationError.self) { try KeyValueStore(path: path, device: nil) }
        let store = try KeyValueStore(path: path, device: "desk")
        try store.load()
        try store.set("x", forKey: "a")
        try store.save()
        try store.close()
        let reader = try KeyValueStore(path: path, device: nil)
        try reader.load()
        #expect(reader["a"] == .string("x"))
        try reader.close()
    }
}
