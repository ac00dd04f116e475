import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

/// The calls that docs/from-datastore.md names as replacements for Datastore's.
@Suite struct ComingFromDatastoreTests {
    struct Person: EntityReferencing {
        static let entityType = "person"
        let reference: EntityReference
    }

    @Test func documentedCallsWork() async throws {
        let folder = try TemporaryFolder()
        let path = try StorePackage(creating: folder.appending("People.store")).path
        let json = Data(
            #"{"entities": [{"type": "book", "identifier": "b", "title": "Emma"}]}"#.utf8)
        let values = ["city": "Basel"]
        let backup = try StorePackage(creating: folder.appending("Backup.store")).path
        // begin
        let store = try await EntityStore.open(package: path, device: DeviceID("desk"))
        let scratch = try EntityStore.inMemory()
        let events = store.events()
        await store.register(Person.self)
        try await store.add([(.new("person", identifier: "anna"), ["name": "Anna", "age": 21])])
        let anna = try await store.resolve([.identifier("anna")])
        let named = try await store.resolve([.named("Anna", type: "person")])
        let either = try await store.resolve([.identifierOrName("Anna", type: "person")])
        let ben = try await store.resolve([.named("Ben").orCreate("person", identifier: "ben")])
        let found = try await store.findOrCreate("person", where: "name", equals: ["Ben"])
        let people = try await store.entities(EntityQuery(types: ["person"]))
        let everything = try await store.entities()
        let count = try await store.count(EntityQuery(types: ["person"]))
        let names = try await store.properties(["name"], of: [.identifier("anna")])
        let byEntity = try await store.properties(["name"], byEntity: people)
        let whole = try await store.properties(of: people)
        try await store.addProperties([.identifier("anna"): ["met": .date(Date.now)]])
        let home = PropertyDictionary(values)
        try await store.add([(.identifier("anna"), home)])
        try await store.update([(.identifier("anna"), ["age": 21, "city": "Kyoto"])])
        try await store.set([(.identifier("anna"), ["age": 22])])
        try await store.relate([(.identifier("anna"), .identifier("ben"))], key: "knows")
        let relations = try await store.relations(from: [.identifier("anna")])
        let history = try await store.entries(of: [.identifier("anna")])
        let removal = try await store.remove(["city"], of: [.identifier("anna")])
        try await store.restore(removal)
        try await store.delete([.identifier("ben")])
        try await store.importInterchange(json)
        let normalized = try await store.export()
        let compact = try await store.export(.compact)
        try await store.reset()
        try await store.replace(withStoreAt: backup)
        await store.close()
        try await EntityStore.destroy(storeAt: path)
        // end
        withExtendedLifetime((events, scratch, everything, whole, normalized, compact)) {}
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(anna[0]?.identifier == "anna" && named == anna && either == anna)
        #expect(ben == found.map(Optional.some) && count == 2)
        #expect(names[0]?[value: "name"] == "Anna" && history[0].count > 3)
        #expect(byEntity.count == people.count && home["city"]?.value == "Basel")
        #expect(relations[0].map(\.key) == ["knows"])
    }
}
