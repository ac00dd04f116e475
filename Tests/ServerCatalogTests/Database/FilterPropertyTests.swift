import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// Compares the database with the plain Swift implementation of filters, orders and groups.
@Suite struct FilterPropertyTests {
    /// The expected result of a database query.
    fileprivate struct Expectation {
        let plain: ServerRepository
        let catalog: CatalogDatabase

        init(_ servers: [VPNServer]) throws {
            plain = ServerRepository(servers: servers, names: .english)
            catalog = try CatalogTest.makeCatalog(servers)
        }

        func checkServers(
            _ filters: [VPNServerFilter], _ order: VPNServerOrder, _ seed: UInt64
        ) throws {
            var found = try catalog.servers(filteredBy: filters, orderedBy: order)
            var wanted = try plain.getServers(filteredBy: filters, orderedBy: order)
            let first = try catalog.firstServer(filteredBy: filters, orderedBy: order)
            switch order {
            case .none, .random:
                if order == .random {
                    let isUp = found.map { $0.logical.status.status != 0 }
                    #expect(isUp == isUp.sorted { $0 && !$1 }, "seed \(seed)")
                }
                #expect((first == nil) == wanted.isEmpty, "seed \(seed) \(filters)")
                found.sort { $0.id < $1.id }
                wanted.sort { $0.id < $1.id }
            case .fastest, .fastestGatewaysLast, .nameAscending, .loadAscending:
                #expect(
                    try first == plain.getFirstServer(filteredBy: filters, orderedBy: order),
                    "seed \(seed) \(filters) \(order)")
            }
            #expect(found == wanted, "seed \(seed) \(filters) \(order)")
        }

        func checkGroups(_ filters: [VPNServerFilter], _ seed: UInt64) throws {
            let places = try Set(
                plain.getServers(filteredBy: filters, orderedBy: .none)
                    .map { [$0.logical.latitude, $0.logical.longitude] })
            for grouping in [ServerGrouping.country, .city] {
                for order in VPNServerGroupOrder.allCases {
                    let found = try catalog.groups(
                        filteredBy: filters, groupedBy: grouping, orderedBy: order)
                    let wanted = try plain.getGroups(
                        filteredBy: filters, groupedBy: grouping, orderedBy: order)
                    #expect(
                        found.map(\.withoutPlace) == wanted.map(\.withoutPlace),
                        "seed \(seed) \(filters) \(grouping) \(order)")
                    #expect(
                        found.allSatisfy { places.contains([$0.latitude, $0.longitude]) },
                        "seed \(seed) \(filters) \(grouping)")
                }
            }
        }
    }

    @Test func queriesMatchThePlainImplementation() throws {
        for seed in seeds(20) {
            var random = RandomCatalog(seed: seed)
            let expectation = try Expectation(random.servers(0...40))
            for _ in 0..<12 {
                let filters = random.filters()
                for order in VPNServerOrder.allCases {
                    try expectation.checkServers(filters, order, seed)
                }
            }
        }
    }

    @Test func eachFilterMatchesThePlainImplementation() throws {
        for seed in seeds(20) {
            var random = RandomCatalog(seed: seed &+ 10_000)
            let expectation = try Expectation(random.servers(20...40))
            for _ in 0..<40 {
                try expectation.checkServers([random.filter()], .nameAscending, seed)
            }
        }
    }

    @Test func groupAggregatesMatchThePlainImplementation() throws {
        for seed in seeds(20) {
            var random = RandomCatalog(seed: seed &+ 20_000)
            let expectation = try Expectation(random.servers(0...60))
            for _ in 0..<12 { try expectation.checkGroups(random.filters(), seed) }
        }
    }

    /// Upserts, loads and deletions have the same effect as the same changes of an array.
    @Test func changesMatchThePlainImplementation() throws {
        for seed in seeds(20) {
            var random = RandomCatalog(seed: seed &+ 30_000)
            let catalog = try CatalogTest.makeCatalog()
            var plain: [String: VPNServer] = [:]
            for _ in 0..<4 {
                let servers = random.servers(0...30)
                try catalog.upsert(servers: servers)
                for server in servers { plain[server.id] = server }
                let loads = (0..<10).map { _ in
                    ServerLoad(id: "server \(random.int(0...40))", status: random.status())
                }
                let known = try catalog.update(loads: loads)
                #expect(known == loads.count { plain[$0.id] != nil }, "seed \(seed)")
                for load in loads { plain[load.id]?.logical.status = load.status }
                let kept = Set((0..<15).map { _ in "server \(random.int(0...30))" })
                let maxTier = random.int(-1...3)
                let gone = plain.values
                    .filter { !kept.contains($0.id) && $0.logical.tier <= maxTier }
                #expect(
                    try catalog.delete(serversNotIn: kept, maxTier: maxTier) == gone.count,
                    "seed \(seed)")
                for server in gone { plain[server.id] = nil }
                try Expectation.check(catalog, holds: Array(plain.values), seed)
            }
        }
    }
}

extension FilterPropertyTests.Expectation {
    fileprivate static func check(
        _ catalog: CatalogDatabase, holds servers: [VPNServer], _ seed: UInt64
    ) throws {
        #expect(try catalog.serverCount() == servers.count, "seed \(seed)")
        for server in servers {
            #expect(try catalog.server(withID: server.id) == server, "seed \(seed)")
            #expect(
                try catalog.firstServer(filteredBy: [.logicalID(server.id)])
                    == (server.endpoints.isEmpty ? nil : server), "seed \(seed)")
        }
        let plain = ServerRepository(servers: servers, names: .english)
        for filters in [[], [.matches("z")], [.supports(.all)], [.withoutEndpoints]]
            as [[VPNServerFilter]]
        {
            #expect(
                try catalog.servers(filteredBy: filters, orderedBy: .fastest)
                    == plain.getServers(filteredBy: filters, orderedBy: .fastest), "seed \(seed)")
        }
    }
}

extension ServerGroupInfo {
    /// The group without its coordinates, which can be those of any server.
    fileprivate var withoutPlace: ServerGroupInfo {
        ServerGroupInfo(
            kind: kind, serverCount: serverCount, cityCount: cityCount, minTier: minTier,
            maxTier: maxTier, featureUnion: featureUnion,
            featureIntersection: featureIntersection, protocolSupport: protocolSupport,
            isUnderMaintenance: isUnderMaintenance, isVirtual: isVirtual, latitude: 0,
            longitude: 0)
    }
}
