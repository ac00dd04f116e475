extension ServerRepository {
    /// A repository that reads from `servers`, without a database; its writing closures are
    /// missing.
    ///
    /// Enough for a unit test, and the definition of what the queries mean: a database returns
    /// the same. Countries are named by `names`.
    public init(servers: [VPNServer], names: CountryNames = .english) {
        self.init(
            getServerCount: { servers.count },
            getFirstServer: { filters, order in
                var generator = SystemRandomNumberGenerator()
                let found = servers.filter {
                    !$0.endpoints(matching: filters, names: names).isEmpty
                }
                return order.sorted(found, using: &generator).first
            },
            getServers: { filters, order in
                var generator = SystemRandomNumberGenerator()
                return order.sorted(servers, using: &generator)
                    .compactMap { $0.info(matching: filters, names: names) }
            },
            getGroups: { filters, grouping, order in
                let found = servers.compactMap { $0.info(matching: filters, names: names) }
                return order.sorted(
                    ServerGroupInfo.groups(of: found, groupedBy: grouping), names: names)
            })
    }
}

extension VPNServer {
    fileprivate func info(matching filters: [VPNServerFilter], names: CountryNames) -> ServerInfo? {
        let matching = endpoints(matching: filters, names: names)
        return matching.isEmpty ? nil : ServerInfo(logical, endpoints: matching)
    }
}
