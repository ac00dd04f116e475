import EntityStore
import Replication
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func theExampleOfTheReadmeRuns() async throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("People.store")
        _ = try StorePackage(creating: path)
        // begin
        let entities = try await EntityStore.open(package: path, device: DeviceID("desk"))
        try await entities.add([
            (.new("person", identifier: "anna"), ["name": "Anna", "born": 1985])
        ])
        let found = try await entities.records(EntityQuery(types: ["person"]))
        // end
        #expect(found.map(\.identifier) == ["anna"])
        #expect(try ReadmeExample.missingLines(of: #filePath) == [])
    }
}
