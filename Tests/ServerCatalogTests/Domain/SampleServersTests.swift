import ServerCatalog
import Testing

@Suite struct SampleServersTests {
    @Test func sameParametersGenerateTheSameServers() {
        let samples = SampleServers(count: 50, countryCount: 7, seed: 4)
        #expect(samples.servers() == samples.servers())
        #expect(samples.servers() != SampleServers(count: 50, countryCount: 7).servers())
    }

    @Test(arguments: [(2000, 60), (1, 60), (0, 5), (20, 200), (59, 60)])
    func countsMatchTheParameters(_ count: Int, _ countries: Int) {
        let servers = SampleServers(count: count, countryCount: countries).servers()
        #expect(servers.count == count)
        let codes = Set(servers.map(\.logical.exitCountryCode))
        #expect(codes.count == min(count, countries, 70))
        #expect(Set(servers.map(\.id)).count == count)
        #expect(
            Set(servers.flatMap(\.endpoints).map(\.id)).count
                == servers.reduce(0) { $0 + $1.endpoints.count })
    }

    @Test func samplesContainEveryKindOfServer() {
        let servers = SampleServers().servers()
        let logicals = servers.map(\.logical)
        #expect(logicals.contains { $0.tier == ServerTier.free })
        #expect(logicals.contains { $0.features.contains(.secureCore) })
        #expect(logicals.contains { $0.features.contains(.tor) })
        #expect(logicals.contains { $0.gatewayName != nil })
        #expect(logicals.contains { $0.status.status == 0 })
        #expect(logicals.contains { $0.isVirtual })
        #expect(servers.contains { $0.endpoints.contains { $0.protocolSupport != .all } })
        #expect(Set(logicals.map(\.name)).count > 1990)
    }
}
