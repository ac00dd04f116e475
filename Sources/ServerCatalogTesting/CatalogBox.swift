public import ServerCatalog
public import ServerCatalogGRDB
import Synchronization

/// A box that holds the catalog of an XCTest case between set-up and tear-down.
public final class CatalogBox: Sendable {
    private let catalog = Mutex<CatalogDatabase?>(nil)

    /// Creates an empty box.
    public init() {}

    /// The catalog; `nil` before set-up and after tear-down.
    public var database: CatalogDatabase? { catalog.withLock { $0 } }

    /// The catalog's repository, or one without closures if there is no catalog.
    public var repository: ServerRepository { database?.repository ?? ServerRepository() }

    /// Creates a new catalog in memory, replacing the current one.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored. In that case, the current
    ///   catalog is kept.
    public func setUp(servers: [VPNServer]) throws {
        let new = try CatalogTest.makeCatalog(servers)
        catalog.withLock { $0 = new }
    }

    /// Releases the catalog. Repositories that use it keep it alive.
    public func tearDown() { catalog.withLock { $0 = nil } }
}
