/// Reads and writes servers, as a value of closures.
///
/// A program takes one that stands on a database; a test provides only the closures that the
/// code under test should call. Calling another one throws ``ServerCatalogError`` with code
/// `.notProvided` and the closure's name, and tells the problem handler, by which the test
/// support fails the test (see ``setProblemHandler(_:)``).
///
/// The closures are called through the methods of the same names, which have argument labels:
/// `repository.getServers(filteredBy: [.maxTier(0)], orderedBy: .nameAscending)`.
/// They are synchronous: a query takes milliseconds. Wrap larger writes in a task.
public struct ServerRepository: Sendable {
    /// Conditions that must all hold.
    public typealias Filters = [VPNServerFilter]

    /// How many servers there are; see ``serverCount()``.
    public var getServerCount: @Sendable () throws -> Int
    /// In how many countries servers leave; see ``countryCount()``.
    public var getCountryCount: @Sendable () throws -> Int
    /// The first server that matches; see ``getFirstServer(filteredBy:orderedBy:)``.
    public var getFirstServer: @Sendable (Filters, VPNServerOrder) throws -> VPNServer?
    /// The servers that match; see ``getServers(filteredBy:orderedBy:)``.
    public var getServers: @Sendable (Filters, VPNServerOrder) throws -> [ServerInfo]
    /// The server with an identifier; see ``server(withID:)``.
    public var getServer: @Sendable (_ id: String) throws -> VPNServer?
    /// The servers with some identifiers; see ``servers(withIDs:)``.
    public var getServersWithIDs: @Sendable ([String]) throws -> [ServerInfo]
    /// Groups of the servers that match; see ``getGroups(filteredBy:groupedBy:orderedBy:)``.
    public var getGroups:
        @Sendable (Filters, ServerGrouping, VPNServerGroupOrder) throws -> [ServerGroupInfo]
    /// Adds and replaces servers; see ``upsert(servers:)``.
    public var upsertServers: @Sendable ([VPNServer]) throws -> Void
    /// Replaces the status of known servers; see ``upsert(loads:)``.
    public var updateLoads: @Sendable ([ServerLoad]) throws -> Int
    /// Deletes the servers that are not listed; see ``delete(serversNotIn:maxTier:)``.
    public var deleteServers: @Sendable (_ listed: Set<String>, _ maxTier: Int) throws -> Int
    /// What is remembered under a key; see ``metadata(for:)``.
    public var getMetadata: @Sendable (CatalogMetadataKey) throws -> String?
    /// Remembers or forgets a value; see ``setMetadata(_:for:)``.
    public var setMetadata: @Sendable (CatalogMetadataKey, String?) throws -> Void
    /// Gives up what the repository stands on; see ``close()``.
    public var closeCatalog: @Sendable () throws -> Void

    /// A repository of the closures given; each of the others is missing.
    public init(
        getServerCount: @escaping @Sendable () throws -> Int = { throw missing("getServerCount") },
        getCountryCount: @escaping @Sendable () throws -> Int = {
            throw missing("getCountryCount")
        },
        getFirstServer: @escaping @Sendable (Filters, VPNServerOrder) throws -> VPNServer? = {
            _, _ in throw missing("getFirstServer")
        },
        getServers: @escaping @Sendable (Filters, VPNServerOrder) throws -> [ServerInfo] = {
            _, _ in throw missing("getServers")
        },
        getServer: @escaping @Sendable (String) throws -> VPNServer? = { _ in
            throw missing("getServer")
        },
        getServersWithIDs: @escaping @Sendable ([String]) throws -> [ServerInfo] = { _ in
            throw missing("getServersWithIDs")
        },
        getGroups:
            @escaping @Sendable (Filters, ServerGrouping, VPNServerGroupOrder) throws ->
            [ServerGroupInfo] = { _, _, _ in throw missing("getGroups") },
        upsertServers: @escaping @Sendable ([VPNServer]) throws -> Void = { _ in
            throw missing("upsertServers")
        },
        updateLoads: @escaping @Sendable ([ServerLoad]) throws -> Int = { _ in
            throw missing("updateLoads")
        },
        deleteServers: @escaping @Sendable (Set<String>, Int) throws -> Int = { _, _ in
            throw missing("deleteServers")
        },
        getMetadata: @escaping @Sendable (CatalogMetadataKey) throws -> String? = { _ in
            throw missing("getMetadata")
        },
        setMetadata: @escaping @Sendable (CatalogMetadataKey, String?) throws -> Void = { _, _ in
            throw missing("setMetadata")
        },
        closeCatalog: @escaping @Sendable () throws -> Void = { throw missing("closeCatalog") }
    ) {
        self.getServerCount = getServerCount
        self.getCountryCount = getCountryCount
        self.getFirstServer = getFirstServer
        self.getServers = getServers
        self.getServer = getServer
        self.getServersWithIDs = getServersWithIDs
        self.getGroups = getGroups
        self.upsertServers = upsertServers
        self.updateLoads = updateLoads
        self.deleteServers = deleteServers
        self.getMetadata = getMetadata
        self.setMetadata = setMetadata
        self.closeCatalog = closeCatalog
    }
}

/// What the catalog remembers about itself, beside servers.
public struct CatalogMetadataKey: Hashable, Sendable {
    public let rawValue: String

    /// The key of that text, for what a program remembers itself.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The server's Last-Modified header at the last refresh of any kind.
    public static let lastModifiedFree = CatalogMetadataKey("lastModifiedFree")
    /// The same at the last refresh that covered every tier.
    public static let lastModifiedAll = CatalogMetadataKey("lastModifiedAll")
}
