import Foundation
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// The calls that docs/from-persistence.md recommends as replacements for Persistence's.
@Suite(.catalog(SampleServers(count: 50).servers())) struct ComingFromPersistenceTests {
    @Test func documentedCallsWork() throws {
        let folder = try TemporaryFolder()
        let path = folder.appending("Catalog.db")
        let servers = SampleServers(count: 20).servers()
        let loads = servers.map { ServerLoad(id: $0.id, status: $0.logical.status) }
        let listed = Set(servers.map(\.id))
        // begin
        let database = try CatalogDatabase.open(path: path)
        let memory = try CatalogDatabase.inMemory()
        let repository = database.repository
        let none = ServerRepository(servers: [])
        try repository.upsert(servers: servers)
        try repository.upsert(loads: loads)
        try repository.delete(serversNotIn: listed, maxTier: 0)
        let first = try repository.getFirstServer(filteredBy: [], orderedBy: .fastest)
        let list = repository.servers(filteredBy: [.maxTier(0)], orderedBy: .nameAscending)
        let groups = repository.groups(filteredBy: [.features(.p2p)])
        let recent = try repository.servers(withIDs: ["a", "b"])
        let empty = repository.isEmpty
        let count = repository.roundedServerCount
        try repository.setMetadata("Thu, 26 Nov 2026 09:00:00 GMT", for: .lastModifiedAll)
        let modified = try repository.metadata(for: .lastModifiedAll)
        let tested = CatalogTest.repository
        // end
        try memory.close()
        #expect(first != nil && !list.isEmpty && !groups.isEmpty && recent.isEmpty)
        #expect(!empty && count == 20 && modified != nil)
        #expect(try none.isEmpty && tested.serverCount() == 50)
    }
}
