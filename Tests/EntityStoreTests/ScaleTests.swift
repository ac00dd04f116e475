import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct ScaleTests {
    /// Smaller by default to keep test runs short. `TIDELINE_RUNS` of 1,000 or more sets the full
    /// size.
    private var scale: Int { max(1, min(10, runCount(100) / 100)) }

    @Test func manyEntitiesOfOneTypeAreListedInWindows() async throws {
        let store = try EntityStore.inMemory()
        let count = 10_000 * scale
        let made = try await store.add(
            (0..<count).map { number in
                (
                    .new("row", identifier: "row-\(1_000_000 + number)"),
                    ["n": .integer(Int64(number % 97))]
                )
            })
        #expect(made.count == count)
        #expect(await store.typeCounts() == ["row": count])
        let query = EntityQuery(type: "row", where: [.equal("n", 5)])
        #expect(try await store.count(query) == (0..<count).count { $0 % 97 == 5 })
        let window = try await store.window(.all, from: count - 2, count: 10)
        #expect(window.total == count)
        #expect(window.records.map(\.identifier) == made.suffix(2).map { $0.identifier ?? "" })
        let references = (0..<1_000).map { EntityReference.where("n", equals: .integer($0 % 97)) }
        #expect(try await store.resolve(references).allSatisfy { $0 != nil })
    }

    @Test func propertyHoldsTenThousandEntries() async throws {
        let store = try EntityStore.inMemory()
        let entity = try await store.make("t", "x")[0]
        let count = 10_000 * scale
        try await store.add(
            (0..<count).map { (entity, ["v": .integer(Int64($0))]) })
        #expect(try await store.value("v", of: entity) == .integer(Int64(count - 1)))
        let values = try await store.values(of: "v", in: [entity])[0]
        #expect(values.count == count)
        #expect(values.last?.value == 0)
        try await store.set([(entity, ["v": "one"])])
        #expect(try await store.values(of: "v", in: [entity])[0].map(\.value) == ["one"])
        try await store.remove(["v"], of: [entity])
        #expect(try await store.value("v", of: entity) == nil)
        #expect(try await store.entries(of: [entity], keys: ["v"])[0].count == count + 1)
    }

    @Test func entityHoldsTenThousandProperties() async throws {
        let store = try EntityStore.inMemory()
        var properties = PropertyDictionary()
        let count = 10_000 * scale
        for number in 0..<count { properties["key-\(number)"] = Property(.integer(1)) }
        let made = try await store.add([(.new("t"), properties)])
        try await store.add([(made[0], ["key-77": 2])])
        #expect(try await store.value("key-77", of: made[0]) == 2)
        #expect(try await store.properties(of: made)[0]?.count == count)
    }

    @Test func manyRelationshipsCanPointToOneEntity() async throws {
        let store = try EntityStore.inMemory()
        let target = try await store.make("t", "target")[0]
        let count = 5_000 * scale
        let sources = try await store.add((0..<count).map { _ in (.new("s"), [:]) })
        try await store.relate(sources.map { ($0, target) }, key: "to")
        #expect(try await store.relations(to: [target])[0].count == count)
        let removal = try await store.delete([target])
        #expect(try await store.relations(from: sources).allSatisfy(\.isEmpty))
        try await store.restore(removal)
        #expect(try await store.relations(to: [target])[0].count == count)
    }
}
