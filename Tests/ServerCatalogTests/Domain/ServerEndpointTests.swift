import ServerCatalog
import Testing

@Suite struct ServerEndpointTests {
    private func endpoint(
        entryIP: String? = "192.0.2.1", _ entries: [String: ProtocolOverrides.Entry]?
    ) -> ServerEndpoint {
        ServerEndpoint(
            id: "1", entryIP: entryIP, exitIP: "192.0.2.2", domain: "d",
            overrides: entries.map { ProtocolOverrides($0) })
    }

    @Test func endpointWithoutOverridesSupportsEverything() {
        #expect(endpoint(nil).protocolSupport == .all)
        #expect(endpoint([:]).protocolSupport == .all)
        #expect(endpoint(entryIP: nil, nil).protocolSupport == .all)
    }

    @Test func overrideWithoutAddressMakesTheListComplete() {
        let tls = endpoint(["WireGuardTLS": .init(ports: [443])])
        #expect(tls.protocolSupport == .wireGuardTLS)
        #expect(tls.address(for: .wireGuardTLS) == "192.0.2.1")
        #expect(tls.address(for: .ikev2) == nil)
    }

    @Test func overrideWithAddressDoesNotAffectOtherProtocols() {
        let tls = endpoint(["WireGuardTLS": .init(ipv4: "192.0.2.9")])
        #expect(tls.protocolSupport == .all)
        #expect(tls.address(for: .wireGuardTLS) == "192.0.2.9")
        #expect(tls.address(for: .ikev2) == "192.0.2.1")
    }

    @Test func withoutEntryAddressOnlyOverriddenAddressesRemain() {
        let tls = endpoint(
            entryIP: nil, ["WireGuardTLS": .init(ipv4: "192.0.2.9"), "IKEv2": .init()])
        #expect(tls.protocolSupport == .wireGuardTLS)
    }

    @Test func unknownProtocolWithoutAddressClosesTheList() {
        #expect(endpoint(["Carrier pigeon": .init()]).protocolSupport == [])
        #expect(endpoint(["Carrier pigeon": .init(ipv4: "192.0.2.9")]).protocolSupport == .all)
    }

    @Test func overridesSurviveTheirJSON() throws {
        let overrides = ProtocolOverrides([
            "WireGuardTLS": .init(ipv4: "192.0.2.9", ports: [443, 8443]), "IKEv2": .init(),
        ])
        #expect(
            overrides.json
                == #"{"IKEv2":{},"WireGuardTLS":{"IPv4":"192.0.2.9","Ports":[443,8443]}}"#)
        #expect(ProtocolOverrides(json: overrides.json) == overrides)
        #expect(ProtocolOverrides(json: "[") == nil)
    }

    @Test func namesOfBitsAreCaseInsensitive() {
        #expect(ServerFeature(named: "SECURECORE") == .secureCore)
        #expect(ServerFeature(named: "wings") == nil)
        #expect(ProtocolSupport(named: "wireguardtls") == .wireGuardTLS)
        #expect(ServerFeature(rawValue: 5 | 64).names == ["secureCore", "p2p"])
        #expect(ProtocolSupport.all.names.count == 6)
    }

    @Test func entryCountryIsKeptOnlyForSecureCore() {
        func entry(_ features: ServerFeature) -> String {
            Logical(
                id: "1", name: "n", domain: "d", entryCountryCode: "CH", exitCountryCode: "US",
                tier: 0, features: features
            ).entryCountryCode
        }
        #expect(entry(.secureCore) == "CH")
        #expect(entry(.p2p) == "US")
    }
}
