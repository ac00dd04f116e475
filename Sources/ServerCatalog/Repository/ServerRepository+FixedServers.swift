import LosslessJSON

extension ServerRepository {
    /// Creates a repository that reads from `servers`, without a database and without the writing
    /// closures.
    ///
    /// The repository is sufficient for unit tests, and it is the reference for the queries: a
    /// database returns the same results. Country names come from `names`.
    ///
    /// - Complexity: Each query examines every server.
    public init(servers: [VPNServer], names: CountryNames = .english) {
        self.init(
            getServerCount: { servers.count },
            getCountryCount: { Set(servers.map(\.logical.exitCountryCode)).count },
            getFirstServer: { filters, order in
                var generator = SystemRandomNumberGenerator()
                let matcher = ServerMatcher(filters, names: names)
                let found = servers.filter { matcher.info(of: $0) != nil }
                return order.sorted(found, using: &generator).first
            },
            getServers: { filters, order in
                var generator = SystemRandomNumberGenerator()
                return order.sorted(servers, using: &generator)
                    .compactMap(ServerMatcher(filters, names: names).info)
            },
            getServer: { id in servers.first { $0.id.hasSameBytes(as: id) } },
            getServersWithIDs: { ids in
                ids.compactMap { id in
                    servers.first { $0.id.hasSameBytes(as: id) }
                        .map { ServerInfo($0.logical, endpoints: $0.endpoints) }
                }
            },
            getGroups: { filters, grouping, order in
                let found = servers.compactMap(ServerMatcher(filters, names: names).info)
                return order.sorted(
                    ServerGroupInfo.groups(of: found, groupedBy: grouping), names: names)
            },
            closeCatalog: {})
    }
}
