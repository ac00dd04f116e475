import KeyValueStore
import Replication
import TestSupport
import Testing

@Suite struct EntryListTests {
    @Test func keysAreInByteOrder() throws {
        let store = KeyValueStore(inMemory: .init())
        var random = SeededRandom(seed: 3)
        var keys: Set<String> = []
        for _ in 0..<20 {
            for _ in 0..<50 {
                let key =
                    ["a", "é", "z", "日", "Z"].randomElement(using: &random).map {
                        "\($0)/\(Int.random(in: 0..<500, using: &random))"
                    } ?? ""
                keys.insert(key)
                try store.set(true, forKey: key)
            }
            let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            #expect(store.keys == sorted)
            #expect(store.keys(prefix: "é/") == sorted.filter { $0.hasPrefix("é/") })
        }
    }

    @Test func listShowsCurrentValuesUntilAReload() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        try store.set(contentsOf: ["x": 1, "y": 2, "z": 3])
        try store.removeValue(forKey: "y")
        let list = store.entryList()
        #expect(list.count == 2)
        #expect(store.entryList(includesRemoved: true).count == 3)
        try store.set(9, forKey: "z")
        let entries = try #require(store.entries(list, 0..<10))
        #expect(entries.map(\.key) == ["x", "z"])
        #expect(store.keys(of: list) == ["x", "z"])
        #expect(try entries[1].value() == 9)
        #expect(entries[1].device?.name == "a")
        try store.load()
        #expect(store.entries(list, 0..<2) == nil)
        #expect(store.keys(of: list) == nil)
    }

    @Test func valuesStayIntactWhileOthersGrowAndShrink() throws {
        let store = KeyValueStore(inMemory: .init())
        var random = SeededRandom(seed: 4)
        var expected: [Name: PropertyList] = [:]
        for _ in 0..<3_000 {
            let key = "k\(Int.random(in: 0..<40, using: &random))"
            if Int.random(in: 0..<6, using: &random) == 0 {
                try store.removeValue(forKey: key)
                expected[key] = nil
            } else {
                let length = Int.random(in: 0..<3_000, using: &random)
                let value = PropertyList.string(String(repeating: "v", count: length) + key)
                try store.set(value, forKey: key)
                expected[key] = value
            }
        }
        #expect(store.everything == expected)
        #expect(store.count == expected.count)
        #expect(
            try store.liveByteCount
                == expected.reduce(0) { try $0 + $1.key.text.utf8.count + $1.value.binary().count })
    }

    @Test func canonicallyEqualKeysAreDifferent() throws {
        let fixture = try StoreFixture()
        let store = try fixture.store("a")
        let keys = ["", " ", "a", "A", "a\u{0}b", "caf\u{E9}", "cafe\u{301}", "\u{1B}[31m"]
        for (index, key) in keys.enumerated() { try store.set(.integer(Int64(index)), forKey: key) }
        try store.save()
        let again = try fixture.store("b")
        #expect(again.count == keys.count)
        for (index, key) in keys.enumerated() { #expect(again[key] == .integer(Int64(index))) }
    }
}
