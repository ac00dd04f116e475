import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

/// The calls that docs/from-automergestore.md names as replacements for AutomergeStore's.
@Suite struct ComingFromAutomergeStoreTests {
    @Test func documentedCallsWork() throws {
        let folder = try TemporaryFolder()
        let path = try StorePackage(creating: folder.appending("Notes.store")).path
        let amrg = folder.appending("amrg")
        try AutomergeStore(creatingStorageFolder: amrg).close()
        // begin
        let store = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let scratch = try AutomergeStore()
        let repo = try AutomergeStore(storageFolder: amrg)
        let events = store.events()
        let workspace = try store.newWorkspace(named: "Plans")
        let workspaces = store.workspaces
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
        try store.save()
        let document = try store.newDocument(in: workspace.id)
        let documents = try workspace.documents
        let summaries = store.workspaceSummaries
        let contents = workspace.documentSummaries
        let status = document.syncStatus
        let opened = try store.openDocument(document.id)
        try store.closeDocument(document.id)
        let chunks = store.chunks(of: workspace.id)
        try store.closeWorkspace(workspace.id)
        let again = try store.openWorkspace(workspace.id)
        try store.deleteWorkspace(workspace.id)
        try store.close()
        // end
        try scratch.close()
        try repo.close()
        withExtendedLifetime(events) {}
        #expect(workspaces == [workspace] && documents.map(\.id) == contents.map(\.id))
        #expect(summaries.map(\.name) == ["Plans"] && documents.count == 2 && status.isInSync)
        #expect(opened?.id == document.id && !chunks.isEmpty && again?.id == workspace.id)
    }
}
