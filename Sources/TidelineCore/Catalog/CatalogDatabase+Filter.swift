import Replication
import ServerCatalog
import ServerCatalogGRDB

extension CatalogDatabase {
    /// Returns the servers that match a filter and belong to `group`.
    func servers(
        passing filter: CatalogFilter, among group: [VPNServerFilter] = [],
        orderedBy order: VPNServerOrder = .none
    ) throws -> [ServerInfo] {
        let servers = try servers(filteredBy: group + filter.filters, orderedBy: order)
        guard let compared = filter.servers else { return servers }
        let names = names
        return servers.filter { server in
            let listed = ListedServer(server: server, names: names)
            return compared.passes(ListedServer.schema.subject(listed, now: .distantPast))
        }
    }

    /// Returns the groups of servers that match a filter: gateways first, then countries by name.
    ///
    /// - Complexity: As for grouping in the catalog. If servers must be compared one by one, also
    ///   O(*n*) in the number of these servers.
    func groups(passing filter: CatalogFilter) throws -> [ServerGroupInfo] {
        let order = VPNServerGroupOrder.localizedCountryNameAscending
        let groups =
            if filter.servers == nil {
                try groups(
                    filteredBy: filter.filters, groupedBy: .country, orderedBy: order)
            } else {
                order.sorted(
                    ServerGroupInfo.groups(of: try servers(passing: filter), groupedBy: .country),
                    names: names)
            }
        guard let compared = filter.groups else { return groups }
        let names = names
        return groups.filter { group in
            let listed = ListedGroup(group: group, names: names)
            return compared.passes(ListedGroup.schema.subject(listed, now: .distantPast))
        }
    }
}
