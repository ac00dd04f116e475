import ServerCatalog
import ServerCatalogTesting
import XCTest

final class TestIsolatedTests: TestIsolatedDatabaseTestCase {
    override var initialServers: [VPNServer] { SampleServers(count: 5).servers() }

    func testFirstHasTheInitialServers() throws { try checkAndClear() }

    func testSecondDoesNotSeeTheFirst() throws { try checkAndClear() }

    private func checkAndClear() throws {
        XCTAssertEqual(try repository.serverCount(), 5)
        XCTAssertEqual(try repository.delete(serversNotIn: [], maxTier: 3), 5)
    }
}

final class CaseIsolatedTests: CaseIsolatedDatabaseTestCase {
    override class var initialServers: [VPNServer] { SampleServers(count: 5).servers() }

    // XCTest runs the tests of a case sorted by name.
    func testAChanges() throws {
        XCTAssertEqual(try repository.serverCount(), 5)
        XCTAssertEqual(try repository.delete(serversNotIn: [], maxTier: 3), 5)
    }

    func testBSeesTheChange() throws { XCTAssertTrue(repository.isEmpty) }
}

/// A case with another base class that sets the catalog up itself.
final class DriverTests: XCTestCase, TestIsolatedDatabaseTestDriver {
    let catalogBox = CatalogBox()

    override func setUpWithError() throws { try setUpCatalog() }

    override func tearDownWithError() throws { tearDownCatalog() }

    func testDriverGivesAnEmptyCatalog() throws { XCTAssertTrue(repository.isEmpty) }
}
