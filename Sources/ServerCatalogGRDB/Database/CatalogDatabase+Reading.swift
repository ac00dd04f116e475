import GRDB
public import ServerCatalog

extension CatalogDatabase {
    /// Returns every server that has an endpoint matching all of `filters`, using one SELECT.
    ///
    /// - Throws: `ServerCatalogError`: `.closed`, `.busy`, `.damaged`, `.inputOutput`.
    /// - Complexity: O(*n*) in the number of matching servers, plus sorting.
    public func servers(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil
    ) throws -> [ServerInfo] {
        try read {
            try ServerInfoResult.request(filters, orderedBy: order, limit: limit, names: names)
                .fetchAll($0).map(\.info)
        }
    }

    /// Calls `body` for each server, in order. All servers are from one state of the catalog.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``; errors of `body`.
    /// - Complexity: As ``servers(filteredBy:orderedBy:limit:)``. All servers are loaded before the
    ///   first call.
    public func forEachServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none,
        limit: Int? = nil, _ body: (ServerInfo) throws -> Void
    ) throws {
        for server in try servers(filteredBy: filters, orderedBy: order, limit: limit) {
            try body(server)
        }
    }

    /// Returns the first matching server in `order`, with all its endpoints; `nil` if none matches.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: At most the cost of listing the matching servers.
    public func firstServer(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) throws -> VPNServer? {
        try read {
            try ServerResult.fetchFirst($0, filters, orderedBy: order, names: names)?.server
        }
    }

    /// Returns the server with the given identifier, with or without endpoints; `nil` if there is
    /// none.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: One lookup.
    public func server(withID id: String) throws -> VPNServer? {
        try read { try ServerResult.fetchOne($0, id: id)?.server }
    }

    /// Returns the servers with these identifiers, in the order of `ids`. Missing servers are left
    /// out. Servers without endpoints are included and count as in maintenance.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*k* log *n*) for *k* identifiers and *n* servers.
    public func servers(withIDs ids: [String]) throws -> [ServerInfo] {
        try read { db in
            try ids.compactMap { try ServerInfoResult.request(id: $0).fetchOne(db)?.info }
        }
    }

    /// Returns groups of the matching servers, using one SELECT.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of matching servers, plus sorting the groups.
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

    /// Returns the number of servers, with or without endpoints.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers, using an index.
    public func serverCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM logical") ?? 0 }
    }

    /// Returns the number of exit countries, including exit countries of gateways and of servers
    /// without endpoints.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of servers, using an index.
    public func countryCount() throws -> Int {
        try read {
            try Int.fetchOne($0, sql: "SELECT COUNT(DISTINCT exitCountryCode) FROM logical") ?? 0
        }
    }

    /// Returns the number of endpoints. An endpoint that two servers list counts twice.
    ///
    /// - Throws: As ``servers(filteredBy:orderedBy:limit:)``.
    /// - Complexity: O(*n*) in the number of endpoints, using an index.
    public func endpointCount() throws -> Int {
        try read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM endpoint") ?? 0 }
    }

    /// Returns the value stored under `key`, if any.
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
