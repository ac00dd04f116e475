import Foundation
import ServerCatalog
import ServerCatalogGRDB
import ServerCatalogTesting
import TestSupport
import Testing

/// The list of 405 servers on 452 shared machines, compared with a plain computation over its JSON.
@Suite struct SharedEndpointsTests {
    private let samples = SampleSharedServers().servers()

    /// A catalog and the plain implementation, with the same changes applied to both.
    private struct Pair {
        let catalog: CatalogDatabase
        var plain = PlainCatalog()

        init(_ servers: [VPNServer]) throws {
            catalog = try CatalogTest.makeCatalog()
            let json = LogicalsWriter.logicals(servers)
            let report = try catalog.importLogicals(ByteStream(json))
            #expect(report.imported == servers.count && report.badCount == 0)
            try plain.importLogicals(json)
        }

        func expectSame(_ filters: [VPNServerFilter], _ note: String = "") throws {
            let wanted = plain.rows(filters)
            for order in VPNServerOrder.allCases {
                let found = try catalog.servers(filteredBy: filters, orderedBy: order)
                #expect(found.count == wanted.count, "\(note) \(filters) \(order)")
                #expect(Set(found.map(PlainCatalog.Row.init)) == wanted, "\(note) \(filters)")
                #expect(order.holds(found.map(PlainCatalog.Row.init)), "\(note) \(order)")
                let first = try catalog.firstServer(filteredBy: filters, orderedBy: order)
                #expect(
                    first.map { server in wanted.contains { $0.id == server.id } }
                        ?? wanted.isEmpty, "\(note) \(filters) \(order)")
            }
            for grouping in [ServerGrouping.country, .city] {
                let groups = try catalog.groups(filteredBy: filters, groupedBy: grouping)
                #expect(
                    Set(groups.map(PlainCatalog.Group.init))
                        == plain.groups(filters, by: grouping), "\(note) \(filters) \(grouping)")
                #expect(Set(groups.map(\.kind)).count == groups.count, "\(note) \(filters)")
            }
        }

        /// Expects every server to have every endpoint, as the file lists them.
        func expectSameEndpoints(_ note: String = "") throws {
            #expect(try catalog.serverCount() == plain.servers.count, "\(note)")
            for id in plain.servers.keys {
                let server = try #require(try catalog.server(withID: id))
                let found = server.endpoints.map {
                    "\($0.id) \($0.exitIP) \($0.label ?? "") \($0.protocolSupport.rawValue)"
                }
                #expect(found == plain.endpoints(of: id), "\(note) \(server.logical.name)")
            }
        }
    }

    @Test func samplesShareMachinesLikeTheService() {
        #expect(samples.count == 405 && Set(samples.map(\.id)).count == 405)
        let owners = Dictionary(
            grouping: samples.flatMap { server in server.endpoints.map { ($0.id, server.id) } },
            by: \.0
        ).mapValues { Set($0.map(\.1)).count }
        #expect(owners.count == 452)
        #expect(owners.values.count { $0 == 2 } == 73)
        #expect(owners.values.count { $0 == 3 } == 5)
        #expect(owners.values.allSatisfy { (1...3).contains($0) })
        let logicals = samples.map(\.logical)
        #expect(logicals.contains { $0.features.contains(.secureCore) })
        #expect(logicals.contains { $0.features.contains(.tor) && $0.name.hasSuffix("-TOR") })
        #expect(Set(logicals.compactMap(\.gatewayName)).count == 3)
        #expect(Set(logicals.compactMap(\.city)).count > 40)
        #expect(logicals.contains { $0.tier == 0 } && logicals.contains { $0.isVirtual })
        #expect(SampleSharedServers().servers() == samples)
        #expect(SampleSharedServers(seed: 2).servers() != samples)
    }

    @Test func everyServerOfASharedMachineIsListedWithItsEndpoints() throws {
        let pair = try Pair(samples)
        try pair.expectSameEndpoints()
        try pair.expectSame([])
        #expect(try pair.catalog.servers().count == 405)
        #expect(
            try pair.catalog.servers(orderedBy: .nameAscending)
                == ServerRepository(servers: samples).getServers(
                    filteredBy: [], orderedBy: .nameAscending))
    }

    @Test func filterCombinationsMatchThePlainImplementation() throws {
        let pair = try Pair(samples)
        for seed in seeds(4) {
            var random = SharedServersRandom(samples, seed: seed)
            for kind in 0..<SharedServersRandom.kindCount {
                try pair.expectSame([random.filter(kind)], "seed \(seed)")
            }
            for _ in 0..<6 { try pair.expectSame(random.filters(), "seed \(seed)") }
        }
    }

    @Test func endpointIsFoundUnderEachOfItsServers() throws {
        let catalog = try CatalogTest.makeCatalog(samples)
        let owners = Dictionary(
            grouping: samples.flatMap { server in server.endpoints.map { ($0.id, server.id) } },
            by: \.0)
        for (endpoint, servers) in owners {
            let found = try catalog.servers(filteredBy: [.endpointID(endpoint)])
            #expect(Set(found.map(\.id)) == Set(servers.map(\.1)))
        }
    }

    @Test func updatesMatchThePlainImplementation() throws {
        for seed in seeds(2) {
            var pair = try Pair(samples)
            var random = SharedServersRandom(samples, seed: seed)
            for step in 0..<8 {
                let note = "seed \(seed) step \(step)"
                let (listed, maxTier) = random.list(of: samples)
                let json = LogicalsWriter.logicals(listed)
                switch random.int(0...3) {
                case 0:
                    let report = try pair.catalog.refresh(.full, logicals: ByteStream(json))
                    #expect(try report.deleted == pair.plain.prune(json, maxTier: 3), "\(note)")
                    try pair.plain.importLogicals(json)
                case 1:
                    let free = LogicalsWriter.logicals(listed.filter { $0.logical.tier == 0 })
                    let report = try pair.catalog.refresh(.free, logicals: ByteStream(free))
                    #expect(try report.deleted == pair.plain.prune(free, maxTier: 0), "\(note)")
                    try pair.plain.importLogicals(free)
                case 2:
                    let loads = LogicalsWriter.loads(listed)
                    let report = try pair.catalog.importLoads(ByteStream(loads))
                    #expect(try report.imported == pair.plain.importLoads(loads), "\(note)")
                default:
                    let report = try pair.catalog.prune(ByteStream(json), maxTier: maxTier)
                    #expect(
                        try report.deleted == pair.plain.prune(json, maxTier: maxTier), "\(note)")
                }
                try pair.expectSameEndpoints(note)
                try pair.expectSame([], note)
                try pair.expectSame(random.filters(), note)
            }
        }
    }

    @Test func eachServerKeepsItsOwnCopyOfASharedEndpoint() throws {
        let shared = ServerEndpoint(
            id: "shared", entryIP: "192.0.2.1", exitIP: "192.0.2.2", domain: "d",
            overrides: ProtocolOverrides(["IKEv2": .init()]))
        let again = ServerEndpoint(
            id: "shared", entryIP: "192.0.2.1", exitIP: "192.0.2.3", domain: "d", status: 0)
        let first = VPNServer(logical: samples[0].logical, endpoints: [shared])
        let second = VPNServer(logical: samples[1].logical, endpoints: [again])
        let catalog = try CatalogTest.makeCatalog([first, second])
        #expect(try catalog.server(withID: first.id) == first)
        #expect(try catalog.server(withID: second.id) == second)
        let found = try catalog.servers(filteredBy: [.supports(.ikev2), .endpointID("shared")])
        #expect(Set(found.map(\.id)) == [first.id, second.id])
        #expect(try catalog.servers(filteredBy: [.supports(.openVPNTCP)]).map(\.id) == [second.id])

        try catalog.upsert(servers: [VPNServer(logical: second.logical, endpoints: [])])
        #expect(try catalog.server(withID: first.id) == first)
        try catalog.delete(serversNotIn: [second.id], maxTier: 3)
        #expect(try catalog.endpointCount() == 0)
    }
}

