extension ServerRepository {
    /// Returns every server that has an endpoint matching all of `filters`.
    ///
    /// Uses one SELECT, for any number of servers.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`, `.closed`, and database errors: `.busy`,
    ///   `.damaged`, `.inputOutput`.
    /// - Complexity: O(*n*) in the number of matching servers, plus sorting.
    public func getServers(
        filteredBy filters: [VPNServerFilter], orderedBy order: VPNServerOrder
    ) throws -> [ServerInfo] {
        try getServers(filters, order)
    }

    /// Returns the first matching server in `order`, with all its endpoints; `nil` if none matches.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: At most the cost of listing the matching servers.
    public func getFirstServer(
        filteredBy filters: [VPNServerFilter], orderedBy order: VPNServerOrder
    ) throws -> VPNServer? {
        try getFirstServer(filters, order)
    }

    /// Returns the server with the given identifier, with or without endpoints; `nil` if there is
    /// none.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: One lookup.
    public func server(withID id: String) throws -> VPNServer? { try getServer(id) }

    /// Returns the servers with these identifiers, in the order of `ids`, for example for a list of
    /// recent servers or profiles.
    ///
    /// Servers that are no longer in the catalog are left out. A server without endpoints is
    /// included and counts as in maintenance. If an identifier is repeated, its server is also
    /// repeated.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*k* log *n*) for *k* identifiers and *n* servers.
    public func servers(withIDs ids: [String]) throws -> [ServerInfo] {
        try getServersWithIDs(ids)
    }

    /// Returns groups of the matching servers, using one SELECT.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*n*) in the number of matching servers, plus sorting the groups.
    public func getGroups(
        filteredBy filters: [VPNServerFilter], groupedBy grouping: ServerGrouping = .country,
        orderedBy order: VPNServerGroupOrder
    ) throws -> [ServerGroupInfo] {
        try getGroups(filters, grouping, order)
    }

    /// Returns the countries and gateways of the matching servers, by country code.
    ///
    /// Use this method if an empty list is the best response to an error. Errors are reported to
    /// the problem handler. The variant with `orderedBy:` throws them.
    ///
    /// - Complexity: As ``getGroups(filteredBy:groupedBy:orderedBy:)``.
    public func getGroups(filteredBy filters: [VPNServerFilter]) -> [ServerGroupInfo] {
        Self.reporting("getGroups", or: []) {
            try getGroups(filters, .country, .exitCountryCodeAscending)
        }
    }

    /// Returns the same groups as ``getGroups(filteredBy:)``.
    public func groups(filteredBy filters: [VPNServerFilter] = []) -> [ServerGroupInfo] {
        getGroups(filteredBy: filters)
    }

    /// Returns matching servers. An error is reported to the problem handler, and the result is
    /// empty.
    ///
    /// - Complexity: As ``getServers(filteredBy:orderedBy:)``.
    public func servers(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) -> [ServerInfo] {
        Self.reporting("getServers", or: []) { try getServers(filters, order) }
    }

    /// Returns the number of servers, with or without endpoints.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func serverCount() throws -> Int { try getServerCount() }

    /// Returns the number of exit countries, including exit countries of gateways and of servers
    /// without endpoints.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*n*) in the number of servers.
    public func countryCount() throws -> Int { try getCountryCount() }

    /// The server count as advertised to customers. See ``rounded(serverCount:)``. If reading
    /// fails, the error is reported to the problem handler, and the count is 0. To get the error,
    /// call ``serverCount()``.
    public var roundedServerCount: Int {
        Self.rounded(
            serverCount: Self.reporting("getServerCount", or: 0) { try getServerCount() })
    }

    /// Rounds a count down, so that "more than" remains true if a few servers are removed. Counts
    /// up to a hundred are unchanged. Larger counts become the next lower multiple of a hundred.
    /// For example, 4,123 and 4,200 both become 4,100.
    public static func rounded(serverCount: Int) -> Int {
        serverCount <= 100 ? serverCount : (serverCount - 1) / 100 * 100
    }

    /// Whether the catalog has no servers, with or without endpoints. If reading fails, the error
    /// is reported to the problem handler, and the result is `true`. To get the error, call
    /// ``serverCount()``.
    public var isEmpty: Bool {
        Self.reporting("getServerCount", or: 0) { try getServerCount() } == 0
    }

    /// Adds servers, or replaces those with the same identifiers, including their endpoints.
    ///
    /// Stores all servers or none. Several servers can list the same endpoint; each keeps its own
    /// copy.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`, `.closed`, `.readOnly`, `.busy`,
    ///   `.inputOutput`. After an error, the catalog is unchanged.
    /// - Complexity: O(*n*) in the number of servers and endpoints, in one transaction.
    public func upsert(servers: [VPNServer]) throws { try upsertServers(servers) }

    /// Updates the status of known servers and ignores others.
    ///
    /// - Returns: The number of known servers.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: One lookup per load, in one transaction.
    @discardableResult
    public func upsert(loads: [ServerLoad]) throws -> Int { try updateLoads(loads) }

    /// Deletes the servers of tiers up to `maxTier` that are not listed.
    ///
    /// - Returns: The number of deleted servers.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of existing and listed servers.
    @discardableResult
    public func delete(serversNotIn listed: Set<String>, maxTier: Int) throws -> Int {
        try deleteServers(listed, maxTier)
    }

    /// Returns the value stored under `key`, if any.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func metadata(for key: CatalogMetadataKey) throws -> String? { try getMetadata(key) }

    /// Stores `value` under `key`; `nil` removes the stored value.
    ///
    /// - Throws: As ``upsert(servers:)``.
    public func setMetadata(_ value: String?, for key: CatalogMetadataKey) throws {
        try setMetadata(key, value)
    }

    /// Closes the catalog behind the repository. Later calls throw `.closed`.
    ///
    /// Closes all repositories of the same database. Closing again has no effect.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`; `.inputOutput` if the database could not
    ///   be closed.
    public func close() throws { try closeCatalog() }
}
