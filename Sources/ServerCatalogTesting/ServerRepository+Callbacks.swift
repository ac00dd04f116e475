public import ServerCatalog

extension ServerRepository {
    /// Returns the repository with callbacks for stored changes, for tests of code that refreshes a
    /// catalog.
    ///
    /// ```swift
    /// let stored = Mutex<[VPNServer]>([])
    /// let repository = CatalogTest.repository.notifying(
    ///     didStoreServers: { servers in stored.withLock { $0 += servers } })
    /// ```
    ///
    /// Callbacks run on the thread that made the change, after it succeeded. They can use the
    /// repository.
    ///
    /// - Parameters:
    ///   - didStoreServers: Receives the servers of each `upsert(servers:)`.
    ///   - didStoreLoads: Receives the loads of each `upsert(loads:)`, including unknown servers.
    ///   - didDeleteServers: Receives the number of servers that each deletion removed.
    public func notifying(
        didStoreServers: @escaping @Sendable ([VPNServer]) -> Void = { _ in },
        didStoreLoads: @escaping @Sendable ([ServerLoad]) -> Void = { _ in },
        didDeleteServers: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) -> ServerRepository {
        var notifying = self
        notifying.upsertServers = { [upsertServers] servers in
            try upsertServers(servers)
            didStoreServers(servers)
        }
        notifying.updateLoads = { [updateLoads] loads in
            let known = try updateLoads(loads)
            didStoreLoads(loads)
            return known
        }
        notifying.deleteServers = { [deleteServers] listed, maxTier in
            let count = try deleteServers(listed, maxTier)
            didDeleteServers(count)
            return count
        }
        return notifying
    }
}
