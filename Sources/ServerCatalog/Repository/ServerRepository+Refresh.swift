/// What a refresh from the service covered.
public enum CatalogRefresh: Hashable, Sendable {
    /// The servers of the free tier only.
    case free
    /// Every server.
    case full

    /// The highest tier that the list was complete for.
    public var maxTier: Int {
        switch self {
        case .free: ServerTier.free
        case .full: ServerTier.internal
        }
    }

    /// Where the Last-Modified header of the response is remembered.
    public var metadataKeys: [CatalogMetadataKey] {
        switch self {
        case .free: [.lastModifiedFree]
        case .full: [.lastModifiedFree, .lastModifiedAll]
        }
    }
}

extension ServerRepository {
    /// Takes over a list of servers: deletes those of the tiers it covers that it lacks,
    /// then adds and replaces.
    ///
    /// Three calls, each of which is all or nothing; a database offers the same in one
    /// transaction. A missing `lastModified` leaves what is remembered.
    ///
    /// - Returns: How many servers were deleted.
    /// - Throws: As ``upsert(servers:)``; what the calls before it changed stays changed.
    /// - Complexity: That of the three calls.
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
