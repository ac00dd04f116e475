import Replication
import TestSupport
import Testing

@Suite struct ArticleExampleTests {
    /// The loop ends only if it is canceled, so the example is only compiled.
    private func example() async throws {
        // begin
        let package = try StorePackage(opening: "Notes.store")
        for folder in try package.devices() {
            print(folder.id, folder.has(DatabaseKind(named: "Logs")), folder.problem ?? "")
        }
        for await change in try PackageChanges(in: package) {
            print(change.files, change.blobs)
        }
        // end
    }

    @Test func articleShowsTheExample() throws {
        #expect(try Documentation.missingLines(of: #filePath) == [])
    }
}
