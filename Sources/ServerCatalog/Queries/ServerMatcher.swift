import LosslessJSON

/// Evaluates filters on values, without a database. A database must return the same results.
public struct ServerMatcher: Sendable {
    private let filters: [VPNServerFilter]
    private let texts: [SearchText]

    /// Creates a matcher that uses the country names of `names`.
    public init(_ filters: [VPNServerFilter], names: CountryNames) {
        self.filters = filters
        texts = filters.compactMap { filter in
            guard case .matches(let text) = filter else { return nil }
            return SearchText(text, names: names)
        }
    }

    /// Returns the list entry of a server with the endpoints that match every filter; `nil` if the
    /// server doesn't match.
    public func info(of server: VPNServer) -> ServerInfo? {
        guard filters.allSatisfy({ $0.accepts(server.logical) }),
            texts.allSatisfy({ $0.finds(server.logical) })
        else { return nil }
        let matching = server.endpoints.filter { endpoint in
            filters.allSatisfy { $0.accepts(endpoint) }
        }
        guard !matching.isEmpty || (server.endpoints.isEmpty && findsServersWithoutEndpoints)
        else { return nil }
        return ServerInfo(server.logical, endpoints: matching)
    }

    private var findsServersWithoutEndpoints: Bool {
        filters.contains(.withoutEndpoints) && !filters.contains { $0.isAboutEndpoints }
    }
}

extension VPNServerFilter {
    /// Returns whether the server itself meets the filter. Search text is not evaluated.
    func accepts(_ logical: Logical) -> Bool {
        switch self {
        case .logicalID(let id): logical.id.hasSameBytes(as: id)
        case .name(let name): logical.name.hasSameBytes(as: name)
        case .tier(let tier): logical.tier == tier
        case .maxTier(let tier): logical.tier <= tier
        case .features(let filter):
            logical.features.isSuperset(of: filter.required)
                && logical.features.isDisjoint(with: filter.excluded)
        case .isNotUnderMaintenance: logical.status.status != 0
        case .kind(.anyCountry): logical.gatewayName == nil
        case .kind(.country(let code)):
            logical.gatewayName == nil && logical.exitCountryCode.hasSameBytes(as: code)
        case .kind(.anyGateway): logical.gatewayName != nil
        case .kind(.gateway(let name)): logical.gatewayName.hasSameBytes(as: name)
        case .entryCountry(let code): logical.entryCountryCode.hasSameBytes(as: code)
        case .exitCountry(let code): logical.exitCountryCode.hasSameBytes(as: code)
        case .city(let city): logical.city.hasSameBytes(as: city)
        case .kind(.gatewayIn(let name, let code)):
            logical.gatewayName.hasSameBytes(as: name)
                && logical.exitCountryCode.hasSameBytes(as: code)
        case .kind(.cityIn(let name, let code)):
            logical.city.hasSameBytes(as: name)
                && logical.exitCountryCode.hasSameBytes(as: code)
        case .endpointID, .supports, .matches, .withoutEndpoints: true
        }
    }

    /// Returns whether the endpoint meets the filter.
    func accepts(_ endpoint: ServerEndpoint) -> Bool {
        switch self {
        case .endpointID(let id): endpoint.id.hasSameBytes(as: id)
        case .isNotUnderMaintenance: !endpoint.isUnderMaintenance
        case .supports(let wanted): !endpoint.protocolSupport.isDisjoint(with: wanted)
        case .withoutEndpoints: false
        case .logicalID, .name, .tier, .maxTier, .features, .kind, .entryCountry, .exitCountry,
            .city, .matches:
            true
        }
    }

    /// Whether the filter has a condition on endpoints.
    var isAboutEndpoints: Bool {
        switch self {
        case .endpointID, .supports, .isNotUnderMaintenance: true
        default: false
        }
    }
}
