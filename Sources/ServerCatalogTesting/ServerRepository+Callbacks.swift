public import ServerCatalog

extension ServerRepository {
    /// The repository, telling what is stored through it: for tests of code that refreshes a
    /// catalog.
    ///
    /// ```swift
    /// let stored = Mutex<[VPNServer]>([])
    /// let repository = CatalogTest.repository.telling(
    ///     didStoreServers: { servers in stored.withLock { $0 += servers } })
    /// ```
    ///
    /// A callback comes on the thread that stored, after the change is done; one that fails is
    /// not told. It may use the repository.
    ///
    /// - Parameters:
    ///   - didStoreServers: Gets the servers of each `upsert(servers:)`.
    ///   - didStoreLoads: Gets the loads of each `upsert(loads:)`, unknown servers included.
    ///   - didDeleteServers: Gets how many servers each deletion took.
    public func telling(
        didStoreServers: @escaping @Sendable ([VPNServer]) -> Void = { _ in },
        didStoreLoads: @escaping @Sendable ([ServerLoad]) -> Void = { _ in },
        didDeleteServers: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) -> ServerRepository {
        var telling = self
        telling.upsertServers = { [upsertServers] servers in
            try upsertServers(servers)
            didStoreServers(servers)
        }
        telling.updateLoads = { [updateLoads] loads in
            let known = try updateLoads(loads)
            didStoreLoads(loads)
            return known
        }
        telling.deleteServers = { [deleteServers] listed, maxTier in
            let count = try deleteServers(listed, maxTier)
            didDeleteServers(count)
            return count
        }
        return telling
    }
}
