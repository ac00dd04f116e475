import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct InterchangeValueTests {
    private static let kinds: [EntityValue] = [
        "", "日本 \u{0}\u{1b}", "e\u{301}", "\u{e9}", .integer(.min), .integer(.max), 0.0, -0.0,
        5e-300, .double(.nan), .double(.infinity), .double(-.infinity), true,
        .date(Timestamp(microseconds: -1)), .date(.latest), .data(Data([0, 255])), .data(Data()),
        .relationship(.identifier("x")), [], [:], [1, 1.0, .double(.nan), .date(.earliest)],
        ["$date": "x"], ["$dictionary": ["a": .data(Data())]], ["e\u{301}": 1, "\u{e9}": 2],
    ]

    private static func value(_ random: inout SeededRandom) -> EntityInterchange {
        let keys: [Name] = ["name", "modified", "e\u{301}", "\u{e9}", "$x", "a b"]
        func date() -> Timestamp {
            Timestamp(
                microseconds: Int64.random(in: -9_000_000_000...9_000_000_000, using: &random))
        }
        let entities = (0..<Int.random(in: 0...4, using: &random)).map { number in
            var entity = EntityInterchange.Entity(
                identifier: "e\(number)",
                type: ["t", "\u{e9}"].randomElement(using: &random) ?? "t",
                datestamp: Bool.random(using: &random) ? date() : nil)
            for key in keys where Bool.random(using: &random) {
                entity.properties[key] = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    Property(
                        kinds.randomElement(using: &random) ?? "",
                        type: Bool.random(using: &random) ? "label" : nil,
                        datestamp: Bool.random(using: &random) ? date() : nil)
                }
            }
            return entity
        }
        return EntityInterchange(entities: entities)
    }

    @Test func interchangeBytesAreLossless() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<2_000 {
            let value = Self.value(&random)
            #expect(value == value)
            #expect(try EntityInterchange(value.data()) == value)
        }
    }

    @Test func codersKeepTheValueAndShareTheFormatOfFiles() throws {
        var random = SeededRandom(seed: 7)
        for _ in 0..<300 {
            var value = Self.value(&random)
            for index in value.entities.indices {
                // Dictionaries keyed by `String` hold only one of two canonically equal keys.
                value.entities[index].properties["\u{e9}"] = nil
                value.entities[index].properties.mapInPlace { entries in
                    entries.filter { $0.value.dictionary?["\u{e9}"] == nil }
                }
                value.entities[index].properties = value.entities[index].properties
                    .filter { !$0.value.isEmpty }
            }
            value.entities.removeAll { $0.properties.isEmpty && $0.type.isEmpty }
            let text = try JSONEncoder().encode(value)
            #expect(try JSONDecoder().decode(EntityInterchange.self, from: text) == value)
            #expect(try EntityInterchange(text) == value)
        }
    }

    @Test(arguments: kinds) func codersKeepEveryValue(_ value: EntityValue) throws {
        let text = try JSONEncoder().encode([value])
        #expect(try JSONDecoder().decode([EntityValue].self, from: text) == [value])
    }

    @Test func codersReadBothFormsOfAFile() throws {
        var value = EntityInterchange(entities: [
            .init(
                identifier: "anna", type: "person", datestamp: .earliest,
                properties: [
                    "name": [Property("Anna", datestamp: .earliest)], "size": [Property(2.0)],
                    "tags": [Property(["a", 1, 1.5, true, ["b": .double(.nan)]], type: "list")],
                    "knows": [Property(.relationship(.identifier("ben")), type: "friend")],
                ])
        ])
        let file = try value.data()
        #expect(try JSONDecoder().decode(EntityInterchange.self, from: file) == value)
        let list = try PropertyListEncoder().encode(value)
        #expect(try PropertyListDecoder().decode(EntityInterchange.self, from: list) == value)
        value.entities[0].properties["size"] = nil
        let compact = try value.data(.compact)
        #expect(
            try JSONDecoder().decode(EntityInterchange.self, from: compact)
                == EntityInterchange(compact))
    }

    @Test func structureOfAnotherFormatIsADecodingError() {
        for text in ["{}", "[]", #"{"entities": [{"type": "t"}]}"#, #"{"entities": null}"#] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(EntityInterchange.self, from: Data(text.utf8))
            }
        }
    }

    @Test func compactBytesHaveTheNewestEntryWithoutDatestamp() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<500 {
            let value = Self.value(&random)
            var expected = value
            for index in expected.entities.indices {
                expected.entities[index].properties.mapInPlace { entries in
                    var newest = Array(entries.prefix(1))
                    for place in newest.indices { newest[place].datestamp = nil }
                    return newest
                }
            }
            #expect(try EntityInterchange(value.data(.compact)) == expected)
        }
    }

    /// A store with several entries of a property, relationships in both directions, and old dates.
    private func library() async throws -> EntityStore {
        let clock = TestClock()
        let store = try EntityStore.inMemory(clock: clock.hybrid)
        var properties = everyKind
        properties["nan"] = Property([.double(.nan)])
        let made = try await store.add([
            (.new("person", identifier: "p"), properties),
            (.new("book", identifier: "b"), ["title": "x"]),
        ])
        clock.advance(microseconds: 1_000_000)
        try await store.relate([(made[0], made[1])], key: "wrote", type: "author")
        try await store.add([(made[1], ["title": "y"])])
        return store
    }

    @Test(arguments: [InterchangeForm.normalized, .compact])
    func interchangeValueMatchesItsBytes(_ form: InterchangeForm) async throws {
        let store = try await library()
        let value = try await store.interchange(form)
        #expect(value.entities.map(\.identifier) == ["b", "p"])
        #expect(try await store.export(form) == value.data(form))
        #expect(try await EntityInterchange(store.export(form)) == value)
        let query = EntityQuery(type: "book")
        #expect(try await store.interchange(form, query).entities == [value.entities[0]])
        #expect(
            try await store.interchange(form, EntityQuery(offset: 1, limit: 1)).entities
                == [value.entities[1]])
    }

    @Test func importingTheValueEqualsImportingItsBytes() async throws {
        let store = try await library()
        let value = try await store.interchange()
        let first = try EntityStore.inMemory(clock: TestClock().hybrid)
        let second = try EntityStore.inMemory(clock: TestClock().hybrid)
        let summary = try await first.importInterchange(value)
        #expect(summary.madeCount == 2)
        #expect(try await second.importInterchange(value.data()) == summary)
        #expect(try await first.interchange() == value)
        #expect(try await second.interchange() == value)
        #expect(try await first.importInterchange(value).entryCount == 0)
    }

    @Test func handWrittenInterchangeIsImported() async throws {
        let store = try EntityStore.inMemory(clock: TestClock().hybrid)
        var value = EntityInterchange()
        value.entities.append(
            .init(
                identifier: "x", type: "t",
                properties: [
                    "n": [Property(2), Property(1, datestamp: Timestamp(microseconds: 5))]
                ]))
        try await store.importInterchange(value)
        #expect(
            try await store.values(of: "n", in: [.identifier("x")])[0].map(\.value) == [2, 1])
    }

    private struct Bad: Sendable, CustomTestStringConvertible {
        let entity: EntityInterchange.Entity
        let says: String
        var testDescription: String { says }

        init(
            identifier: String = "x", _ key: Name, _ value: EntityValue, _ says: String
        ) {
            entity = .init(identifier: identifier, type: "t", properties: [key: [Property(value)]])
            self.says = says
        }
    }

    private static var deep: EntityValue {
        var value: EntityValue = 1
        for _ in 0..<300 { value = [value] }
        return value
    }

    @Test(arguments: [
        Bad(identifier: "", "n", 1, "no identifier"), Bad("", 1, "an empty key"),
        Bad("type", "x", "a property named type"),
        Bad("datestamp", .date(.earliest), "a property named datestamp"),
        Bad("n", .relationship(.named("Anna")), "the entity whose name is Anna"),
        Bad("n", .relationship(.null), "no entity"),
        Bad("n", [.relationship(.identifier("y"))], "a relationship can't be inside"),
        Bad("n", deep, "nested too deeply"),
    ])
    private func unrepresentableContentIsRefused(_ bad: Bad) async throws {
        let good = EntityInterchange.Entity(identifier: "good", type: "t")
        let value = EntityInterchange(entities: [good, bad.entity])
        let message = await expectError(.invalidInterchange) { _ = try value.data() }
        #expect(message.contains(bad.says), "\(message)")
        let store = try EntityStore.inMemory()
        await #expect(throws: EntityStoreError.self) { try await store.importInterchange(value) }
        #expect(try await store.count() == 0)
    }

    @Test func untypedEntityIsVisibleOnlyWithAProperty() throws {
        let empty = EntityInterchange(entities: [.init(identifier: "x", type: "")])
        #expect(throws: EntityStoreError.self) { try empty.data() }
        let held = EntityInterchange(
            entities: [.init(identifier: "x", type: "", properties: ["n": [Property(1)]])])
        #expect(try EntityInterchange(held.data()) == held)
    }
}

extension Dictionary {
    fileprivate mutating func mapInPlace(_ transform: (Value) -> Value) {
        self = mapValues(transform)
    }
}
