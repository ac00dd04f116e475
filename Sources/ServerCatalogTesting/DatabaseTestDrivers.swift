public import ServerCatalog

/// Provides each test of an XCTest case with its own catalog.
///
/// For cases with a base class other than ``TestIsolatedDatabaseTestCase``. Keep a ``CatalogBox``,
/// call ``setUpCatalog()`` when a test is set up, and ``tearDownCatalog()`` when it is torn down.
public protocol TestIsolatedDatabaseTestDriver {
    /// The holder of the catalog: a constant of the case.
    var catalogBox: CatalogBox { get }
    /// The servers in each test's catalog. Empty by default.
    var initialServers: [VPNServer] { get }
}

extension TestIsolatedDatabaseTestDriver {
    /// An empty array.
    public var initialServers: [VPNServer] { [] }

    /// The repository of the running test.
    public var repository: ServerRepository { catalogBox.repository }

    /// Creates the catalog of a test that starts.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored.
    public func setUpCatalog() throws { try catalogBox.setUp(servers: initialServers) }

    /// Releases the catalog of a test that ended.
    public func tearDownCatalog() { catalogBox.tearDown() }
}

/// Provides all tests of an XCTest case with a shared catalog.
///
/// For cases with a base class other than ``CaseIsolatedDatabaseTestCase``. Keep a ``CatalogBox``,
/// call ``setUpCatalog()`` when the class is set up, and ``tearDownCatalog()`` when it is torn
/// down.
public protocol CaseIsolatedDatabaseTestDriver {
    /// The holder of the catalog: a static constant of the case.
    static var catalogBox: CatalogBox { get }
    /// The servers in the case's catalog. Empty by default.
    static var initialServers: [VPNServer] { get }
}

extension CaseIsolatedDatabaseTestDriver {
    /// An empty array.
    public static var initialServers: [VPNServer] { [] }

    /// The repository that the tests of the case share.
    public var repository: ServerRepository { Self.catalogBox.repository }

    /// Creates the catalog for the tests of a case.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored.
    public static func setUpCatalog() throws { try catalogBox.setUp(servers: initialServers) }

    /// Releases the catalog after the tests of a case.
    public static func tearDownCatalog() { catalogBox.tearDown() }
}
