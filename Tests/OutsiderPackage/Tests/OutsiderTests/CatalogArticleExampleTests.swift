import Foundation
import ServerCatalog
import ServerCatalogGRDB
import Testing

/// The examples of the article of ServerCatalog.
@Suite struct CatalogArticleExampleTests {
    // begin
    func bestServer(in repository: ServerRepository) throws -> VPNServer? {
        try repository.getFirstServer(
            filteredBy: [.isNotUnderMaintenance, .supports(.wireGuardUDP)], orderedBy: .fastest)
    }

    @Test func examplesOfTheArticleRun() throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(path: "catalog-\(UUID()).db").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let catalog = try CatalogDatabase.open(path: path)
        let repository = catalog.repository
        let fixed = ServerRepository(servers: SampleServers(count: 100).servers())
        let stub = ServerRepository(getFirstServer: { _, _ in nil })
        #expect(try bestServer(in: fixed) != nil)
        #expect(try bestServer(in: stub) == nil)

        let servers = SampleServers(count: 300).servers()
        let server = servers[0]
        try repository.upsert(servers: servers)
        let status = LogicalStatus(load: 20, score: 1.5, status: 1)
        try repository.upsert(loads: [ServerLoad(id: server.id, status: status)])
        #expect(try repository.server(withID: server.id)?.logical.status.load == 20)

        let groups = repository.groups(filteredBy: [.isNotUnderMaintenance])
        for group in groups { print(group.countryCode, group.serverCount) }
        let swiss: [VPNServerFilter] = [.kind(.country("CH")), .matches("zur")]
        for server in repository.servers(filteredBy: swiss, orderedBy: .nameAscending) {
            print(server.logical.name, server.logical.city ?? "", server.logical.status.load)
        }
        let sorted = try repository.getGroups(
            filteredBy: [], orderedBy: .localizedCountryNameAscending)
        #expect(!groups.isEmpty && sorted.count >= groups.count)
        if !repository.isEmpty { print("\(repository.roundedServerCount)+ servers") }
        try repository.close()
    }

    /// Compiles the example. Setting a handler would affect tests that run at the same time.
    private func setHandler() {
        ServerRepository.setProblemHandler { problem in print(problem.closure, problem.error) }
    }
    // end
}
