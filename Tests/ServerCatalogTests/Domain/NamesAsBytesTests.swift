import ServerCatalog
import ServerCatalogTesting
import Testing

/// Names are compared as bytes, both in a catalog and in a repository without a database.
@Suite struct NamesAsBytesTests {
    private static let (composed, decomposed) = ("Zu\u{308}rich", "Z\u{FC}rich")

    private static let servers: [VPNServer] = [composed, decomposed].map { name in
        let sample = SampleServers(count: 1, countryCount: 1).servers()[0]
        let logical = sample.logical
        return VPNServer(
            logical: Logical(
                id: name, name: name, domain: logical.domain,
                entryCountryCode: logical.entryCountryCode,
                exitCountryCode: logical.exitCountryCode, hostCountry: nil, city: name,
                translatedCity: nil, gatewayName: nil, tier: logical.tier,
                features: logical.features, latitude: logical.latitude,
                longitude: logical.longitude, status: logical.status),
            endpoints: sample.endpoints)
    }

    private func check(_ repository: ServerRepository) throws {
        try #require(Self.composed == Self.decomposed)
        for name in [Self.composed, Self.decomposed] {
            let bytes = Array(name.utf8)
            for filter in [
                VPNServerFilter.logicalID(name), .name(name), .city(name),
            ] {
                let found = repository.servers(filteredBy: [filter])
                #expect(found.map { Array($0.logical.id.utf8) } == [bytes], "\(filter)")
            }
            let server = try repository.getServer(name)
            #expect(server.map { Array($0.id.utf8) } == bytes)
        }
    }

    @Test func repositoryWithoutADatabaseDistinguishesEquivalentNames() throws {
        try check(ServerRepository(servers: Self.servers))
    }

    @Test(.catalog(servers)) func catalogDistinguishesEquivalentNames() throws {
        try check(CatalogTest.repository)
    }
}
