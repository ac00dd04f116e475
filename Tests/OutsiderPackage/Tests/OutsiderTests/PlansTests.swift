import Automerge
import DocumentStore
import Foundation
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
        #expect(store.workspaces == [workspace])
        #expect(try workspace.documents == [workspace.index, attachment])
        let selected: Set = [attachment]
        #expect(try workspace.documents.filter(selected.contains).map(\.id) == [attachment.id])
        #expect(store.workspaceSummaries.map(\.documentCount) == [2])
        try store.close()
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
