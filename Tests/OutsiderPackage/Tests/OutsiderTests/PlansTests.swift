import Automerge
import DocumentStore
import Foundation
import Replication
import Testing

/// A program of plans that was written for AutomergeStore.
@Suite struct PlansTests {
    @Test func workspacesListTheirDocuments() throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
        let attachment = try workspace.newDocument()
        try attachment.automerge.put(obj: .ROOT, key: "name", value: .String("map.png"))
        #expect(attachment.syncStatus.hasUnsavedEdits)
        try store.save()
        #expect(attachment.syncStatus.isInSync)
        #expect(store.workspaces == [workspace] && store.workspaces.map(\.id) == [workspace.id])
        let open: Set = [workspace]
        #expect(try open.contains(#require(try store.openWorkspace(workspace.id))))
        #expect(try workspace.documents == [workspace.index, attachment])
        let selected: Set = [attachment]
        #expect(try workspace.documents.filter(selected.contains).map(\.id) == [attachment.id])
        #expect(store.workspaceSummaries.map(\.documentCount) == [2])
        try store.close()
    }

    @Test func statusOfADocumentHasTheWritesOfEachDevice() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "plans-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/Plans.store"
        let laptop = try AutomergeStore(package: path, device: DeviceID("laptop"))
        let plan = try laptop.newWorkspace(named: "Plans").index
        try plan.automerge.put(obj: .ROOT, key: "title", value: .String("Tides"))
        try laptop.save()
        let phone = try AutomergeStore(package: path, device: DeviceID("phone"))
        let copy = try #require(try phone.openDocument(plan.id))
        try copy.automerge.put(obj: .ROOT, key: "title", value: .String("High tides"))
        try phone.save()
        try laptop.sync()
        #expect(plan.syncStatus.isInSync)
        #expect(plan.syncStatus.newestWrites.keys.map(\.name).sorted() == ["laptop", "phone"])
        #expect(try plan.automerge.get(obj: .ROOT, key: "title") == .Scalar(.String("High tides")))
        try laptop.close()
        try phone.close()
    }

    @Test func documentContentIsReadAndWrittenAsASwiftType() throws {
        struct Note: Codable, Equatable { var title = "", tasks: [String] = [] }

        let store = try AutomergeStore()
        let workspace = try store.newWorkspace(named: "Plans")
        let document = try workspace.newDocument()
        try document.write(Note(title: "Trip"))
        try document.update(Note.self) { $0.tasks.append("pack") }
        #expect(try document.read(Note.self) == Note(title: "Trip", tasks: ["pack"]))
        try workspace.rename(to: "Travel")
        #expect(workspace.name == "Travel")
        try workspace.delete()
        #expect(store.workspaces.isEmpty)
        try store.close()
    }
}
