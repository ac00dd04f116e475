import EntityStore
import Foundation
import Replication
import Testing

/// The examples of the article of EntityStore.
@Suite struct EntityArticleExampleTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "people-\(UUID())")

    // begin
    @Test func examplesOfTheArticleRun() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "People.store").path
        let file = folder.appending(path: "backup.json")
        let entities = try await EntityStore.open(package: path, device: DeviceID("desk"))
        let events = entities.events()
        try await entities.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "born": 1985])
        ])
        do {
            let found = try await entities.records(EntityQuery(types: ["person"]))
            for person in found { print(person.identifier, person[value: "name"]?.string ?? "") }
            #expect(found.count == 1)
        }
        let name = "Ben"
        let city = "Kyoto"
        let ben = try await entities.add([(.new("person"), ["name": EntityValue(name)])])[0]
        var details = PropertyDictionary(["city": city, "met": Date.now])
        details[value: "born"] = 1986
        details["email"] = Property(.string("ben@x.example"), type: "email")
        try await entities.set([(ben, details)])
        for person in try await entities.records(EntityQuery(types: ["person"])) {
            let met: Date? = person[value: "met"]?.date?.date
            print(met ?? .distantPast, person["email"]?.type ?? "")
        }
        let anna = EntityReference.identifier("anna")
        try await entities.addProperties([anna: ["city": "Basel", "met": .date(Date.now)]])
        let names = try await entities.properties(["name"], byEntity: [anna, ben])
        print(names[anna]?[value: "name"]?.string ?? "")
        try await entities.relate([(anna, ben)], key: "knows", type: "friend")
        let friends = try await entities.relations(from: [anna])[0].map(\.target)
        for entry in try await entities.entries(of: [anna])[0] where entry.key == "name" {
            print(entry.value, entry.author, entry.written.date)  // the history of the name
        }
        #expect(names.count == 2 && friends == [ben])

        struct Person: Codable { var name: String, born: Int? }

        let carl = Person(name: "Carl", born: 1990)
        try await entities.save([(.new("person", identifier: "carl"), carl)])
        let people = try await entities.values(as: Person.self, EntityQuery(types: ["person"]))
        #expect(Set(people.map(\.name)) == ["Anna", "Ben", "Carl"])
        for conflict in await entities.conflicts() {
            let value = PropertyDictionary([conflict.key: conflict.sides[0].value])
            try await entities.set([(conflict.reference, value)])
        }
        let query = EntityQuery(
            type: "person", where: [.between("born", 1980, nil), !.exists("email")],
            order: [EntityOrder("born", descending: true), EntityOrder("name")])
        for person in try await entities.records(query) {
            print(person[value: "name"]?.string ?? "")
        }
        let found = try await entities.count(EntityQuery(text: "anna ber"))  // starts of words
        #expect(found == 0)
        let (_, undo) = try await entities.perform(.set(anna, ["name": "Nina"], keepsOthers: false))
        try await entities.perform(.revert(undo))
        let removal = try await entities.delete([ben])
        try await entities.restore(removal)
        let backup = try await entities.interchange()
        try backup.data().write(to: file)
        try await entities.replace(with: EntityInterchange(Data(contentsOf: file)))
        #expect(try await entities.interchange() == backup)

        // The stream ends when the store is closed.
        await entities.close()
        for await event in events {
            guard case .changed(let changes) = event.kind else { continue }
            print(changes.origin, changes.added, changes.changed, changes.deleted, changes.keys)
        }
    }
    // end
}
