public import ServerCatalog
public import XCTest

/// An XCTest case whose every test has a catalog in memory of its own, as ``repository``.
open class TestIsolatedDatabaseTestCase: XCTestCase, TestIsolatedDatabaseTestDriver {
    public let catalogBox = CatalogBox()

    open var initialServers: [VPNServer] { [] }

    open override func setUpWithError() throws {
        try super.setUpWithError()
        try setUpCatalog()
    }

    open override func tearDownWithError() throws {
        tearDownCatalog()
        try super.tearDownWithError()
    }
}

/// An XCTest case whose tests share a catalog in memory, as ``repository``.
///
/// The tests see each other's changes, in the order in which they run.
open class CaseIsolatedDatabaseTestCase: XCTestCase, CaseIsolatedDatabaseTestDriver {
    // XCTest runs one case after the other, and each sets the box up anew.
    public static let catalogBox = CatalogBox()

    open class var initialServers: [VPNServer] { [] }

    open override class func setUp() {
        super.setUp()
        do {
            try setUpCatalog()
        } catch {
            XCTFail("the catalog of the case cannot be made: \(error)")
        }
    }

    open override class func tearDown() {
        tearDownCatalog()
        super.tearDown()
    }
}
