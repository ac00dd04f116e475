public import ServerCatalog
public import XCTest

/// An XCTest case whose every test has a catalog in memory of its own, as
/// ``TestIsolatedDatabaseTestDriver/repository``.
open class TestIsolatedDatabaseTestCase: XCTestCase, TestIsolatedDatabaseTestDriver {
    /// Where the catalog of the running test is.
    public let catalogBox = CatalogBox()

    /// The servers that each test begins with; none unless a subclass says so.
    open var initialServers: [VPNServer] { [] }

    /// Makes the test's catalog.
    ///
    /// - Throws: `ServerCatalogError` if a server cannot be stored.
    open override func setUpWithError() throws {
        try super.setUpWithError()
        try setUpCatalog()
    }

    /// Lets the test's catalog go.
    ///
    /// - Throws: What XCTest's own tearing down throws.
    open override func tearDownWithError() throws {
        tearDownCatalog()
        try super.tearDownWithError()
    }
}

/// An XCTest case whose tests share a catalog in memory, as
/// ``CaseIsolatedDatabaseTestDriver/repository``.
///
/// The tests see each other's changes, in the order in which they run.
open class CaseIsolatedDatabaseTestCase: XCTestCase, CaseIsolatedDatabaseTestDriver {
    // XCTest runs one case after the other, and each sets the box up anew.
    /// Where the catalog of the running case is.
    public static let catalogBox = CatalogBox()

    /// The servers that the case begins with; none unless a subclass says so.
    open class var initialServers: [VPNServer] { [] }

    /// Makes the case's catalog; the case fails where that cannot be done.
    open override class func setUp() {
        super.setUp()
        do {
            try setUpCatalog()
        } catch {
            XCTFail("the catalog of the case cannot be made: \(error)")
        }
    }

    /// Lets the case's catalog go.
    open override class func tearDown() {
        tearDownCatalog()
        super.tearDown()
    }
}
