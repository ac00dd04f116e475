import ArgumentParser
import ServerCatalog

/// Which servers a command is about: every option must hold.
struct FilterOptions: ParsableArguments {
    @Option(help: "The server with this identifier.")
    var id: String?

    @Option(help: "Servers of this tier (0 free, 2 plus, 3 internal).")
    var tier: Int?

    @Option(help: "Servers of this tier or a lower one.")
    var maxTier: Int?

    @Option(help: "Servers with all of these features, separated by commas.")
    var features: FeatureList?

    @Option(help: "Servers with none of these features.")
    var without: FeatureList?

    @Flag(help: "Servers of which neither they nor all of their endpoints are in maintenance.")
    var online = false

    @Option(name: .customLong("protocol"), help: "Servers that support one of these protocols.")
    var protocols: ProtocolList?

    @Option(
        defaultAsFlag: .any,
        help: "Servers of this country, by its code; alone: all that belong to no gateway.")
    var country: AnyOrOne?

    @Option(defaultAsFlag: .any, help: "Servers of this gateway; alone: of any.")
    var gateway: AnyOrOne?

    @Option(help: "Servers in this city, spelled exactly so.")
    var city: String?

    @Option(help: "Servers that this text finds: by name, city, gateway or country.")
    var matches: String?

    var filters: [VPNServerFilter] {
        var filters: [VPNServerFilter] = []
        if let id { filters.append(.logicalID(id)) }
        if let tier { filters.append(.tier(tier)) }
        if let maxTier { filters.append(.maxTier(maxTier)) }
        if features != nil || without != nil {
            filters.append(
                .features(
                    ServerFeatureFilter(
                        required: features?.features ?? [], excluded: without?.features ?? [])))
        }
        if online { filters.append(.isNotUnderMaintenance) }
        if let protocols { filters.append(.supports(protocols.protocols)) }
        switch country {
        case .any: filters.append(.kind(.anyCountry))
        case .one(let code): filters.append(.kind(.country(code.uppercased())))
        case nil: break
        }
        switch gateway {
        case .any: filters.append(.kind(.anyGateway))
        case .one(let name): filters.append(.kind(.gateway(name)))
        case nil: break
        }
        if let city { filters.append(.city(city)) }
        if let matches { filters.append(.matches(matches)) }
        return filters
    }
}

/// `[CC]`, `[NAME]`: an option that may stand without a value.
enum AnyOrOne: ExpressibleByArgument {
    case any
    case one(String)

    init(argument: String) { self = .one(argument) }

    var defaultValueDescription: String { "any" }
}

/// Features separated by commas, in any case.
struct FeatureList: ExpressibleByArgument {
    let features: ServerFeature

    init?(argument: String) {
        var features: ServerFeature = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let feature = ServerFeature(named: String(name)) else { return nil }
            features.insert(feature)
        }
        self.features = features
    }

    static var allValueStrings: [String] { ServerFeature.named.map(\.name) }
}

/// Protocols separated by commas, in any case.
struct ProtocolList: ExpressibleByArgument {
    let protocols: ProtocolSupport

    init?(argument: String) {
        var protocols: ProtocolSupport = []
        for name in argument.split(separator: ",", omittingEmptySubsequences: false) {
            guard let support = ProtocolSupport(named: String(name)) else { return nil }
            protocols.insert(support)
        }
        self.protocols = protocols
    }

    static var allValueStrings: [String] { ProtocolSupport.named.map(\.name) }
}

/// `--order` of servers.
enum ServerOrderOption: String, ExpressibleByArgument, CaseIterable {
    case name, fastest, load, random, none

    var order: VPNServerOrder {
        switch self {
        case .name: .nameAscending
        case .fastest: .fastest
        case .load: .loadAscending
        case .random: .random
        case .none: .none
        }
    }
}