extension VPNServerOrder {
    /// Whether the rows are in this order, as far as their own values determine it.
    fileprivate func holds(_ rows: [PlainCatalog.Row]) -> Bool {
        zip(rows, rows.dropFirst()).allSatisfy { one, other in
            switch self {
            case .fastest: one.score <= other.score
            case .loadAscending: one.load <= other.load
            case .none, .random, .nameAscending, .fastestGatewaysLast: true
            }
        }
    }
}

extension PlainCatalog.Row {
    fileprivate init(_ server: ServerInfo) {
        let logical = server.logical
        self.init(
            id: logical.id, name: logical.name, city: logical.city, tier: logical.tier,
            features: logical.features.rawValue, load: logical.status.load,
            score: logical.status.score, protocols: server.protocolSupport.rawValue,
            isDown: server.isUnderMaintenance)
    }
}

extension PlainCatalog.Group {
    fileprivate init(_ group: ServerGroupInfo) {
        let name: String?
        let gateway: String?
        switch group.kind {
        case .country: (name, gateway) = (nil, nil)
        case .gateway(let gatewayName, _): (name, gateway) = (nil, gatewayName)
        case .city(let city, _): (name, gateway) = (city, nil)
        }
        self.init(
            name: name, gateway: gateway, country: group.countryCode,
            serverCount: group.serverCount, cityCount: group.cityCount,
            tiers: group.minTier...group.maxTier, union: group.featureUnion.rawValue,
            intersection: group.featureIntersection.rawValue,
            protocols: group.protocolSupport.rawValue, isDown: group.isUnderMaintenance,
            isVirtual: group.isVirtual)
    }
}
