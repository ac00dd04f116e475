import Foundation
import ServerCatalog

/// The service's JSON, with query results computed directly from it. Of the catalog's own types,
/// only the query types are used.
struct PlainCatalog {
    typealias Object = [String: Any]

    private(set) var servers: [String: Object] = [:]

    /// A server in a list.
    struct Row: Hashable, CustomStringConvertible {
        let id: String
        let name: String
        let city: String?
        let tier: Int
        let features: Int
        let load: Int
        let score: Double
        let protocols: Int
        let isDown: Bool

        var description: String { "\(name) \(id) \(load) \(score) \(protocols) \(isDown)" }
    }

    /// A group in a list, without its coordinates.
    struct Group: Hashable {
        let name: String?
        let gateway: String?
        let country: String
        let serverCount: Int
        let cityCount: Int
        let tiers: ClosedRange<Int>
        let union: Int
        let intersection: Int
        let protocols: Int
        let isDown: Bool
        let isVirtual: Bool
    }

    // MARK: Changes

    static func objects(_ json: Data) throws -> [Object] {
        let file = try JSONSerialization.jsonObject(with: json) as? Object
        return file?["LogicalServers"] as? [Object] ?? []
    }

    mutating func importLogicals(_ json: Data) throws {
        for object in try Self.objects(json) { servers[Self.text(object, "ID") ?? ""] = object }
    }

    /// - Returns: The number of known servers.
    mutating func importLoads(_ json: Data) throws -> Int {
        var known = 0
        for load in try Self.objects(json) {
            guard let id = Self.text(load, "ID"), servers[id] != nil else { continue }
            for key in ["Load", "Score", "Status"] { servers[id]?[key] = load[key] }
            known += 1
        }
        return known
    }

    /// - Returns: The number of deleted servers.
    mutating func prune(_ json: Data, maxTier: Int) throws -> Int {
        let listed = Set(try Self.objects(json).compactMap { Self.text($0, "ID") })
        let gone = servers.filter {
            !listed.contains($0.key) && Self.integer($0.value, "Tier") <= maxTier
        }
        for id in gone.keys { servers[id] = nil }
        return gone.count
    }

    // MARK: Questions

    func rows(_ filters: [VPNServerFilter]) -> Set<Row> {
        Set(servers.values.compactMap { row($0, filters) })
    }

    func groups(_ filters: [VPNServerFilter], by grouping: ServerGrouping) -> Set<Group> {
        let found = servers.values.compactMap { server in row(server, filters).map { (server, $0) }
        }
        let grouped = Dictionary(grouping: found) { server, _ in
            let place = grouping == .city ? "City" : "GatewayName"
            return [Self.text(server, place), Self.text(server, "ExitCountry")]
        }
        return Set(
            grouped.map { key, members in
                let tiers = members.map(\.1.tier).sorted()
                return Group(
                    name: grouping == .city ? key[0] : nil,
                    gateway: grouping == .city ? nil : key[0], country: key[1] ?? "",
                    serverCount: members.count,
                    cityCount: Set(members.compactMap(\.1.city)).count,
                    tiers: tiers[0]...tiers[tiers.count - 1],
                    union: members.reduce(0) { $0 | $1.1.features },
                    intersection: members.reduce(~0) { $0 & $1.1.features },
                    protocols: members.reduce(0) { $0 | $1.1.protocols },
                    isDown: members.allSatisfy(\.1.isDown),
                    isVirtual: members.allSatisfy { server, _ in
                        let host = Self.text(server, "HostCountry")
                        return host != nil && host != Self.text(server, "ExitCountry")
                    })
            })
    }

    /// Returns the identifier, exit address, label and protocols of each endpoint, in the file's
    /// order.
    func endpoints(of id: String) -> [String] {
        Self.machines(servers[id] ?? [:]).map {
            "\(Self.text($0, "ID") ?? "") \(Self.text($0, "ExitIP") ?? "") "
                + "\(Self.text($0, "Label") ?? "") \(Self.protocols($0))"
        }
    }

    private func row(_ server: Object, _ filters: [VPNServerFilter]) -> Row? {
        guard filters.allSatisfy({ Self.holds($0, server) }) else { return nil }
        let machines = Self.machines(server).filter { machine in
            filters.allSatisfy { Self.holds($0, ofMachine: machine) }
        }
        guard !machines.isEmpty else { return nil }
        return Row(
            id: Self.text(server, "ID") ?? "", name: Self.text(server, "Name") ?? "",
            city: Self.text(server, "City"), tier: Self.integer(server, "Tier"),
            features: Self.integer(server, "Features"), load: Self.integer(server, "Load"),
            score: server["Score"] as? Double ?? -1,
            protocols: machines.reduce(0) { $0 | Self.protocols($1) },
            isDown: Self.integer(server, "Status") == 0
                || machines.allSatisfy { Self.integer($0, "Status") == 0 })
    }

