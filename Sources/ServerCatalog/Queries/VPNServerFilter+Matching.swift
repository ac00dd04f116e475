extension VPNServer {
    /// The endpoints that match every filter together with the server; none if it is not found.
    ///
    /// What the filters mean, without a database. Countries are named by `names`.
    public func endpoints(
        matching filters: [VPNServerFilter], names: CountryNames
    ) -> [ServerEndpoint] {
        guard filters.allSatisfy({ $0.accepts(logical, names: names) }) else { return [] }
        return endpoints.filter { endpoint in filters.allSatisfy { $0.accepts(endpoint) } }
    }
}

extension VPNServerFilter {
    /// Whether nothing about the server itself contradicts the filter.
    func accepts(_ logical: Logical, names: CountryNames) -> Bool {
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
        case .matches(let text): SearchText(text, names: names)?.finds(logical) ?? true
        case .endpointID, .supports: true
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
