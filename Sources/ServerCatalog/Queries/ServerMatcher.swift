/// Filters as a plain condition on values: what they mean, without a database.
public struct ServerMatcher: Sendable {
    private let filters: [VPNServerFilter]
    private let texts: [SearchText]

    /// Countries are named by `names`.
    public init(_ filters: [VPNServerFilter], names: CountryNames) {
        self.filters = filters
        texts = filters.compactMap { filter in
            guard case .matches(let text) = filter else { return nil }
            return SearchText(text, names: names)
        }
    }

    /// The endpoints that match every filter together with their server; none if it is not found.
    public func endpoints(of server: VPNServer) -> [ServerEndpoint] {
        guard filters.allSatisfy({ $0.accepts(server.logical) }),
            texts.allSatisfy({ $0.finds(server.logical) })
        else { return [] }
        return server.endpoints.filter { endpoint in filters.allSatisfy { $0.accepts(endpoint) } }
    }

    /// The server as a list shows it; `nil` if it is not found.
    public func info(of server: VPNServer) -> ServerInfo? {
        let matching = endpoints(of: server)
        return matching.isEmpty ? nil : ServerInfo(server.logical, endpoints: matching)
    }
}

extension VPNServerFilter {
    /// Whether nothing about the server itself contradicts the filter; text is not looked at.
    func accepts(_ logical: Logical) -> Bool {
        switch self {
        case .logicalID(let id): logical.id == id
        case .name(let name): logical.name == name
        case .tier(let tier): logical.tier == tier
        case .maxTier(let tier): logical.tier <= tier
        case .features(let filter):
            logical.features.isSuperset(of: filter.required)
                && logical.features.isDisjoint(with: filter.excluded)
        case .isNotUnderMaintenance: logical.status.status != 0
        case .kind(.anyCountry): logical.gatewayName == nil
        case .kind(.country(let code)):
            logical.gatewayName == nil && logical.exitCountryCode == code
        case .kind(.anyGateway): logical.gatewayName != nil
        case .kind(.gateway(let name)): logical.gatewayName == name
        case .entryCountry(let code): logical.entryCountryCode == code
        case .exitCountry(let code): logical.exitCountryCode == code
        case .city(let city): logical.city == city
        case .endpointID, .supports, .matches: true
        }
    }

    /// Whether nothing about the endpoint contradicts the filter.
    func accepts(_ endpoint: ServerEndpoint) -> Bool {
        switch self {
        case .endpointID(let id): endpoint.id == id
        case .isNotUnderMaintenance: !endpoint.isUnderMaintenance
        case .supports(let wanted): !endpoint.protocolSupport.isDisjoint(with: wanted)
        case .logicalID, .name, .tier, .maxTier, .features, .kind, .entryCountry, .exitCountry,
            .city, .matches:
            true
        }
    }
}
