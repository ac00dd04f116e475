import EntityStore
import Foundation
import Replication

// The parts of Datastore's description: entities, properties, relationships, access in bulk, and
// interchange.
@main struct Port {
    static func main() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let package = try StorePackage(creating: folder + "/People.store")
        let store = try await EntityStore.open(package, device: DeviceID("desk"))

        // An entity has a type, which is only a tag, and custom properties of any kind.
        let entities = try await store.add([
            (.new("person", identifier: "jane"), ["name": "Jane", "born": 1985]),
            (.new("book", identifier: "emma"), ["title": "Emma"]),
        ])
        let (jane, emma) = (entities[0], entities[1])

        // The fixed properties are read like others.
        let fixed = try await store.properties(["type", "identifier", "datestamp"], of: [jane])
        expect(fixed[0]?[value: "type"] == "person" && fixed[0]?.count == 3)

        // A value has a semantic type in addition to its kind.
        var contact = PropertyDictionary()
        contact["address"] = EntityStore.Property(.string("jane@example.org"), type: "email")
        try await store.add([(jane, contact)])

        // A property can have several entries. The newest one is current.
        try await store.add([(jane, ["name": "Jane A."])])
        let current = try await store.properties(["name", "address"], byEntity: [jane])
        expect(current[jane]?[value: "name"] == "Jane A.")
        expect(current[jane]?["address"]?.type == "email")
        let history = try await store.entries(of: [jane])
        expect(history[0].filter { $0.key == "name" }.count == 2)

        // A relationship is a property whose value is an entity.
        try await store.relate([(jane, emma)], key: "wrote", type: "author")
        let relations = try await store.relations(to: [emma])
        expect(relations[0].map(\.key) == ["wrote"])

        // The interchange format contains only JSON types.
        let json = try await store.export()
        expect((try JSONSerialization.jsonObject(with: json)) is [String: Any])
        let copy = try EntityStore.inMemory()
        try await copy.importInterchange(json)
        let count = try await copy.count()
        expect(count == 2)

        // Destroying deletes the file of a store that is closed.
        await store.close()
        try await EntityStore.destroy(storeAt: package.path)
        expect(!package.exists)
        print("\(count) entities, \(history[0].count) entries of Jane")
    }
}

/// Ends the program if the condition doesn't hold.
private func expect(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("the condition in line \(line) doesn't hold") }
}
