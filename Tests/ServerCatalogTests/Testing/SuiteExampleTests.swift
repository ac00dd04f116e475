import ServerCatalog
import ServerCatalogTesting
import TestSupport
import Testing

// begin
@Suite(.catalog(SampleServers(count: 300).servers()))
struct ListTests {
    @Test func freeServersAreListed() throws {
        let free = CatalogTest.repository.servers(filteredBy: [.maxTier(ServerTier.free)])
        #expect(free.allSatisfy { $0.logical.tier == 0 })
    }
}
// end

@Suite struct SuiteExampleTests {
    @Test func articleContainsTheCodeOfThisSuite() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
