extension ServerRepository {
    /// Every server that has an endpoint matching all of `filters`.
    ///
    /// One SELECT, whatever the number of servers.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`, `.closed`, and what the database meets:
    ///   `.busy`, `.damaged`, `.inputOutput`.
    /// - Complexity: O(*n*) in the number of servers that match, and sorting.
    public func getServers(
        filteredBy filters: [VPNServerFilter], orderedBy order: VPNServerOrder
    ) throws -> [ServerInfo] {
        try getServers(filters, order)
    }

    /// The first server in `order` that matches, with all of its endpoints; `nil` if none does.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: At most that of listing the servers that match.
    public func getFirstServer(
        filteredBy filters: [VPNServerFilter], orderedBy order: VPNServerOrder
    ) throws -> VPNServer? {
        try getFirstServer(filters, order)
    }

    /// The server with an identifier, with endpoints or without; `nil` where there is none.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: A look-up.
    public func server(withID id: String) throws -> VPNServer? { try getServer(id) }

    /// The servers with these identifiers, in the order of `ids`: what a list of recent servers or
    /// of profiles keeps.
    ///
    /// A server that has gone from the catalog is left out; one without endpoints is there, and
    /// under maintenance. An identifier that is listed twice gives its server twice.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*k* log *n*), *k* identifiers among *n* servers.
    public func servers(withIDs ids: [String]) throws -> [ServerInfo] {
        try getServersWithIDs(ids)
    }

    /// Groups of the servers that match, in one SELECT.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*n*) in the number of servers that match, and sorting the groups.
    public func getGroups(
        filteredBy filters: [VPNServerFilter], groupedBy grouping: ServerGrouping = .country,
        orderedBy order: VPNServerGroupOrder
    ) throws -> [ServerGroupInfo] {
        try getGroups(filters, grouping, order)
    }

    /// Countries and gateways of the servers that match, by country code.
    ///
    /// For code that has no better answer to an error than an empty list: the error goes to the
    /// problem handler. The form with `orderedBy:` throws it.
    ///
    /// - Complexity: As ``getGroups(filteredBy:groupedBy:orderedBy:)``.
    public func getGroups(filteredBy filters: [VPNServerFilter]) -> [ServerGroupInfo] {
        Self.reporting("getGroups") { try getGroups(filters, .country, .exitCountryCodeAscending) }
    }

    /// The same as ``getGroups(filteredBy:)``.
    public func groups(filteredBy filters: [VPNServerFilter] = []) -> [ServerGroupInfo] {
        getGroups(filteredBy: filters)
    }

    /// Servers that match; an error goes to the problem handler, and there are none.
    ///
    /// - Complexity: As ``getServers(filteredBy:orderedBy:)``.
    public func servers(
        filteredBy filters: [VPNServerFilter] = [], orderedBy order: VPNServerOrder = .none
    ) -> [ServerInfo] {
        Self.reporting("getServers") { try getServers(filters, order) }
    }

    /// How many servers there are, with or without endpoints.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func serverCount() throws -> Int { try getServerCount() }

    /// In how many countries servers leave, gateways and servers without endpoints included.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    /// - Complexity: O(*n*) in the number of servers.
    public func countryCount() throws -> Int { try getCountryCount() }

    /// The count as it is told to customers; see ``rounded(serverCount:)``.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func roundedServerCount() throws -> Int {
        Self.rounded(serverCount: try getServerCount())
    }

    /// A number that stays true when a few servers go: up to a hundred it is itself, above, the
    /// largest smaller number of whole hundreds (4,123 and 4,200 are both 4,100).
    public static func rounded(serverCount: Int) -> Int {
        serverCount <= 100 ? serverCount : (serverCount - 1) / 100 * 100
    }

    /// Whether there is no server at all, with or without endpoints.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func isEmpty() throws -> Bool { try getServerCount() == 0 }

    /// Adds servers and replaces those with the same identifiers, endpoints included.
    ///
    /// All or nothing. Several servers may list an endpoint; each keeps it as it lists it.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`, `.closed`, `.readOnly`, `.busy`,
    ///   `.inputOutput`; nothing is changed then.
    /// - Complexity: O(*n*) in the number of servers and endpoints, in one transaction.
    public func upsert(servers: [VPNServer]) throws { try upsertServers(servers) }

    /// Replaces the status of servers that are known; others are ignored.
    ///
    /// - Returns: How many were known.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: A look-up for each load, in one transaction.
    @discardableResult
    public func upsert(loads: [ServerLoad]) throws -> Int { try updateLoads(loads) }

    /// Deletes the servers of tiers up to `maxTier` that are not listed.
    ///
    /// - Returns: How many were deleted.
    /// - Throws: As ``upsert(servers:)``.
    /// - Complexity: O(*n*) in the number of servers that are there and that are listed.
    @discardableResult
    public func delete(serversNotIn listed: Set<String>, maxTier: Int) throws -> Int {
        try deleteServers(listed, maxTier)
    }

    /// What is remembered under `key`; `nil` for nothing.
    ///
    /// - Throws: As ``getServers(filteredBy:orderedBy:)``.
    public func metadata(for key: CatalogMetadataKey) throws -> String? { try getMetadata(key) }

    /// Remembers `value`; `nil` forgets what was there.
    ///
    /// - Throws: As ``upsert(servers:)``.
    public func setMetadata(_ value: String?, for key: CatalogMetadataKey) throws {
        try setMetadata(key, value)
    }

    /// Gives up what the repository stands on; calls after it throw `.closed`.
    ///
    /// Every repository that was taken from the same database is closed with it. Closing again
    /// does nothing.
    ///
    /// - Throws: ``ServerCatalogError``: `.notProvided`; `.inputOutput` if the database could not
    ///   be closed.
    public func close() throws { try closeCatalog() }
}
