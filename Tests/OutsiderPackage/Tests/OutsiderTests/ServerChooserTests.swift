import Outsider
import ServerCatalog
import ServerCatalogTesting
import Testing
import XCTest

@Suite(.catalog(SampleServers(count: 500, countryCount: 20).servers()))
struct ServerChooserTests {
    @Test func freeCountriesHaveFreeServers() {
        let countries = ServerChooser(CatalogTest.repository).freeCountries()
        #expect(!countries.isEmpty)
        #expect(countries == countries.sorted())
    }

    @Test func nothingIsChosenIfNoServerIsUp() throws {
        #expect(try ServerChooser(ServerRepository(servers: [])).choose("CH") == nil)
    }

    @Test func onlyCalledMethodsAreProvided() throws {
        let server = try #require(SampleServers(count: 1).servers().first)
        let chooser = ServerChooser(ServerRepository(getFirstServer: { _, _ in server }))
        #expect(try chooser.choose("US") == server.logical.name)
    }

    @Test func callingAMissingMethodFailsTheTest() {
        withKnownIssue {
            _ = ServerChooser(ServerRepository()).freeCountries()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("ServerRepository.getGroups") }
        }
    }
}

final class ServerChooserXCTests: TestIsolatedDatabaseTestCase {
    override var initialServers: [VPNServer] { SampleServers(count: 100).servers() }

    func testChooserFindsAServer() throws {
        XCTAssertNotNil(try ServerChooser(repository).choose("US"))
    }
}
