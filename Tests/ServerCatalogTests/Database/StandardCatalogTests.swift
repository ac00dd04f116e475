import Foundation
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import Testing

/// Queries of the standard catalog, as a client of the service makes them.
@Suite struct StandardCatalogTests {
    private let catalog: CatalogDatabase

    init() throws {
        catalog = try CatalogTest.makeCatalog()
        let report = try catalog.importLogicals(
            ByteStream(Data(StandardCatalog.logicals.utf8)))
        #expect(report.imported == 12)
        #expect(report.bad == [])
    }

    private func first(_ filters: [VPNServerFilter]) throws -> String? {
        try catalog.firstServer(filteredBy: filters, orderedBy: .fastest)?.logical.name
    }

    private func found(_ text: String) throws -> [String] {
        try catalog.servers(filteredBy: [.matches(text)], orderedBy: .fastest).map(\.id)
    }

    @Test func groupsAreGatewaysThenCountriesByName() throws {
        let groups = try catalog.groups(orderedBy: .localizedCountryNameAscending)
        #expect(
            groups.map(\.kind) == [
                .gateway(name: "Acme", countryCode: "DE"), .country(code: "CA"),
                .country(code: "DE"), .country(code: "JP"), .country(code: "PL"),
                .country(code: "CH"), .country(code: "AE"), .country(code: "US"),
            ])
        #expect(groups.map(\.serverCount) == [2, 1, 2, 1, 1, 2, 1, 2])
        let byCode = try catalog.groups(orderedBy: .exitCountryCodeAscending)
        #expect(byCode.map(\.countryCode) == ["DE", "AE", "CA", "CH", "DE", "JP", "PL", "US"])
    }

    @Test func groupHasTheAggregatesOfItsServers() throws {
        let groups = try catalog.groups(orderedBy: .localizedCountryNameAscending)
        #expect(
            groups[2]
                == ServerGroupInfo(
                    kind: .country(code: "DE"), serverCount: 2, cityCount: 2, minTier: 2,
                    maxTier: 2, featureUnion: [.p2p, .streaming], featureIntersection: .p2p,
                    protocolSupport: ProtocolSupport(rawValue: 9), isUnderMaintenance: false,
                    isVirtual: false, latitude: 1.5, longitude: 2.5))
        #expect(groups[6].isVirtual)
        #expect(groups[5].minTier == 0 && groups[5].maxTier == 2 && groups[5].cityCount == 1)
    }

    @Test func groupIsUnderMaintenanceOnlyIfEveryServerIs() throws {
        let down = try catalog.groups().filter(\.isUnderMaintenance)
        #expect(down.map(\.countryCode) == ["JP"])
    }

    @Test func filtersApplyBeforeGrouping() throws {
        let groups = try catalog.groups(filteredBy: [.maxTier(0), .isNotUnderMaintenance])
        #expect(groups.map(\.kind) == [.country(code: "CH")])
        #expect(groups.map(\.serverCount) == [1])
        #expect(groups.map(\.maxTier) == [0])
    }

    @Test func cityGroupsAreByCityAndCountry() throws {
        let groups = try catalog.groups(groupedBy: .city, orderedBy: .exitCountryCodeAscending)
        #expect(
            groups.map(\.kind) == [
                .city(name: nil, countryCode: "AE"), .city(name: nil, countryCode: "CA"),
                .city(name: "Zürich", countryCode: "CH"), .city(name: "Berlin", countryCode: "DE"),
                .city(name: "Köln", countryCode: "DE"), .city(name: nil, countryCode: "DE"),
                .city(name: nil, countryCode: "JP"), .city(name: "Łódź", countryCode: "PL"),
                .city(name: "New York", countryCode: "US"),
            ])
    }

    @Test func secureCoreIsFoundByItsFeature() throws {
        let servers = try catalog.servers(filteredBy: [.features(.secureCore)])
        #expect(servers.map(\.logical.exitCountryCode) == ["CA"])
        #expect(servers.map(\.logical.entryCountryCode) == ["CH"])
        #expect(try catalog.servers(filteredBy: [.features(.standard)]).count == 11)
    }

    @Test func fastestIsFoundAmongMatchingServers() throws {
        #expect(try first([]) == "CH#1")
        #expect(try first([.maxTier(0), .isNotUnderMaintenance]) == "CH-FREE#1")
        #expect(try first([.maxTier(0)]) == "US-FREE#2")
        #expect(
            try first([.tier(0), .supports(.wireGuardUDP), .isNotUnderMaintenance]) == "CH-FREE#1")
        #expect(try first([.features(.tor)]) == "US-NY#61-TOR")
        #expect(try first([.supports(.wireGuardTLS), .kind(.country("DE"))]) == "DE#10")
        #expect(try first([.kind(.country("US")), .features(.tor)]) == "US-NY#61-TOR")
        #expect(try first([.city("Köln")]) == "DE#9")
        #expect(try first([.kind(.gateway("Acme"))]) == "ACME-DE#1")
        #expect(try first([.maxTier(0), .features(.tor)]) == nil)
        #expect(try first([.kind(.country("US")), .features(.secureCore)]) == nil)
        #expect(try catalog.firstServer(orderedBy: .random) != nil)
    }

    @Test func anyOfSeveralProtocolsMatches() throws {
        func germans(_ support: ProtocolSupport) throws -> [String] {
            try catalog.servers(
                filteredBy: [.kind(.country("DE")), .supports(support)], orderedBy: .fastest
            ).map(\.logical.name)
        }
        #expect(try germans(.ikev2) == ["DE#9"])
        #expect(try germans(.wireGuardTLS) == ["DE#10"])
        #expect(try germans([.ikev2, .wireGuardTLS]) == ["DE#9", "DE#10"])
        #expect(try germans(.openVPNTCP) == [])
    }

    @Test func namesAreSortedByNumber() throws {
        let names = try catalog.servers(
            filteredBy: [.kind(.country("DE"))], orderedBy: .nameAscending
        ).map(\.logical.name)
        #expect(names == ["DE#9", "DE#10"])
    }

    @Test func limitKeepsTheFirstServers() throws {
        let servers = try catalog.servers(orderedBy: .fastest, limit: 2)
        #expect(servers.map(\.logical.name) == ["CH#1", "CH-CA#1"])
        #expect(try catalog.servers(orderedBy: .fastest, limit: 0).isEmpty)
    }

    @Test func firstServerHasItsEndpointsAndOverrides() throws {
        let server = try #require(try catalog.firstServer(filteredBy: [.name("DE#10")]))
        #expect(
            server.endpoints == [
                ServerEndpoint(
                    id: "de-2-a", entryIP: "192.0.2.1", exitIP: "192.0.2.2", domain: "d",
                    status: 1, label: "0", x25519PublicKey: "key=",
                    overrides: ProtocolOverrides(["WireGuardTLS": .init(ports: [443])]))
            ])
    }

    @Test func searchFindsCountriesByPartOfTheirName() throws {
        #expect(try found("zerla") == ["ch-1", "ca-1", "ch-2"])
        #expect(try found("UNITED") == ["us-1", "us-2", "ae-1"])
    }

    @Test func searchIgnoresCaseAndAccents() throws {
        for text in ["lodz", "ŁÓDŹ", "Łódź", "LoDz", " lodz "] {
            #expect(try found(text) == ["pl-1"])
        }
        #expect(try found("zuri") == ["ch-1", "ch-2"])
        #expect(try found("ACM") == ["gw-1", "gw-2"])
    }

    @Test func searchFindsTranslatedCities() throws { #expect(try found("nowy") == ["us-1"]) }

    @Test func emptySearchFindsEverything() throws {
        #expect(try found("").count == 12)
        #expect(try found("  \t").count == 12)
    }

    @Test func searchFindsOnlyCompleteCodes() throws {
        let logical = Logical(
            id: "1", name: "Server", domain: "d", exitCountryCode: "QX", tier: 0)
        try catalog.upsert(servers: [
            VPNServer(
                logical: logical,
                endpoints: [ServerEndpoint(id: "1", exitIP: "192.0.2.1", domain: "d")])
        ])
        #expect(try found("qx") == ["1"])
        #expect(try found("q").isEmpty)
        #expect(try found("h#").isEmpty)
    }

    @Test func searchFindsNamesByPrefix() throws {
        #expect(try found("us-n") == ["us-1"])
        #expect(try found("ny#").isEmpty)
        #expect(try found("de#1") == ["de-2"])
    }

    @Test func searchTakesWildcardsLiterally() throws {
        #expect(try found("%").isEmpty)
        #expect(try found("_").isEmpty)
    }

    @Test func countryNamesAreInTheUsersLanguage() throws {
        let german = try CatalogDatabase.inMemory(
            names: CountryNames(locale: Locale(identifier: "de")))
        _ = try german.importLogicals(ByteStream(Data(StandardCatalog.logicals.utf8)))
        let groups = try german.groups(orderedBy: .localizedCountryNameAscending)
        #expect(groups.map(\.countryCode) == ["DE", "DE", "JP", "CA", "PL", "CH", "AE", "US"])
        #expect(
            try german.servers(filteredBy: [.matches("vereinigte")], orderedBy: .fastest)
                .map(\.id) == ["us-1", "us-2", "ae-1"])
    }
}
