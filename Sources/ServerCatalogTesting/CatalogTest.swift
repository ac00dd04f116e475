public import ServerCatalog
public import ServerCatalogGRDB

/// The catalog of the running test, if it has the trait `.catalog`.
public enum CatalogTest {
    @TaskLocal static var current: CatalogDatabase?

    /// The catalog's repository. In tests without the trait, a repository whose closures aren't
    /// set.
    public static var repository: ServerRepository { current?.repository ?? ServerRepository() }

    /// The catalog itself; `nil` in tests without the trait.
    public static var database: CatalogDatabase? { current }

    /// Creates a catalog in memory, in English regardless of the environment.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored.
    public static func makeCatalog(_ servers: [VPNServer] = []) throws -> CatalogDatabase {
        let catalog = try CatalogDatabase.inMemory(names: .english)
        if !servers.isEmpty { try catalog.upsert(servers: servers) }
        return catalog
    }
}
