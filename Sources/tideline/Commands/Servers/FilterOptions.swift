import ArgumentParser
import ServerCatalog

/// The filter options of a command. All given options must match.
struct FilterOptions: ParsableArguments {
    @Option(parsing: .unconditional, help: "Only the server with this identifier.")
    var id: String?

    @Option(help: "Only servers of this tier (0 free, 2 plus, 3 internal).")
    var tier: Int?

    @Option(help: "Only servers of this tier or a lower one.")
    var maxTier: Int?

    @Option(
        help: "Only servers with all of these features, separated by commas: \(Self.featureNames).",
        completion: .list(ServerFeature.named.map(\.name)), transform: Self.features)
    var features: ServerFeature?

    @Option(
        help: "Only servers with none of these features.",
        completion: .list(ServerFeature.named.map(\.name)), transform: Self.features)
    var without: ServerFeature?

    @Flag(help: "Only servers that are up and have an endpoint that is up.")
    var online = false

    @Option(
        name: .customLong("protocol"),
        help: "Only servers that support one of these protocols: \(Self.protocolNames).",
        completion: .list(ProtocolSupport.named.map(\.name)), transform: Self.protocols)
    var protocols: ProtocolSupport?

    @Option(
        defaultAsFlag: .any,
        help: """
            Only servers in the country with this code, except servers of gateways; without a \
            value: in any country.
            """)
    var country: AnyOrOne?

    @Option(
        defaultAsFlag: .any,
        help: "Only servers of this gateway; without a value: servers of any gateway.")
    var gateway: AnyOrOne?

    @Option(
        parsing: .unconditional,
        help: "Only servers in this city (exact untranslated name).")
    var city: String?

    @Flag(
        help: "Only servers without an endpoint, which other lists leave out.")
    var withoutEndpoints = false

    @Option(
        parsing: .unconditional,
        help: "Only servers with this text in their name, city, gateway or country.")
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
                        required: features ?? [], excluded: without ?? [])))
        }
        if online { filters.append(.isNotUnderMaintenance) }
        if let protocols { filters.append(.supports(protocols)) }
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
        if withoutEndpoints { filters.append(.withoutEndpoints) }
        if let matches { filters.append(.matches(matches)) }
        return filters
    }

    private static let featureNames = ServerFeature.named.map(\.name).joined(separator: ", ")
    private static let protocolNames = ProtocolSupport.named.map(\.name).joined(separator: ", ")

    @Sendable private static func features(_ list: String) throws -> ServerFeature {
        try union(of: list, "feature", among: featureNames) { ServerFeature(named: $0) }
    }

    @Sendable private static func protocols(_ list: String) throws -> ProtocolSupport {
        try union(of: list, "protocol", among: protocolNames) { ProtocolSupport(named: $0) }
    }

    /// Parses names separated by commas, ignoring case.
    private static func union<Value: SetAlgebra>(
        of list: String, _ what: String, among known: String, _ named: (String) -> Value?
    ) throws -> Value {
        try list.split(separator: ",", omittingEmptySubsequences: false).reduce(into: []) {
            guard let value = named(String($1)) else {
                throw ValidationError("unknown \(what) '\($1)': choose from \(known)")
            }
            $0.formUnion(value)
        }
    }
}

/// An option with an optional value: `[CC]`, `[NAME]`.
enum AnyOrOne: ExpressibleByArgument {
    case any
    case one(String)

    init(argument: String) { self = .one(argument) }

    var defaultValueDescription: String { "any" }
}

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
