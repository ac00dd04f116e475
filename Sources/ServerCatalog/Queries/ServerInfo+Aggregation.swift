extension ServerInfo {
    /// Creates a list entry from a server and its matching endpoints.
    public init(_ logical: Logical, endpoints: [ServerEndpoint]) {
        self.init(
            logical: logical,
            protocolSupport: endpoints.reduce(into: []) { $0.formUnion($1.protocolSupport) },
            isUnderMaintenance: logical.status.status == 0
                || endpoints.allSatisfy(\.isUnderMaintenance))
    }
}

extension ServerGroupInfo {
    /// Groups `servers`, in no particular order.
    ///
    /// Each server must have at least one matching endpoint. Its aggregates must cover only the
    /// matching endpoints.
    public static func groups(
        of servers: [ServerInfo], groupedBy grouping: ServerGrouping
    ) -> [ServerGroupInfo] {
        Dictionary(grouping: servers) { Kind(of: $0.logical, groupedBy: grouping) }
            .compactMap { ServerGroupInfo($0.key, servers: $0.value) }
    }

    private init?(_ kind: Kind, servers: [ServerInfo]) {
        guard let first = servers.first?.logical else { return nil }
        let tiers = servers.map(\.logical.tier)
        self.init(
            kind: kind, serverCount: servers.count,
            cityCount: Set(servers.compactMap(\.logical.city)).count,
            minTier: tiers.min() ?? first.tier, maxTier: tiers.max() ?? first.tier,
            featureUnion: servers.reduce(into: []) { $0.formUnion($1.logical.features) },
            featureIntersection: servers.reduce(into: first.features) {
                $0.formIntersection($1.logical.features)
            },
            protocolSupport: servers.reduce(into: []) { $0.formUnion($1.protocolSupport) },
            isUnderMaintenance: servers.allSatisfy(\.isUnderMaintenance),
            isVirtual: servers.allSatisfy(\.logical.isVirtual),
            latitude: first.latitude, longitude: first.longitude)
    }
}

extension ServerGroupInfo.Kind {
    /// Returns the group of a server.
    public init(of logical: Logical, groupedBy grouping: ServerGrouping) {
        switch grouping {
        case .city: self = .city(name: logical.city, countryCode: logical.exitCountryCode)
        case .country:
            if let name = logical.gatewayName {
                self = .gateway(name: name, countryCode: logical.exitCountryCode)
            } else {
                self = .country(code: logical.exitCountryCode)
            }
        }
    }
}
