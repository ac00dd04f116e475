import ServerCatalog
import TestSupport

/// Generates servers and filters from few values, so that filters often match.
struct RandomCatalog {
    var generator: SeededRandom

    init(seed: UInt64) { generator = SeededRandom(seed: seed) }

    private static let countries = ["CH", "DE", "US", "UK", "PL", "XX", ""]
    private static let cities: [String?] = [
        nil, "Zürich", "Zurich", "zürich", "Łódź", "New York", "Köln", "%", "",
    ]
    private static let gateways: [String?] = [nil, nil, nil, "Acme", "ACME", "Straße"]
    private static let names = [
        "CH", "DE", "US-NY", "US-FREE", "is-de", "Łódź", "_", "A#B#", "CH-", "ÄÖ",
    ]
    private static let protocols = [
        "IKEv2", "WireGuardUDP", "WireGuardTCP", "WireGuardTLS", "wireguardtls", "OpenVPNUDP",
        "OpenVPNTCP", "Carrier pigeon",
    ]

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func servers(_ count: ClosedRange<Int>) -> [VPNServer] {
        (0..<int(count)).map { server($0) }
    }

    private mutating func server(_ index: Int) -> VPNServer {
        let name = pick(Self.names)
        let suffix = pick(["", "#\(int(0...12))", "#\(int(0...12))-TOR", "#x", "#"])
        return VPNServer(
            logical: Logical(
                id: "server \(index)", name: name + suffix, domain: "example.net",
                entryCountryCode: pick(Self.countries), exitCountryCode: pick(Self.countries),
                hostCountry: int(0...2) == 0 ? pick(Self.countries) : nil,
                city: pick(Self.cities), translatedCity: pick(Self.cities),
                gatewayName: pick(Self.gateways), tier: int(0...3),
                features: ServerFeature(rawValue: int(0...127)), latitude: Double(int(-90...90)),
                longitude: Double(int(-180...180)), status: status()),
            endpoints: (0..<int(0...3)).map { number in
                // Some machines also serve neighboring servers in the list.
                endpoint("endpoint \(max(0, index - int(0...1))) \(number)")
            })
    }

    mutating func status() -> LogicalStatus {
        LogicalStatus(load: int(0...5) * 20, score: Double(int(0...9)) / 4, status: int(0...2))
    }

    private mutating func endpoint(_ id: String) -> ServerEndpoint {
        var entries: [String: ProtocolOverrides.Entry] = [:]
        for _ in 0..<max(0, int(-2...3)) {
            entries[pick(Self.protocols)] = ProtocolOverrides.Entry(
                ipv4: pick([nil, "192.0.2.1"]), ports: pick([nil, [443, 51820]]))
        }
        return ServerEndpoint(
            id: id, entryIP: pick([nil, "192.0.2.7"]), exitIP: "192.0.2.8",
            domain: "node.example.net", status: pick([nil, 0, 1, 2]), label: pick([nil, "1"]),
            x25519PublicKey: pick([nil, "key"]), overrides: ProtocolOverrides(entries))
    }

    mutating func filters() -> [VPNServerFilter] { (0..<int(0...3)).map { _ in filter() } }

    /// Returns a filter of any kind, with values that occur.
    mutating func filter() -> VPNServerFilter {
        switch int(0...14) {
        case 0: .logicalID("server \(int(0...30))")
        case 1: .endpointID("endpoint \(int(0...30)) \(int(0...2))")
        case 2: .name(pick(Self.names) + "#\(int(0...12))")
        case 3: .tier(int(-1...4))
        case 4: .maxTier(int(-1...4))
        case 5: .features(features())
        case 6: .isNotUnderMaintenance
        case 7: .supports(ProtocolSupport(rawValue: int(0...127)))
        case 8: .kind(kind())
        case 9: .entryCountry(pick(Self.countries))
        case 10: .exitCountry(pick(Self.countries))
        case 11: .city(pick(Self.cities) ?? "Zürich")
        case 12: .withoutEndpoints
        default: .matches(text())
        }
    }

    private mutating func features() -> ServerFeatureFilter {
        pick([
            .standard, .p2p, .secureCore, .tor,
            ServerFeatureFilter(
                required: ServerFeature(rawValue: int(0...127) & int(0...127)),
                excluded: ServerFeature(rawValue: int(0...127) & int(0...127))),
        ])
    }

    private mutating func kind() -> ServerKindFilter {
        pick([
            .anyCountry, .anyGateway, .country(pick(Self.countries)),
            .gateway(pick(Self.gateways) ?? "Acme"),
            .gatewayIn(pick(Self.gateways) ?? "Acme", countryCode: pick(Self.countries)),
            .cityIn(pick(Self.cities), countryCode: pick(Self.countries)),
        ])
    }

    private mutating func text() -> String {
        pick([
            "", " ", "z", "zur", "ZÜRICH", "ch", "Ch#1", "swi", "states", "united", "lodz", "łódź",
            "koln", "ac", "strasse", "york", "u", "us-", "%", "_", "a#b", "xx", "\u{10FFFF}",
            " new ", "land", "ß", "ä",
        ])
    }
}
