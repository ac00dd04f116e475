import EntityStore
import Foundation
import Replication
import Testing

/// A program of people that was written for Datastore.
@Suite struct PeopleTests {
    /// A type of the program that has the name of a type of the library.
    struct Property { let street: String }

    @Test func peopleAreWrittenAndReadByEntity() async throws {
        let store = try EntityStore.inMemory()
        var events = store.events().makeAsyncIterator()
        let name = "Anna"
        let born = Date(timeIntervalSince1970: 0)
        let anna = EntityReference.identifier("anna")
        let ben = EntityReference.identifier("ben")
        try await store.addProperties([
            .new("person", identifier: "anna"): ["name": EntityValue(name), "born": .date(born)],
            .new("person", identifier: "ben"): ["name": "Ben"],
        ])
        let home = Property(street: "Quai 1")
        let typed = EntityStore.Property(.string(home.street), type: "address")
        var details = PropertyDictionary(["city": "Basel"])
        details["home"] = typed
        try await store.setProperties([anna: details])
        try await store.remove(["city"], of: [anna])

        let people = try await store.properties(["name", "home"], byEntity: [anna, ben])
        #expect(people[anna]?[value: "name"] == "Anna")
        #expect(people[anna]?["home"]?.type == "address")
        #expect(people[ben]?.count == 1)
        let query = EntityQuery(type: "person", where: [.exists("born")])
        #expect(try await store.records(query).map { $0[value: "name"] } == ["Anna"])

        let backup = try JSONEncoder().encode(await store.interchange())
        try await store.delete([ben])
        let content = try JSONDecoder().decode(EntityInterchange.self, from: backup)
        try await store.replace(with: content)
        #expect(try await store.count() == 2)

        var kinds: [String] = []
        while kinds.count < 5, let event = await events.next() {
            guard case .changed(let changes) = event.kind else { continue }
            if !changes.added.isEmpty { kinds.append("added") }
            if !changes.changed.isEmpty {
                kinds.append(changes.removedKeys.isEmpty ? "changed" : "removed")
            }
            if !changes.deleted.isEmpty { kinds.append("deleted") }
        }
        #expect(kinds == ["added", "changed", "removed", "deleted", "added"])
        await store.close()
    }

    @Test func personIsEditedUndoneDeletedRestoredAndResolved() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "people-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/People.store"
        let desk = try await EntityStore.open(package: path, device: DeviceID("desk"))
        let phone = try await EntityStore.open(package: path, device: DeviceID("phone"))
        let added = try await desk.add([(.new("person", identifier: "anna"), ["name": "Anna"])])
        let anna = added[0]
        var details = PropertyDictionary()
        details[value: "city"] = "Basel"
        try await desk.set([(anna, details)])
        try await desk.relate([(anna, anna)], key: "knows")
        #expect(try await desk.relations(from: [anna])[0].map(\.target) == [anna])

        let edit = EntityEdit.set(anna, ["name": "Nina"], keepsOthers: false)
        let (_, undo) = try await desk.perform(edit)
        try await desk.perform(.revert(undo))
        let query = EntityQuery(
            type: "person", where: [.equal("name", "Anna")],
            order: [EntityOrder("city", descending: true), EntityOrder("name")])
        #expect(try await desk.records(query).map(\.identifier) == ["anna"])
        let removal = try await desk.delete([anna])
        try await desk.restore(removal)

        try await phone.sync()
        try await phone.set([(anna, ["name": "Anna P."])])
        try await desk.set([(anna, ["name": "Anna D."])])
        try await desk.sync()
        for conflict in await desk.conflicts() {
            #expect(conflict.key == "name" && conflict.sides.count == 2)
            let value = conflict.sides[0].value
            try await desk.set([(conflict.reference, PropertyDictionary([conflict.key: value]))])
        }
        #expect(await desk.conflicts().isEmpty)
        let names = try await desk.entries(of: [anna])[0].filter { $0.key == "name" }
        #expect(names.map(\.value).contains("Anna D."))
        await desk.close()
        await phone.close()
    }

    @Test func relationsAndHistoriesAreFoundByEntity() async throws {
        let store = try EntityStore.inMemory()
        let people = try await store.add([
            (.new("person", identifier: "anna"), ["name": "Anna"]),
            (.new("person", identifier: "ben"), ["name": "Ben"]),
        ])
        let (anna, ben) = (people[0], people[1])
        try await store.relate([(anna, ben)], key: "knows")
        try await store.updateProperties([ben: ["name": "Benno"]], keepingOthers: true)
        #expect(try await store.relations(bySource: people)[anna]?.map(\.target) == [ben])
        #expect(try await store.relations(byTarget: people)[ben]?.map(\.source) == [anna])
        #expect(try await store.entries(byEntity: people)[ben]?.map(\.value) == ["Benno", "Ben"])
        #expect(try await store.values(of: "name", byEntity: people)[anna]?.count == 1)
        #expect(try await store.records(byEntity: people)[ben]?[value: "name"] == "Benno")
        await store.close()
    }

    @Test func storeIsReplacedWithABackupAndDestroyed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "people-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let backup = try await EntityStore.open(
            package: folder + "/Backup.store", device: DeviceID("desk"))
        try await backup.add([(.new("person", identifier: "anna"), ["name": "Anna"])])
        await backup.close()

        let path = folder + "/People.store"
        let store = try await EntityStore.open(package: path, device: DeviceID("desk"))
        try await store.add([(.new("person", identifier: "ben"), ["name": "Ben"])])
        try await store.replace(withStoreAt: folder + "/Backup.store")
        #expect(try await store.records(.all).map(\.identifier) == ["anna"])
        await store.close()
        try await EntityStore.destroy(storeAt: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
