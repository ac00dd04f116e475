import Foundation
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func readmeExampleRuns() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        let logicals = Data(
            """
            {"LogicalServers": [{"ID": "a", "Name": "CH-FREE#1", "Domain": "ch.example.net",
            "EntryCountry": "CH", "ExitCountry": "CH", "HostCountry": null, "Tier": 0, "Features": 4, "City": "Zurich",
            "Status": 1, "Load": 12, "Score": 1.5, "Location": {"Lat": 47.4, "Long": 8.5},
            "Servers": [{"ID": "e", "EntryIP": "192.0.2.1", "ExitIP": "192.0.2.1",
            "Domain": "ch.example.net", "Status": 1, "X25519PublicKey": "key"}]}]}
            """.utf8)
        // begin
        let database = try CatalogDatabase.open(path: path)
        let report = try database.importLogicals(ByteStream(logicals))
        let repository = database.repository
        let groups = repository.groups(filteredBy: [.features(.p2p)])
        let free = repository.servers(
            filteredBy: [.maxTier(0), .kind(.country("CH"))], orderedBy: .nameAscending)
        let best = try repository.getFirstServer(
            filteredBy: [.isNotUnderMaintenance, .supports(.wireGuardUDP)], orderedBy: .fastest)
        // end
        #expect(report.imported == 1 && report.badCount == 0)
        #expect(groups.count == 1 && free.count == 1 && best?.id == "a")
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
