import Foundation

/// A maker of the sample servers of one country. The servers of each kind are numbered separately.
struct SampleServerMaker {
    enum Kind: Hashable {
        case plain
        case free
        case secureCore(entry: String)
        case tor
        case gateway(SampleGateway)
    }

    /// A gateway, with the prefix of its servers' names and its countries.
    struct SampleGateway: Hashable {
        let name: String
        let prefix: String
        let countries: Set<String>
    }

    private let country: SampleCountry
    private let others: [SampleCountry]
    private var numbers: [String: Int] = [:]

    init(_ country: SampleCountry, among all: [SampleCountry]) {
        self.country = country
        others = all.filter { $0.code != country.code }
    }

    static let gateways = [
        SampleGateway(name: "Acme Corporation", prefix: "ACME", countries: ["US", "DE", "SG"]),
        SampleGateway(name: "Universität Nord", prefix: "UNORD", countries: ["DE", "SE"]),
        SampleGateway(name: "Old Harbor Press", prefix: "HARBOR", countries: ["GB", "CH"]),
    ]
    static let secureCoreEntries = ["CH", "IS", "SE"]

    mutating func make(
        _ endpointCounts: ClosedRange<Int>, using generator: inout SampleGenerator
    ) -> VPNServer {
        make(kind(using: &generator), endpointCounts, using: &generator)
    }

    mutating func make(
        _ kind: Kind, _ endpointCounts: ClosedRange<Int>, using generator: inout SampleGenerator
    ) -> VPNServer {
        let name = name(of: kind)
        let city = country.cities.randomElement(using: &generator)
        let isDown = generator.happens(3)
        let isVirtual = generator.happens(6)
        let logical = Logical(
            id: Self.identifier(using: &generator), name: name,
            domain: "\(name.lowercased().replacing("#", with: "-")).example.net",
            entryCountryCode: entryCountry(of: kind), exitCountryCode: country.code,
            hostCountry: isVirtual ? others.randomElement(using: &generator)?.code : nil,
            city: generator.happens(95) ? city?.name : nil, translatedCity: city?.translated,
            gatewayName: gateway(of: kind), tier: tier(of: kind, using: &generator),
            features: features(of: kind, using: &generator), latitude: city?.latitude ?? 0,
            longitude: city?.longitude ?? 0,
            status: Self.status(isDown: isDown, using: &generator))
        let count = Int.random(in: endpointCounts, using: &generator)
        return VPNServer(
            logical: logical,
            endpoints: (0..<max(0, count)).map { index in
                Self.endpoint(index, domain: logical.domain, isDown: isDown, using: &generator)
            })
    }

    /// Creates another server in the location of `server`, such as a free server on the machine of
    /// a plus server.
    mutating func make(
        _ kind: Kind, beside server: Logical, endpoints: [ServerEndpoint],
        using generator: inout SampleGenerator
    ) -> VPNServer {
        let logical = Logical(
            id: Self.identifier(using: &generator), name: name(of: kind), domain: server.domain,
            entryCountryCode: entryCountry(of: kind), exitCountryCode: country.code,
            hostCountry: server.hostCountry, city: server.city,
            translatedCity: server.translatedCity, gatewayName: gateway(of: kind),
            tier: tier(of: kind, using: &generator),
            features: features(of: kind, using: &generator),
            latitude: server.latitude, longitude: server.longitude,
            status: Self.status(isDown: server.status.status == 0, using: &generator))
        return VPNServer(logical: logical, endpoints: endpoints)
    }

    private static func status(
        isDown: Bool, using generator: inout SampleGenerator
    ) -> LogicalStatus {
        LogicalStatus(
            load: Int.random(in: 0...100, using: &generator),
            score: Double(Int.random(in: 100_000...9_999_999, using: &generator)) / 1_000_000,
            status: isDown ? 0 : 1)
    }

    private func kind(using generator: inout SampleGenerator) -> Kind {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<8: return .free
        case 8..<12:
            let entries = Self.secureCoreEntries.filter { $0 != country.code }
            return .secureCore(entry: generator.pick(entries, else: "CH"))
        case 12: return .tor
        case 13..<17:
            let gateways = Self.gateways.filter { $0.countries.contains(country.code) }
            return gateways.randomElement(using: &generator).map { .gateway($0) } ?? .plain
        default: return .plain
        }
    }

    private mutating func name(of kind: Kind) -> String {
        let prefix =
            switch kind {
            case .plain, .tor: country.code
            case .free: "\(country.code)-FREE"
            case .secureCore(let entry): "\(entry)-\(country.code)"
            case .gateway(let gateway): "\(gateway.prefix)-\(country.code)"
            }
        let number = numbers[prefix, default: 0] + 1
        numbers[prefix] = number
        return kind == .tor ? "\(prefix)#\(number)-TOR" : "\(prefix)#\(number)"
    }

    private func entryCountry(of kind: Kind) -> String? {
        if case .secureCore(let entry) = kind { entry } else { nil }
    }

    private func gateway(of kind: Kind) -> String? {
        if case .gateway(let gateway) = kind { gateway.name } else { nil }
    }

    private func tier(of kind: Kind, using generator: inout SampleGenerator) -> Int {
        if kind == .free { return ServerTier.free }
        return generator.happens(1) ? ServerTier.internal : ServerTier.plus
    }

    private func features(of kind: Kind, using generator: inout SampleGenerator) -> ServerFeature {
        var features: ServerFeature
        switch kind {
        case .free: features = []
        case .secureCore: features = .secureCore
        case .tor: features = .tor
        case .gateway: features = .restricted
        case .plain:
            features = generator.happens(70) ? .streaming : []
            if generator.happens(60) { features.insert(.p2p) }
        }
        if generator.happens(15) { features.insert(.ipv6) }
        return features
    }

    private static func identifier(using generator: inout SampleGenerator) -> String {
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
    }

    static func endpoint(
        _ index: Int, domain: String, isDown: Bool, using generator: inout SampleGenerator
    ) -> ServerEndpoint {
        let network = generator.pick(["192.0.2", "198.51.100", "203.0.113"], else: "192.0.2")
        let entry = "\(network).\(Int.random(in: 1...254, using: &generator))"
        let exit = "\(network).\(Int.random(in: 1...254, using: &generator))"
        let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return ServerEndpoint(
            id: identifier(using: &generator), entryIP: entry, exitIP: exit, domain: domain,
            status: isDown || generator.happens(2) ? 0 : 1, label: String(index),
            x25519PublicKey: Data(key).base64EncodedString(),
            overrides: overrides(network: network, using: &generator))
    }

    /// Returns overrides: usually `nil`, otherwise a complete list of protocols or a separate
    /// address for one protocol.
    private static func overrides(
        network: String, using generator: inout SampleGenerator
    ) -> ProtocolOverrides? {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<6:
            return ProtocolOverrides([
                "WireGuardUDP": .init(), "WireGuardTCP": .init(ports: [443, 8443]),
                "WireGuardTLS": .init(ports: [443]),
            ])
        case 6..<9: return ProtocolOverrides(["IKEv2": .init(), "OpenVPNUDP": .init()])
        case 9..<12:
            let address = "\(network).\(Int.random(in: 1...254, using: &generator))"
            return ProtocolOverrides(["WireGuardTLS": .init(ipv4: address, ports: [443])])
        default: return nil
        }
    }
}
