import Automerge
import DocumentStore
import Foundation
import Replication
import Testing

/// The examples of the article of DocumentStore.
@Suite struct DocumentArticleExampleTests {
    // begin
    @Test func workspaceIsCreatedAndListed() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "plans-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Plans.store"
        let store = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let events = store.events()
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
        for workspace in store.workspaces {
            for document in try workspace.documents {
                let status = document.syncStatus
                print(workspace.name, document.id, status.isInSync)
                for (device, time) in status.newestWrites { print(device, "wrote at", time.date) }
            }
        }
        // The stream ends when the store is closed.
        try store.close()
        for await event in events {
            switch event {
            case .changed(let changes): print("changed", changes.documents)
            case .documentChanged(let document, let devices): print(devices, "edited", document)
            default: break
            }
        }
    }

    @Test func contentIsReadAsASwiftType() async throws {
        struct Note: Codable, Equatable { var title = "", tasks: [String] = [] }

        let store = try AutomergeStore()
        let workspace = try store.newWorkspace(named: "Plans")
        let document = try workspace.newDocument()
        try document.write(Note(title: "Trip"))
        try document.update(Note.self) { $0.tasks.append("pack") }
        print(try document.read(Note.self).tasks)
        #expect(try document.read(Note.self) == Note(title: "Trip", tasks: ["pack"]))
        // The stream of a closed store has only the current content.
        try store.close()
        for await note in document.values(of: Note.self) { print(note.title) }
    }
    // end
}
