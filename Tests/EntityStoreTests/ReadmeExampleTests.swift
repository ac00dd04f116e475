import EntityStore
import Foundation
import Replication
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func documentedExampleRuns() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("People.store")
        let copy = try EntityStore.inMemory()
        // begin
        let entities = try await EntityStore.open(package: path, device: DeviceID("desk"))
        try await entities.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "born": 1985])
        ])
        let found = try await entities.records(EntityQuery(types: ["person"]))
        for person in found { print(person.identifier, person[value: "name"]?.string ?? "") }
        let ben = try await entities.findOrCreate("person", where: "name", equals: ["Ben"])[0]
        try await entities.update([(ben, ["name": "Ben", "born": 1990])])
        let city = "Kyoto"
        try await entities.addProperties([ben: ["city": EntityValue(city), "met": .date(Date.now)]])
        try await entities.set([(ben, PropertyDictionary(["city": city, "seen": Date.now]))])
        let names = try await entities.properties(["name"], byEntity: [ben])
        let backup = try await entities.interchange()
        try await copy.importInterchange(backup)
        try await copy.replace(with: backup)
        // end
        #expect(found.map(\.identifier) == ["anna"])
        #expect(names[ben]?[value: "name"] == "Ben")
        #expect(try await copy.count() == 2)
        #expect(try await copy.interchange() == backup)
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
