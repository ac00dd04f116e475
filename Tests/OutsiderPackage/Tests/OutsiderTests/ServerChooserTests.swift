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

    @Test func typesOfTheDomainAreCodable() throws {
        let server = try #require(SampleServers(count: 1).servers().first)
        let repository = CatalogTest.repository
        let info = try #require(
            repository.servers(filteredBy: [], orderedBy: .nameAscending).first)
        let group = try #require(repository.groups().first)
        #expect(try copy(of: server.logical) == server.logical)
        #expect(try copy(of: server.logical.status) == server.logical.status)
        #expect(try copy(of: server.logical.features) == server.logical.features)
        #expect(try copy(of: server.endpoints) == server.endpoints)
        #expect(try copy(of: info) == info)
        #expect(try copy(of: group) == group)
        let load = ServerLoad(id: server.id, status: server.logical.status)
        #expect(try copy(of: load) == load)
    }

    private func copy<Value: Codable>(of value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }
}

final class ServerChooserXCTests: TestIsolatedDatabaseTestCase {
    override var initialServers: [VPNServer] { SampleServers(count: 100).servers() }

    func testChooserFindsAServer() throws {
        XCTAssertNotNil(try ServerChooser(repository).choose("US"))
    }
}
