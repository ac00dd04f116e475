/// The servers that a refresh from the service covers.
public enum CatalogRefresh: Hashable, Sendable {
    /// The servers of the free tier only.
    case free
    /// Every server.
    case full

    /// The highest tier for which the list is complete.
    public var maxTier: Int {
        switch self {
        case .free: ServerTier.free
        case .full: ServerTier.internal
        }
    }

    /// The keys under which the response's Last-Modified header is stored.
    public var metadataKeys: [CatalogMetadataKey] {
        switch self {
        case .free: [.lastModifiedFree]
        case .full: [.lastModifiedFree, .lastModifiedAll]
        }
    }
}

extension ServerRepository {
    /// Applies a new list of servers. Deletes unlisted servers of the tiers that the list covers,
    /// then adds and replaces servers.
    ///
    /// Makes three calls. Each applies all of its changes or none. `CatalogDatabase` has a method
    /// that does the same in one transaction. Without `lastModified`, the stored header is kept.
    ///
    /// - Returns: The number of deleted servers.
    /// - Throws: As ``upsert(servers:)``. Changes of earlier calls are kept.
    /// - Complexity: The sum of the three calls.
    @discardableResult
    public func refresh(
        _ kind: CatalogRefresh, servers: [VPNServer], lastModified: String? = nil
    ) throws -> Int {
        let deleted = try delete(serversNotIn: Set(servers.map(\.id)), maxTier: kind.maxTier)
        try upsert(servers: servers)
        if let lastModified {
            for key in kind.metadataKeys { try setMetadata(lastModified, for: key) }
        }
        return deleted
    }
}
