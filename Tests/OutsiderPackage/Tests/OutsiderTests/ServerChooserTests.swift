import Foundation
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

    @Test func callingAMissingMethodFailsTheTestAtItsOwnLine() {
        withKnownIssue {
            _ = ServerChooser(ServerRepository()).freeCountries()
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("ServerRepository.getGroups") }
                && issue.sourceLocation?.fileID == "OutsiderTests/ServerChooserTests.swift"
        }
    }

    @Test func recentServerIsKeptAsJSON() throws {
        let best = try CatalogTest.repository.getFirstServer(
            filteredBy: [.isNotUnderMaintenance], orderedBy: .fastest)
        let recent = try JSONEncoder().encode(best)
        #expect(try JSONDecoder().decode(VPNServer?.self, from: recent) == best)
        #expect(!CatalogTest.repository.isEmpty)
        #expect(CatalogTest.repository.roundedServerCount == 400)
    }
}

final class ServerChooserXCTests: TestIsolatedDatabaseTestCase {
    override var initialServers: [VPNServer] { SampleServers(count: 100).servers() }

    func testChooserFindsAServer() throws {
        XCTAssertNotNil(try ServerChooser(repository).choose("US"))
    }
}
