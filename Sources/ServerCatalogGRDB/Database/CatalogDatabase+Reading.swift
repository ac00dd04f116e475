import GRDB
public import ServerCatalog

extension CatalogDatabase {
    /// Every server that has an endpoint matching all of `filters`, in one SELECT.
    public func servers(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil
    ) throws -> [ServerInfo] {
        try read {
            try ServerInfoResult.request(filters, orderedBy: order, limit: limit, names: names)
                .fetchAll($0).map(\.info)
        }
    }

    /// Calls `body` with one server after the other, all of one state of the catalog.
    public func forEachServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil, _ body: (ServerInfo) throws -> Void
    ) throws {
        for server in try servers(filteredBy: filters, orderedBy: order, limit: limit) {
            try body(server)
        }
    }

    /// The first server in `order` that matches, with all of its endpoints; `nil` if none does.
    public func firstServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) throws -> VPNServer? {
        try read {
            try ServerResult.fetchFirst($0, filters, orderedBy: order, names: names)?.server
        }
    }

    /// Groups of the servers that match, in one SELECT.
    public func groups(
        filteredBy filters: [VPNServerFilter] = [], groupedBy grouping: ServerGrouping = .country,
        orderedBy order: VPNServerGroupOrder = .localizedCountryNameAscending
    ) throws -> [ServerGroupInfo] {
        let groups = try read {
            try GroupInfoResult.request(filters, groupedBy: grouping, names: names)
                .fetchAll($0).map { $0.group(grouping) }
        }
        return order.sorted(groups, names: names)
    }

    /// How many servers there are, with or without endpoints.
    public func serverCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM logical") ?? 0 }
    }

    /// How many endpoints there are.
    public func endpointCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM endpoint") ?? 0 }
    }

    /// What the catalog remembers under `key`; `nil` for nothing.
    public func metadata(for key: CatalogMetadataKey) throws -> String? {
        try read {
            try String.fetchOne(
                $0, sql: "SELECT value FROM databaseMetadata WHERE key = ?",
                arguments: [key.rawValue])
        }
    }
}
