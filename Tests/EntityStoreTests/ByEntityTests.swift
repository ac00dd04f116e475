import EntityStore
import Foundation
import Replication
import Testing

@Suite struct ByEntityTests {
    private let anna = EntityReference.identifier("anna")
    private let ben = EntityReference.identifier("ben")

    private func store() async throws -> EntityStore {
        let store = try EntityStore.inMemory()
        let made = try await store.addProperties([
            .new("person", identifier: "anna"): ["name": "Anna", "age": 21],
            .new("person", identifier: "ben"): ["name": "Ben"],
        ])
        #expect(Set(made.values) == [anna, ben])
        return store
    }

    @Test func propertiesAreReturnedByEntity() async throws {
        let store = try await store()
        let names = try await store.properties(["name"], byEntity: [anna, ben, .identifier("x")])
        #expect(names.mapValues { $0[value: "name"] } == [anna: "Anna", ben: "Ben"])
        let named = try await store.properties(["age"], byEntity: [.named("Anna"), anna, anna])
        #expect(named.mapValues { $0[value: "age"] } == [.named("Anna"): 21, anna: 21])
    }

    @Test func recordsAndRelationsAreReturnedByEntity() async throws {
        let store = try await store()
        try await store.relate([(anna, ben)], key: "knows")
        let missing = EntityReference.identifier("x")
        let records = try await store.records(byEntity: [anna, missing], keys: ["name"])
        #expect(records.mapValues { $0["name"]?.value } == [anna: "Anna"])
        let sources = try await store.relations(bySource: [anna, ben, missing])
        #expect(sources.mapValues { $0.map(\.target) } == [anna: [ben], ben: [], missing: []])
        let targets = try await store.relations(byTarget: [.named("Ben")])
        #expect(targets.mapValues { $0.map(\.source) } == [.named("Ben"): [anna]])
    }

    @Test func propertiesAreMadeOfVariablesOfDifferentTypes() throws {
        let name = "Anna"
        let born = 1985
        let met = Date(timeIntervalSince1970: 0)
        let properties = PropertyDictionary(["name": name, "born": born, "met": met])
        let expected: PropertyDictionary = ["name": "Anna", "born": 1985, "met": .date(met)]
        #expect(properties == expected)
        #expect(EntityValue(Int32.min) == .integer(Int64(Int32.min)))
        #expect(EntityValue(UInt32.max) == .integer(Int64(UInt32.max)))
        #expect(EntityValue(Float(1.5)) == .double(1.5))
    }

    @Test func dictionariesAreWrittenLikeLists() async throws {
        let store = try await store()
        try await store.setProperties([anna: ["age": 22], ben: ["age": 35]])
        try await store.addProperties([anna: ["email": "a@x.example"]])
        try await store.addProperties([anna: ["email": "anna@x.example"]])
        let result = try await store.updateProperties([.named("Ben"): ["name": "Ben", "age": 36]])
        #expect(result == [.named("Ben"): ben])
        let emails = try await store.values(of: "email", byEntity: [anna, ben])
        #expect(emails[anna]?.map(\.value) == ["anna@x.example", "a@x.example"])
        #expect(emails[ben] == [])
        let history = try await store.entries(byEntity: [ben], keys: ["age", "name"])
        #expect(history[ben]?.map(\.property.value) == [36, 35, "Ben"])
    }
}
