import Foundation
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@Suite struct DatabaseExampleTests {
    /// The paths are in the current folder, so the example is only compiled.
    private func example() throws {
        // begin
        let catalog = try CatalogDatabase.open(path: "Catalog.db")
        let file = try FileHandle(forReadingFrom: URL(filePath: "logicals.json"))
        let report = try catalog.importLogicals(ByteStream(file))

        let groups = try catalog.groups(filteredBy: [.features(.p2p)])
        let fastest = try catalog.firstServer(
            filteredBy: [.kind(.country("CH")), .isNotUnderMaintenance], orderedBy: .fastest)
        // end
        _ = (report, groups, fastest)
    }

    @Test func articleShowsTheExample() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
