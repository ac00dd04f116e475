import Automerge
import DocumentStore
import Foundation
import Replication

// The example of AutomergeStore's description, and the features of workspaces and documents that
// the description names.
@main struct Port {
    static func main() throws {
        // A store in memory, a workspace in it, and an edit of its index document.
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace()
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))

        // store.workspaces, workspace.id, workspace.documents, document.id, document.automerge
        expect(store.workspaces.map(\.id) == [workspace.id])
        let attachment = try workspace.newDocument()
        try attachment.automerge.put(obj: .ROOT, key: "name", value: .String("map.png"))
        expect(try workspace.documents.map(\.id) == [workspace.index.id, attachment.id])
        expect(try store.openWorkspace(workspace.id) == workspace)
        try store.close()

        // The same in a file, which stores a change as a small chunk.
        let folder = FileManager.default.temporaryDirectory.appending(path: "port-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Plans.store"
        let laptop = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let plans = try laptop.newWorkspace(named: "Plans")
        let count = try plans.index.automerge
        try count.put(obj: .ROOT, key: "count", value: .Counter(1))
        try laptop.save()
        try count.increment(obj: .ROOT, key: "count", by: 2)
        try laptop.save()
        expect(laptop.chunks(of: plans.id).contains { $0.isSnapshot })
        // Compacting combines all chunks into a snapshot.
        try laptop.compact(plans.id)
        expect(laptop.chunks(of: plans.id).map(\.isSnapshot) == [true])
        try laptop.close()

        let again = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let opened = try again.openWorkspace(plans.id)
        let value = try opened?.index.automerge.get(obj: .ROOT, key: "count")
        expect(value == .Scalar(.Counter(3)))
        try again.deleteWorkspace(plans.id)
        expect(again.workspaces.isEmpty)
        try again.close()
        print("the counter is 3")
    }
}

/// Ends the program if the condition doesn't hold.
private func expect(_ condition: Bool, line: UInt = #line) {
    if !condition { fatalError("the condition in line \(line) doesn't hold") }
}
