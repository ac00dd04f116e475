import ServerCatalog
import ServerCatalogTesting
import Synchronization
import Testing

@Suite(.catalog()) struct RepositoryCallbackTests {
    private let samples = SampleServers(count: 20, countryCount: 3).servers()

    @Test func callbacksReceiveStoredServersAndLoads() throws {
        let stored = Mutex<[String]>([])
        let plain = CatalogTest.repository
        let repository = plain.notifying(
            didStoreServers: { servers in
                // The servers are already stored when the callback runs.
                let count = (try? plain.serverCount()) ?? -1
                stored.withLock { $0.append("\(servers.count) servers of \(count)") }
            },
            didStoreLoads: { loads in stored.withLock { $0.append("\(loads.count) loads") } },
            didDeleteServers: { count in stored.withLock { $0.append("\(count) gone") } })
        try repository.refresh(.full, servers: samples)
        let load = ServerLoad(
            id: samples[3].id, status: LogicalStatus(load: 1, score: 2, status: 0))
        #expect(
            try repository.upsert(loads: [load, ServerLoad(id: "x", status: load.status)]) == 1)
        #expect(stored.withLock(\.self) == ["0 gone", "20 servers of 20", "2 loads"])
        #expect(try plain.server(withID: load.id)?.logical.status == load.status)
    }

    @Test func failedChangesDoNotCallBack() throws {
        let repository = CatalogTest.repository.notifying(
            didStoreServers: { _ in Issue.record("told") },
            didStoreLoads: { _ in Issue.record("told") })
        try repository.close()
        #expect(throws: ServerCatalogError.self) { try repository.upsert(servers: samples) }
        #expect(throws: ServerCatalogError.self) { try repository.upsert(loads: []) }
    }
}
