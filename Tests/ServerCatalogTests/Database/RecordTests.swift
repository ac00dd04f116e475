import GRDB
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

/// Custom queries over the catalog's tables.
@Suite struct RecordTests {
    private let samples = SampleServers(count: 200, countryCount: 8).servers()

    @Test func recordsAreFetchedByTheQueryInterface() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        try catalog.read { db in
            let server = samples[7]
            let logical = try #require(
                try CatalogRecords.Logical.filter(Column("id") == server.id).fetchOne(db))
            #expect(logical.name == server.logical.name)
            #expect(logical.feature == server.logical.features.rawValue)
            #expect(
                logical.protocolMask
                    == server.endpoints.reduce(0) { $0 | $1.protocolSupport.rawValue })
            let status = try CatalogRecords.LogicalStatus
                .filter(Column("logicalId") == server.id).fetchOne(db)
            #expect(status?.load == server.logical.status.load)
            #expect(status?.score == server.logical.status.score)
            let endpoints = try CatalogRecords.Endpoint
                .filter(Column("logicalId") == server.id).fetchAll(db)
            #expect(endpoints.map(\.exitIP) == server.endpoints.map(\.exitIP))
            let overridden = samples.flatMap(\.endpoints).filter { $0.overrides != nil }
            let overrides = try CatalogRecords.OverrideInfo.fetchAll(db)
            #expect(
                Dictionary(
                    uniqueKeysWithValues: overrides.map { ($0.endpointId, $0.protocolEntries) })
                    == Dictionary(
                        uniqueKeysWithValues: overridden.map { ($0.id, $0.overrides?.json) }))
        }
    }

    @Test func observersAreNotifiedOfChanges() throws {
        let queue = try DatabaseQueue()
        let catalog = try CatalogDatabase(queue, names: .english)
        let changes = Changes()
        let observation = DatabaseRegionObservation(tracking: Table("logicalStatus"))
            .start(in: queue) { _ in
            } onChange: { _ in
                changes.count += 1
            }
        try catalog.upsert(servers: samples)
        #expect(changes.count == 1)
        try catalog.update(loads: [ServerLoad(id: samples[0].id, status: samples[1].logical.status)]
        )
        #expect(changes.count == 2)
        observation.cancel()
    }

    /// Counts on the database's serial queue, which the test waits for.
    private final class Changes: @unchecked Sendable {
        var count = 0
    }
}
