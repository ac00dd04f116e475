public import ServerCatalog
public import ServerCatalogGRDB

/// The catalog of the running test, where the trait `.catalog` gave it one.
public enum CatalogTest {
    @TaskLocal static var current: CatalogDatabase?

    /// The catalog's repository; outside of the trait, one without any closure.
    public static var repository: ServerRepository { current?.repository ?? ServerRepository() }

    /// The catalog itself; `nil` outside of the trait.
    public static var database: CatalogDatabase? { current }

    /// A catalog in memory, in English whatever the environment is.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored.
    public static func makeCatalog(_ servers: [VPNServer] = []) throws -> CatalogDatabase {
        let catalog = try CatalogDatabase.inMemory(names: .english)
        if !servers.isEmpty { try catalog.upsert(servers: servers) }
        return catalog
    }
}
