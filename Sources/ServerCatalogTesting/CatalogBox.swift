public import ServerCatalog
public import ServerCatalogGRDB
import Synchronization

/// Holds the catalog of an XCTest case between its setting up and tearing down.
public final class CatalogBox: Sendable {
    private let catalog = Mutex<CatalogDatabase?>(nil)

    /// A box without a catalog.
    public init() {}

    /// The catalog; `nil` before it is set up and after it is torn down.
    public var database: CatalogDatabase? { catalog.withLock { $0 } }

    /// The catalog's repository; where there is no catalog, one without any closure.
    public var repository: ServerRepository { database?.repository ?? ServerRepository() }

    /// Puts a new catalog in memory in place of the one that was there.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored; the catalog that was there
    ///   stays.
    public func setUp(servers: [VPNServer]) throws {
        let new = try CatalogTest.makeCatalog(servers)
        catalog.withLock { $0 = new }
    }

    /// Lets the catalog go. Repositories that were taken from it keep it until they go.
    public func tearDown() { catalog.withLock { $0 = nil } }
}
