public import ServerCatalog
public import XCTest

/// An XCTest case in which each test has its own catalog in memory, through
/// ``TestIsolatedDatabaseTestDriver/repository``.
open class TestIsolatedDatabaseTestCase: XCTestCase, TestIsolatedDatabaseTestDriver {
    /// The holder of the running test's catalog.
    public let catalogBox = CatalogBox()

    /// The servers in each test's catalog. Empty by default.
    open var initialServers: [VPNServer] { [] }

    /// Creates the test's catalog.
    ///
    /// - Throws: `ServerCatalogError` if a server can't be stored.
    open override func setUpWithError() throws {
        try super.setUpWithError()
        try setUpCatalog()
    }

    /// Releases the test's catalog.
    ///
    /// - Throws: Errors of XCTest's own tear-down.
    open override func tearDownWithError() throws {
        tearDownCatalog()
        try super.tearDownWithError()
    }
}

/// An XCTest case whose tests share a catalog in memory, through
/// ``CaseIsolatedDatabaseTestDriver/repository``.
///
/// Tests see the changes of earlier tests.
open class CaseIsolatedDatabaseTestCase: XCTestCase, CaseIsolatedDatabaseTestDriver {
    // A static box is enough, because XCTest runs one case at a time, and each case replaces the
    // catalog in it.
    /// The holder of the running case's catalog.
    public static let catalogBox = CatalogBox()

    /// The servers in the case's catalog. Empty by default.
    open class var initialServers: [VPNServer] { [] }

    /// Creates the case's catalog. If a server can't be stored, the case fails.
    open override class func setUp() {
        super.setUp()
        do {
            try setUpCatalog()
        } catch {
            XCTFail("the catalog of the case can't be created: \(error)")
        }
    }

    /// Releases the case's catalog.
    open override class func tearDown() {
        tearDownCatalog()
        super.tearDown()
    }
}
