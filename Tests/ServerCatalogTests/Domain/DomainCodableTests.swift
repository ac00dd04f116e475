import Foundation
import ServerCatalog
import Testing

@Suite struct DomainCodableTests {
    private func copy<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func serversSurviveEncoding() throws {
        let servers = SampleServers(count: 200, countryCount: 12).servers()
        #expect(try copy(servers) == servers)
        let repository = ServerRepository(servers: servers)
        #expect(try copy(repository.servers()) == repository.servers())
        let cities = try repository.getGroups(
            filteredBy: [], groupedBy: .city, orderedBy: .exitCountryCodeAscending)
        #expect(try copy(cities) == cities)
        let loads = servers.map { ServerLoad(id: $0.id, status: $0.logical.status) }
        #expect(try copy(loads) == loads)
    }

    @Test func everyMemberOfAnEndpointSurvivesEncoding() throws {
        let overrides = ProtocolOverrides([
            "WireGuardTLS": .init(ipv4: "192.0.2.3", ports: [443, 8443]), "IKEv2": .init(),
        ])
        let endpoint = ServerEndpoint(
            id: "e", entryIP: "192.0.2.1", exitIP: "192.0.2.2", domain: "e.example", status: nil,
            label: "1", x25519PublicKey: "AA==", overrides: overrides)
        #expect(try copy(endpoint) == endpoint)
    }

    @Test func decodedValuesFollowTheRulesOfTheInitializers() throws {
        let logical = Logical(
            id: "a", name: "CH#1", domain: "a.example", exitCountryCode: "CH", tier: 0)
        let endpoint = ServerEndpoint(id: "e", exitIP: "192.0.2.2", domain: "e.example")
        var members = try #require(try object(logical))
        members["entryCountryCode"] = "SE"
        #expect(try decode(Logical.self, members) == logical)
        members = try #require(try object(endpoint))
        members["overrides"] = ["entries": [String: String]()]
        #expect(try decode(ServerEndpoint.self, members) == endpoint)
    }

    private func object(_ value: some Encodable) throws -> [String: Any]? {
        try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any]
    }

    private func decode<Value: Decodable>(
        _ type: Value.Type, _ members: [String: Any]
    ) throws -> Value {
        try JSONDecoder().decode(type, from: JSONSerialization.data(withJSONObject: members))
    }
}
