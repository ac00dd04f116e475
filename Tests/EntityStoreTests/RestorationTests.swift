import EntityStore
import Replication
import Testing

/// Giving entities an earlier state.
@Suite struct RestorationTests {
    private let anna = EntityReference.identifier("anna")

    private func people() async throws -> EntityStore {
        let store = try EntityStore.inMemory()
        try await store.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "age": 21])
        ])
        return store
    }

    @Test func propertyGetsExactlyTheRestoredValues() async throws {
        let store = try await people()
        let creation = EntityRestoration.Creation(type: "person", datestamp: .earliest)
        let (_, undo) = try await store.perform(
            .restore([
                EntityRestoration(
                    "anna", creation: creation,
                    properties: [
                        Name("name"): [Property("Ann"), Property("Anne")], Name("age"): [],
                    ])
            ]))
        let names = try await store.values(of: "name", in: [anna])[0].map(\.value)
        #expect(names == ["Anne", "Ann"])
        #expect(try await store.properties(of: [anna])[0]?.keys == ["name"])
        #expect(try await store.conflicts(of: [anna])[0].isEmpty)
        _ = try await store.perform(.revert(undo))
        let properties = try await store.properties(of: [anna])[0]
        #expect(properties?[value: "name"] == "Anna" && properties?[value: "age"] == 21)
    }

    @Test func restoringRecreatesDeletedEntitiesAndDeletesLaterOnes() async throws {
        let store = try await people()
        let record = try #require(try await store.records(of: [anna])[0])
        try await store.delete([anna])
        try await store.add([(.new("person", identifier: "ben"), ["name": "Ben"])])
        let (_, undo) = try await store.perform(
            .restore([
                EntityRestoration(
                    "anna", creation: .init(type: record.type, datestamp: record.datestamp),
                    properties: [Name("name"): [Property("Anna")]]),
                EntityRestoration("ben", creation: nil),
            ]))
        let restored = try await store.records(of: [anna])[0]
        #expect(restored?.datestamp == record.datestamp && restored?.type == "person")
        #expect(restored?.properties.keys == ["name"], "older values stay deleted")
        #expect(try await store.records(of: [.identifier("ben")]) == [nil])
        _ = try await store.perform(.revert(undo))
        #expect(try await store.records(of: [anna]) == [nil])
        #expect(try await store.records(of: [.identifier("ben")])[0]?.properties.keys == ["name"])
    }
}
