import Foundation
import Replication
import TestSupport
import Testing

@testable import EntityStore

@Suite struct FindOrCreateTests {
    /// A library with a book and a person of the same name, the book first.
    private func library() async throws -> EntityStore {
        let clock = TestClock()
        let store = try EntityStore.inMemory(clock: clock.hybrid)
        try await store.add([(.new("book", identifier: "b"), ["name": "Anna", "code": 7])])
        clock.advance(microseconds: 1)
        try await store.add([(.new("person", identifier: "p"), ["name": "Anna", "code": 8])])
        return store
    }

    @Test func onlyEntitiesOfTheTypeAreFound() async throws {
        let store = try await library()
        let found = try await store.resolve([
            .named("Anna"), .named("Anna", type: "person"), .named("Anna", type: "book"),
            .named("Anna", type: "shop"), .where("code", equals: 7, type: "person"),
            .where("code", equals: 8, type: "person"), .identifierOrName("b", type: "book"),
            .identifierOrName("b", type: "person"), .identifierOrName("Anna", type: "person"),
        ])
        #expect(
            found.map { $0?.identifier } == ["b", "p", "b", nil, nil, "p", "b", nil, "p"])
        #expect(try await store.count() == 2)
    }

    @Test func missingEntitiesOfTheTypeAreCreatedOnce() async throws {
        let store = try await library()
        let found = try await store.findOrCreate(
            "person", where: "name", equals: ["Anna", "Ben", "Ben", "b"], properties: ["age": 1])
        #expect(found[0].identifier == "p")
        #expect(found[1] == found[2])
        #expect(Set(found).count == 3)
        let records = try await store.records(of: found).compactMap(\.self)
        #expect(records.map(\.type) == ["person", "person", "person", "person"])
        #expect(
            records.map { $0.properties[value: "name"] } == ["Anna", "Ben", "Ben", "b"])
        #expect(records.map { $0.properties[value: "age"] } == [nil, 1, 1, 1])
        #expect(
            try await store.findOrCreate("person", where: "name", equals: ["Ben", "b"])
                == [found[1], found[3]])
        #expect(try await store.count() == 4)
    }

    @Test func newestOnlyConditionsIgnoreOlderValues() async throws {
        let store = try await library()
        try await store.add([(.identifier("p"), ["code": 9])])
        let found = try await store.findOrCreate("person", where: "code", equals: [8, 9])
        #expect(found[0].identifier != "p")
        #expect(found[1].identifier == "p")
    }

    @Test func findingWritesNothingAndWorksInAReadOnlyStore() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let anna = try await EntityStore.open(package, device: DeviceID("anna"))
        _ = try await anna.make("person", "x")
        await anna.close()
        let reader = try await EntityStore.open(package)
        #expect(
            try await reader.findOrCreate("person", where: "name", equals: ["x"])
                == [.identifier("x")])
        _ = await expectError(.readOnly) {
            try await reader.findOrCreate("book", where: "name", equals: ["x"])
        }
        await reader.close()
    }

    @Test func entityThatItsReferenceWouldNotMatchIsNotCreated() async throws {
        let store = try await library()
        _ = await expectError(.invalidValue) {
            _ = try await store.resolve([.named("Zoe", type: "person").orCreate("book")])
        }
        _ = await expectError(.invalidValue) {
            _ = try await store.resolve([
                .identifierOrName("Zoe", type: "person").orCreate("book")
            ])
        }
        _ = await expectError(.exists) {
            _ = try await store.resolve([
                .identifierOrName("b", type: "person").orCreate("person")
            ])
        }
        #expect(try await store.count() == 2)
    }

    @Test func entityCreatedInTheSameCallIsFoundByType() async throws {
        let store = try await library()
        let found = try await store.resolve([
            EntityReference.identifier("c").orCreate("cat"),
            .identifierOrName("c", type: "cat").orCreate("cat"),
        ])
        #expect(found[0] == found[1])
        #expect(try await store.count(EntityQuery(type: "cat")) == 1)
    }
}
