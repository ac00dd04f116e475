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