    // MARK: Filters

    private static func holds(_ filter: VPNServerFilter, _ server: Object) -> Bool {
        func has(_ key: String, _ value: String?) -> Bool { text(server, key) == value }
        let features = integer(server, "Features")
        switch filter {
        case .logicalID(let id): return has("ID", id)
        case .name(let name): return has("Name", name)
        case .tier(let tier): return integer(server, "Tier") == tier
        case .maxTier(let tier): return integer(server, "Tier") <= tier
        case .features(let wanted):
            return features & wanted.required.rawValue == wanted.required.rawValue
                && features & wanted.excluded.rawValue == 0
        case .isNotUnderMaintenance: return integer(server, "Status") != 0
        case .kind(.anyCountry): return has("GatewayName", nil)
        case .kind(.country(let code)): return has("GatewayName", nil) && has("ExitCountry", code)
        case .kind(.anyGateway): return !has("GatewayName", nil)
        case .kind(.gateway(let name)): return has("GatewayName", name)
        case .kind(.gatewayIn(let name, let code)):
            return has("GatewayName", name) && has("ExitCountry", code)
        case .kind(.cityIn(let name, let code)):
            return has("City", name) && has("ExitCountry", code)
        case .entryCountry(let code):
            return has(features & 1 == 1 ? "EntryCountry" : "ExitCountry", code)
        case .exitCountry(let code): return has("ExitCountry", code)
        case .city(let city): return has("City", city)
        case .matches(let wanted): return isFound(server, by: wanted)
        case .endpointID, .supports: return true
        case .withoutEndpoints: return false
        }
    }

    private static func holds(_ filter: VPNServerFilter, ofMachine machine: Object) -> Bool {
        switch filter {
        case .endpointID(let id): text(machine, "ID") == id
        case .supports(let wanted): protocols(machine) & wanted.rawValue != 0
        case .isNotUnderMaintenance: integer(machine, "Status") != 0
        default: true
        }
    }

    private static func isFound(_ server: Object, by wanted: String) -> Bool {
        let wanted = wanted.trimmingCharacters(in: .whitespacesAndNewlines)
        if wanted.isEmpty { return true }
        let folded = TextFolding.fold(wanted)
        let exit = text(server, "ExitCountry") ?? ""
        let entry = integer(server, "Features") & 1 == 1 ? text(server, "EntryCountry") ?? "" : exit
        let translated = (server["Translations"] as? Object).flatMap { text($0, "City") }
        return TextFolding.fold(text(server, "Name") ?? "").hasPrefix(folded)
            || [exit, entry].contains {
                $0 == wanted.uppercased()
                    || TextFolding.fold(CountryNames.english.name(of: $0)).contains(folded)
            }
            || [text(server, "City"), translated, text(server, "GatewayName")].contains {
                TextFolding.fold($0 ?? "").contains(folded)
            }
    }

    // MARK: Members

    private static func machines(_ server: Object) -> [Object] {
        server["Servers"] as? [Object] ?? []
    }

    private static func text(_ object: Object, _ key: String) -> String? { object[key] as? String }

    private static func integer(_ object: Object, _ key: String) -> Int { object[key] as? Int ?? 0 }

    private static let bits = [
        "IKEv2": 1, "WireGuardUDP": 2, "WireGuardTCP": 4, "WireGuardTLS": 8, "OpenVPNUDP": 16,
        "OpenVPNTCP": 32,
    ]

    /// Returns the protocols that an endpoint supports, by the rule of the service's clients.
    private static func protocols(_ machine: Object) -> Int {
        let entries = machine["EntryPerProtocol"] as? [String: Object] ?? [:]
        if entries.isEmpty { return 63 }
        let isCompleteList = entries.values.contains { text($0, "IPv4") == nil }
        return bits.reduce(0) { mask, bit in
            let address =
                if let entry = entries[bit.key] {
                    text(entry, "IPv4") ?? text(machine, "EntryIP")
                } else {
                    isCompleteList ? nil : text(machine, "EntryIP")
                }
            return address == nil ? mask : mask | bit.value
        }
    }
}
