import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct QueryTests {
    private func library() async throws -> EntityStore {
        let clock = TestClock()
        let store = try EntityStore.inMemory(clock: clock.hybrid)
        let rows: [(String, PropertyDictionary)] = [
            ("b1", ["title": "Éclairs for Two", "pages": 120, "price": 9.5, "new": true]),
            ("b2", ["title": "Whales", "pages": 635, "tags": ["sea", "Old"]]),
            ("b3", ["title": "apples", "pages": 120.0]),
            ("b4", ["pages": 7]),
        ]
        for (identifier, properties) in rows {
            try await store.add([(.new("book", identifier: identifier), properties)])
            clock.advance(microseconds: 1_000_000)
        }
        try await store.add([(.new("shop", identifier: "s1"), ["title": "Whales and more"])])
        return store
    }

    private struct Case: Sendable, CustomTestStringConvertible {
        let conditions: [EntityCondition]
        let found: [String]
        var testDescription: String { "\(found)" }
    }

    private static let cases = [
        Case(conditions: [.equal("title", "Whales")], found: ["b2"]),
        Case(conditions: [.equal("pages", 120)], found: ["b1", "b3"]),
        Case(conditions: [.equal("pages", 120.0)], found: ["b1", "b3"]),
        Case(conditions: [.isIn("pages", [7, 635, "x"])], found: ["b2", "b4"]),
        Case(conditions: [.equal("new", true)], found: ["b1"]),
        Case(conditions: [.equal("new", 1)], found: []),
        Case(conditions: [.contains("title", "eclair")], found: ["b1"]),
        Case(conditions: [.contains("title", "AL")], found: ["b2", "s1"]),
        Case(conditions: [.contains("tags", "old")], found: ["b2"]),
        Case(conditions: [.between("pages", 100, 200.5)], found: ["b1", "b3"]),
        Case(conditions: [.between("pages", nil, 7)], found: ["b4"]),
        Case(conditions: [.between("title", "W", nil)], found: ["b2", "s1"]),
        Case(conditions: [.exists("price")], found: ["b1"]),
        Case(conditions: [!.exists("title")], found: ["b4"]),
        Case(conditions: [.equal("pages", 120), !.exists("price")], found: ["b3"]),
        Case(conditions: [.equal("type", "shop")], found: ["s1"]),
        Case(conditions: [.contains("identifier", "B")], found: ["b1", "b2", "b3", "b4"]),
        Case(conditions: [.equal("nothing", 1)], found: []),
        Case(conditions: [.equal("title", .relationship(.identifier("zzz")))], found: []),
    ]

    @Test(arguments: cases)
    private func conditionsSelectEntities(_ test: Case) async throws {
        let store = try await library()
        let found = try await store.identifiers(EntityQuery(where: test.conditions))
        #expect(found.sorted() == test.found.sorted())
        #expect(try await store.count(EntityQuery(where: test.conditions)) == found.count)
    }

    @Test func entitiesAreListedOldestFirstByDefault() async throws {
        let store = try await library()
        #expect(try await store.identifiers() == ["b1", "b2", "b3", "b4", "s1"])
        #expect(try await store.identifiers(EntityQuery(type: "shop")) == ["s1"])
        #expect(try await store.identifiers(EntityQuery(type: "nothing")).isEmpty)
    }

    @Test func orderSortsByValueWithMissingValuesLast() async throws {
        let store = try await library()
        func ordered(_ order: EntityOrder...) async throws -> [String] {
            try await store.identifiers(EntityQuery(type: "book", order: order))
        }
        #expect(try await ordered(EntityOrder("title")) == ["b3", "b1", "b2", "b4"])
        #expect(
            try await ordered(EntityOrder("title", descending: true)) == ["b2", "b1", "b3", "b4"])
        #expect(try await ordered(EntityOrder("pages")) == ["b4", "b1", "b3", "b2"])
        #expect(
            try await ordered(EntityOrder("pages"), EntityOrder("title"))
                == ["b4", "b3", "b1", "b2"])
        #expect(
            try await ordered(EntityOrder("datestamp", descending: true))
                == ["b4", "b3", "b2", "b1"])
    }

    @Test func largeIntegersAreOrderedExactly() async throws {
        let store = try EntityStore.inMemory()
        for (name, number) in [("a", Int64.max), ("b", Int64.max - 1), ("c", Int64.max - 2)] {
            try await store.add([(.new("t", identifier: name), ["n": .integer(number)])])
        }
        #expect(
            try await store.identifiers(EntityQuery(order: [EntityOrder("n")]))
                == ["c", "b", "a"])
    }

    @Test func limitsAndWindowsCutTheList() async throws {
        let store = try await library()
        let query = EntityQuery(offset: 1, limit: 2)
        #expect(try await store.identifiers(query) == ["b2", "b3"])
        #expect(try await store.count(query) == 5)
        let window = try await store.window(.all, from: 3, count: 100)
        #expect(window.records.map(\.identifier) == ["b4", "s1"])
        #expect(window.total == 5)
        #expect(try await store.window(.all, from: 99, count: 1).records.isEmpty)
        #expect(try await store.position(of: .identifier("b3"), in: .all) == 2)
    }

    @Test func indexesFollowManyChangesOfOneProperty() async throws {
        let store = try EntityStore.inMemory()
        let one = EntityReference.identifier("one")
        try await store.add([(.new("t", identifier: "one"), ["n": 0])])
        func found(_ number: Int) async throws -> [String] {
            try await store.identifiers(
                EntityQuery(where: [.equal("n", .integer(Int64(number)))]))
        }
        #expect(try await found(0) == ["one"])
        // Make more changes than an index of this size collects before it is rebuilt.
        for number in 1...2_200 { try await store.set([(one, ["n": .integer(Int64(number % 3))])]) }
        #expect(try await found(2_200 % 3) == ["one"])
        #expect(try await found((2_200 + 1) % 3).isEmpty)
    }

    @Test func indexesFollowChanges() async throws {
        let store = try await library()
        let query = EntityQuery(where: [.equal("title", "Whales")])
        #expect(try await store.identifiers(query) == ["b2"])
        try await store.add([(.identifier("b4"), ["title": "Whales"])])
        try await store.set([(.identifier("b2"), ["title": "Sharks"])])
        #expect(try await store.identifiers(query) == ["b4"])
        try await store.remove(["title"], of: [.identifier("b2")])
        try await store.add([(.identifier("b2"), ["title": "Whales"])])
        try await store.delete([.identifier("b4")])
        #expect(try await store.identifiers(query) == ["b2"])
    }

    @Test func textSearchMatchesWordPrefixes() async throws {
        let store = try await library()
        func found(_ text: String) async throws -> [String] {
            try await store.identifiers(EntityQuery(text: text))
        }
        #expect(try await found("whale") == ["b2", "s1"])
        #expect(try await found("more whales") == ["s1"])
        #expect(try await found("ECLAIRS two") == ["b1"])
        #expect(try await found("hales").isEmpty)
        #expect(try await found(" !? ").count == 5)
        try await store.set([(.identifier("b2"), ["title": "Sharks"])])
        #expect(try await found("whale") == ["s1"])
        #expect(try await found("shark") == ["b2"])
    }

    @Test func conditionMatchesAnyOfSeveralValues() async throws {
        let store = try await library()
        let book = EntityReference.identifier("b1")
        for tag: EntityValue in ["one", "two", 3] { try await store.add([(book, ["tag": tag])]) }
        try await store.set([(.identifier("b2"), ["tag": "one"])])
        try await store.set([(.identifier("b2"), ["tag": "four"])])
        func found(_ conditions: EntityCondition...) async throws -> [String] {
            try await store.identifiers(EntityQuery(where: conditions))
        }
        // Each query runs twice: first without and then with an index.
        for _ in 1...2 {
            #expect(try await found(.equal("tag", "one")) == ["b1"])
            #expect(try await found(.equal("tag", "one"), .equal("tag", 3)) == ["b1"])
            #expect(try await found(.contains("tag", "OU")) == ["b2"])
            #expect(try await found(.between("tag", 2, 4)) == ["b1"])
            #expect(try await found(.exists("tag"), !.equal("tag", "two")) == ["b2"])
        }
        #expect(try await store.identifiers(EntityQuery(text: "two")) == ["b1"])
        let newest = EntityCondition("tag", .isIn(["one"]), readsNewestOnly: true)
        #expect(try await found(newest).isEmpty)
        try await store.add([(book, ["tag": "five"])])
        #expect(try await found(.equal("tag", "five")) == ["b1"])
        try await store.remove(values: ["one"], key: "tag", of: book)
        #expect(try await found(.equal("tag", "one")).isEmpty)
    }

    @Test func conditionFindsRelationshipsByAnyTarget() async throws {
        let store = try await library()
        let book = EntityReference.identifier("b1")
        for target in ["b3", "b2"] {
            try await store.relate([(book, .identifier(target))], key: "like")
        }
        let query = EntityQuery(where: [.equal("like", .relationship(.identifier("b3")))])
        #expect(try await store.identifiers(query) == ["b1"])
        try await store.delete([.identifier("b3")])
        #expect(try await store.identifiers(query).isEmpty)
    }

    @Test func rangeConditionsRejectBooleans() async throws {
        let store = try await library()
        _ = await expectError(.invalidValue) {
            _ = try await store.entities(EntityQuery(where: [.between("new", true, nil)]))
        }
    }
}
