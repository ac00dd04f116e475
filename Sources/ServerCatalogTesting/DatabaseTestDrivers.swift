public import ServerCatalog

/// Gives each test of an XCTest case a catalog of its own.
///
/// For cases that subclass something else than ``TestIsolatedDatabaseTestCase``: keep a
/// ``CatalogBox``, call ``setUpCatalog()`` when a test is set up and ``tearDownCatalog()`` when
/// it is torn down.
public protocol TestIsolatedDatabaseTestDriver {
    /// Where the catalog is kept: a constant of the case.
    var catalogBox: CatalogBox { get }
    /// The servers that each test begins with; none unless it is said.
    var initialServers: [VPNServer] { get }
}

extension TestIsolatedDatabaseTestDriver {
    /// None.
    public var initialServers: [VPNServer] { [] }

    /// The repository of the running test.
    public var repository: ServerRepository { catalogBox.repository }

    /// Makes the catalog of a test that begins.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored.
    public func setUpCatalog() throws { try catalogBox.setUp(servers: initialServers) }

    /// Lets the catalog of a test that ended go.
    public func tearDownCatalog() { catalogBox.tearDown() }
}

/// Gives all tests of an XCTest case one catalog, whose changes they see.
///
/// For cases that subclass something else than ``CaseIsolatedDatabaseTestCase``: keep a
/// ``CatalogBox``, call ``setUpCatalog()`` when the class is set up and ``tearDownCatalog()``
/// when it is torn down.
public protocol CaseIsolatedDatabaseTestDriver {
    /// Where the catalog is kept: a static constant of the case.
    static var catalogBox: CatalogBox { get }
    /// The servers that the case begins with; none unless it is said.
    static var initialServers: [VPNServer] { get }
}

extension CaseIsolatedDatabaseTestDriver {
    /// None.
    public static var initialServers: [VPNServer] { [] }

    /// The repository of the case.
    public var repository: ServerRepository { Self.catalogBox.repository }

    /// Makes the catalog of a case that begins.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored.
    public static func setUpCatalog() throws { try catalogBox.setUp(servers: initialServers) }

    /// Lets the catalog of a case that ended go.
    public static func tearDownCatalog() { catalogBox.tearDown() }
}
