import ServerCatalog
import ServerCatalogTesting
import TestSupport
import Testing

// begin
func bestServer(in repository: ServerRepository) throws -> VPNServer? {
    try repository.getFirstServer(
        filteredBy: [.isNotUnderMaintenance, .supports(.wireGuardUDP)], orderedBy: .fastest)
}
// end

@Suite(.catalog(SampleServers(count: 300).servers())) struct ArticleExampleTests {
    @Test func articleExampleFindsAServer() throws {
        #expect(try bestServer(in: CatalogTest.repository) != nil)
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
