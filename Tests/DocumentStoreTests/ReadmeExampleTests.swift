import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

@Suite struct ReadmeExampleTests {
    @Test func readmeExampleRuns() throws {
        #expect(try Documentation.missingLines(of: #filePath).isEmpty)
        let folder = try TemporaryFolder()
        let path = folder.appending("Notes.store")
        // begin
        let store = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
        try store.close()
        // end
        let again = try AutomergeStore(package: path)
        #expect(
            try again.openDocument(workspace.id)?.automerge.get(obj: .ROOT, key: "count")
                == .Scalar(.Counter(1)))
    }
}
