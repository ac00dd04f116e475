/// A repository that reads and writes servers through closures.
///
/// Programs use a repository that is backed by a database. Tests provide only the closures that the
/// code under test should call. Calling a missing closure throws ``ServerCatalogError`` with code
/// `.notProvided` and the closure's name. The call also notifies the problem handler (see
/// ``setProblemHandler(_:)``). The handler that the test support installs fails the test.
///
/// Call the closures through the methods of the same names, which have argument labels:
/// `repository.getServers(filteredBy: [.maxTier(0)], orderedBy: .nameAscending)`. They are
/// synchronous, because queries take milliseconds. Wrap larger writes in a task.
public struct ServerRepository: Sendable {
    /// Conditions that must all hold.
    public typealias Filters = [VPNServerFilter]

    /// Returns the number of servers. See ``serverCount()``.
    public var getServerCount: @Sendable () throws -> Int
    /// Returns the number of exit countries. See ``countryCount()``.
    public var getCountryCount: @Sendable () throws -> Int
    /// Returns the first matching server. See ``getFirstServer(filteredBy:orderedBy:)``.
    public var getFirstServer: @Sendable (Filters, VPNServerOrder) throws -> VPNServer?
    /// Returns the matching servers. See ``getServers(filteredBy:orderedBy:)``.
    public var getServers: @Sendable (Filters, VPNServerOrder) throws -> [ServerInfo]
    /// Returns the server with the given identifier. See ``server(withID:)``.
    public var getServer: @Sendable (_ id: String) throws -> VPNServer?
    /// Returns the servers with the given identifiers. See ``servers(withIDs:)``.
    public var getServersWithIDs: @Sendable ([String]) throws -> [ServerInfo]
    /// Returns groups of the matching servers. See ``getGroups(filteredBy:groupedBy:orderedBy:)``.
    public var getGroups:
        @Sendable (Filters, ServerGrouping, VPNServerGroupOrder) throws -> [ServerGroupInfo]
    /// Adds and replaces servers. See ``upsert(servers:)``.
    public var upsertServers: @Sendable ([VPNServer]) throws -> Void
    /// Updates the status of known servers. See ``upsert(loads:)``.
    public var updateLoads: @Sendable ([ServerLoad]) throws -> Int
    /// Deletes unlisted servers. See ``delete(serversNotIn:maxTier:)``.
    public var deleteServers: @Sendable (_ listed: Set<String>, _ maxTier: Int) throws -> Int
    /// Returns the value stored under a key. See ``metadata(for:)``.
    public var getMetadata: @Sendable (CatalogMetadataKey) throws -> String?
    /// Stores or removes a value. See ``setMetadata(_:for:)``.
    public var setMetadata: @Sendable (CatalogMetadataKey, String?) throws -> Void
    /// Closes the catalog. See ``close()``.
    public var closeCatalog: @Sendable () throws -> Void

    /// Creates a repository with the given closures. The others are missing.
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

/// A key for a value that the catalog stores in addition to servers.
public struct CatalogMetadataKey: Hashable, Sendable {
    public let rawValue: String

    /// Creates a key with that text, for a program's own values.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The Last-Modified header of the most recent refresh of any kind.
    public static let lastModifiedFree = CatalogMetadataKey("lastModifiedFree")
    /// The Last-Modified header of the most recent refresh that covered every tier.
    public static let lastModifiedAll = CatalogMetadataKey("lastModifiedAll")
}
