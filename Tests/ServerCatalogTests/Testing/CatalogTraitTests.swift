import ServerCatalog
import ServerCatalogTesting
import Testing

private let samples = SampleServers(count: 10, countryCount: 3)

@Suite(.catalog(samples.servers()), .serialized)
struct CatalogPerTestTests {
    @Test(arguments: 1...3)
    func eachCaseStartsWithTheGivenServers(_ run: Int) throws {
        #expect(try CatalogTest.repository.serverCount() == 10)
        try CatalogTest.repository.delete(serversNotIn: [], maxTier: 3)
        #expect(CatalogTest.repository.isEmpty)
    }

    @Test(.catalog()) func innerTraitWins() throws {
        #expect(CatalogTest.repository.isEmpty)
    }
}

@Suite(.catalog(samples.servers(), isolatedPer: .suite), .serialized)
struct CatalogPerSuiteTests {
    @Test(arguments: 0...2)
    func casesOfASuiteShareOneCatalog(_ run: Int) throws {
        let servers = samples.servers()
        #expect(try CatalogTest.repository.serverCount() == 10 - run)
        let kept = Set(servers.dropFirst(run + 1).map(\.id))
        #expect(try CatalogTest.repository.delete(serversNotIn: kept, maxTier: 3) == 1)
    }
}

@Suite struct CatalogOutsideTests {
    @Test func noCatalogExistsOutsideTheTrait() {
        #expect(CatalogTest.database == nil)
    }

    @Test(.catalog(samples.servers(), isolatedPer: .suite))
    func testOutsideASuiteHasACatalog() throws {
        #expect(try CatalogTest.repository.serverCount() == 10)
    }
}
