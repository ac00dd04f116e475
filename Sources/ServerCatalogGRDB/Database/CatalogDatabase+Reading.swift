import GRDB
public import ServerCatalog

extension CatalogDatabase {
    /// Every server that has an endpoint matching all of `filters`, in one SELECT.
    ///
    /// - Throws: `ServerCatalogError`: `.closed`, `.busy`, `.damaged`, `.inputOutput`.
    /// - Complexity: O(*n*) in the number of servers that match, and sorting.
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
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``; what `body` throws.
    /// - Complexity: As ``servers(filteredBy:orderedBy:limit:)``: all are in memory before the
    ///   first is passed on.
    public func forEachServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil, _ body: (ServerInfo) throws -> Void
    ) throws {
        for server in try servers(filteredBy: filters, orderedBy: order, limit: limit) {
            try body(server)
        }
    }

    /// The first server in `order` that matches, with all of its endpoints; `nil` if none does.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: At most that of listing the servers that match.
    public func firstServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) throws -> VPNServer? {
        try read {
            try ServerResult.fetchFirst($0, filters, orderedBy: order, names: names)?.server
        }
    }

    /// The server with an identifier, with endpoints or without; `nil` where there is none.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: A look-up.
    public func server(withID id: String) throws -> VPNServer? {
        try read { try ServerResult.fetchOne($0, id: id)?.server }
    }

    /// The servers with these identifiers, in the order of `ids`; those that have gone are left
    /// out, and those without endpoints are there, under maintenance.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*k* log *n*), *k* identifiers among *n* servers.
    public func servers(withIDs ids: [String]) throws -> [ServerInfo] {
        try read { db in
            try ids.compactMap { try ServerInfoResult.request(id: $0).fetchOne(db)?.info }
        }
    }

    /// Groups of the servers that match, in one SELECT.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers that match, and sorting the groups.
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
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers, by an index.
    public func serverCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM logical") ?? 0 }
    }

    /// In how many countries servers leave, gateways and servers without endpoints included.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers, by an index.
    public func countryCount() throws -> Int {
        try read {
            try Int.fetchOne($0, sql: "SELECT COUNT(DISTINCT exitCountryCode) FROM logical") ?? 0
        }
    }

    /// How many endpoints there are; one that two servers list counts twice.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of endpoints, by an index.
    public func endpointCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM endpoint") ?? 0 }
    }

    /// What the catalog remembers under `key`; `nil` for nothing.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    public func metadata(for key: CatalogMetadataKey) throws -> String? {
        try read {
            try String.fetchOne(
                $0, sql: "SELECT value FROM databaseMetadata WHERE key = ?",
                arguments: [key.rawValue])
        }
    }
}
