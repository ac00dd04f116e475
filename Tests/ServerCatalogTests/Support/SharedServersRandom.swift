import ServerCatalog
import TestSupport

/// Generates filters and changed lists from the values of existing servers.
struct SharedServersRandom {
    private let servers: [VPNServer]
    private var generator: SeededRandom

    init(_ servers: [VPNServer], seed: UInt64) {
        self.servers = servers
        generator = SeededRandom(seed: seed)
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private mutating func server() -> VPNServer { servers[int(0...servers.count - 1)] }

    /// The number of kinds of filters that ``filter(_:)`` supports.
    static let kindCount = 17

    mutating func filters() -> [VPNServerFilter] {
        (0..<int(2...4)).map { _ in filter(int(0...Self.kindCount - 1)) }
    }

    /// Returns a filter of one kind, usually with a value that occurs.
    mutating func filter(_ kind: Int) -> VPNServerFilter {
        let server = server()
        let logical = server.logical
        switch kind {
        case 0: return .logicalID(logical.id)
        case 1: return .endpointID(server.endpoints[int(0...server.endpoints.count - 1)].id)
        case 2: return .name(logical.name)
        case 3: return .tier(int(-1...4))
        case 4: return .maxTier(int(-1...3))
        case 5:
            let required = ServerFeature(rawValue: int(0...63) & int(0...63) & int(0...63))
            let excluded = ServerFeature(rawValue: int(0...63) & int(0...63))
            return .features(ServerFeatureFilter(required: required, excluded: excluded))
        case 6: return .isNotUnderMaintenance
        case 7: return .supports(ProtocolSupport(rawValue: int(0...63) & int(0...63)))
        case 8: return .kind(.anyCountry)
        case 9: return .kind(.country(logical.exitCountryCode))
        case 10: return .kind(.anyGateway)
        case 11: return .kind(.gateway(logical.gatewayName ?? "Acme Corporation"))
        case 12: return ServerGroupInfo.Kind(of: logical, groupedBy: .country).filter
        case 13: return ServerGroupInfo.Kind(of: logical, groupedBy: .city).filter
        case 14: return .entryCountry(logical.entryCountryCode)
        case 15: return .city(logical.city ?? "Zürich")
        default: return .matches(text(logical))
        }
    }

    private mutating func text(_ logical: Logical) -> String {
        switch int(0...5) {
        case 0: logical.exitCountryCode.lowercased()
        case 1: String(logical.name.prefix(int(1...6))).lowercased()
        case 2: String((logical.city ?? "").dropFirst(int(0...3)))
        case 3: logical.translatedCity?.uppercased() ?? "land"
        case 4: logical.gatewayName ?? "uni"
        default: String(CountryNames.english.name(of: logical.exitCountryCode).dropFirst(2))
        }
    }

    /// Returns some of the servers, a few of them with another status or tier or with fewer
    /// endpoints, and the tier that a pruning covers.
    mutating func list(of servers: [VPNServer]) -> (servers: [VPNServer], maxTier: Int) {
        let percent = int(50...100)
        var list: [VPNServer] = []
        for server in servers where int(1...100) <= percent {
            var changed = server
            if int(0...4) == 0 {
                changed.logical.status = LogicalStatus(
                    load: int(0...100), score: Double(int(0...40)) / 8, status: int(0...1))
            }
            if int(0...9) == 0 {
                changed = VPNServer(
                    logical: changed.logical, endpoints: Array(server.endpoints.prefix(1)))
            }
            list.append(changed)
        }
        return (list, int(-1...3))
    }
}
