import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

@Suite struct WorkspaceTests {
    @Test func newStoreHasNoWorkspaces() throws {
        let store = try AutomergeStore()
        #expect(store.workspaces.isEmpty)
        #expect(store.documentSummaries().isEmpty)
    }

    @Test func indexOfANewWorkspaceIsEditable() throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace()
        try workspace.index.automerge.put(obj: .ROOT, key: "count", value: .Counter(1))
        #expect(try workspace.index.get("count") == .Scalar(.Counter(1)))
        #expect(store.openDocumentCount == 1)
        #expect(try workspace.index.automerge === workspace.index.automerge)
        #expect(workspace.documentSummaries.map(\.isIndex) == [true])
    }

    @Test func workspaceIsRenamedAndDeleted() throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.rename(to: "Travel")
        #expect(store.workspaces.map(\.name) == ["Travel"])
        try workspace.delete()
        #expect(store.workspaces.isEmpty)
    }

    @Test func storedContentSurvivesReopening() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let workspace = try store.newWorkspace(named: "Plans")
        try workspace.index.put("title", .String("Autumn"))
        let extra = try workspace.newDocument()
        try extra.put("kind", .String("attachment"))
        try store.close()

        let again = try devices.open("anna")
        #expect(again.workspaces.map(\.name) == ["Plans"])
        #expect(again.documentSummaries().count == 2)
        let opened = try #require(try again.openWorkspace(workspace.id))
        #expect(try opened.index.get("title") == .Scalar(.String("Autumn")))
        #expect(
            try again.openDocument(extra.id)?.get("kind") == .Scalar(.String("attachment")))
    }

    @Test func editsOfManyDocumentsAreSavedInOneTransaction() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let workspace = try store.newWorkspace(named: "Plans")
        let documents = try (0..<5).map { _ in
            devices.clock.advance(microseconds: 1_000)
            return try workspace.newDocument()
        }
        devices.clock.advance(microseconds: 1_000)
        let before = Set(store.documentSummaries().flatMap { store.chunks(of: $0.id) }.map(\.id))
        for document in documents { try document.put("kind", .String("attachment")) }
        try store.save()
        let new = store.documentSummaries().flatMap { store.chunks(of: $0.id) }.filter {
            !before.contains($0.id)
        }
        // All rows of one transaction have the same timestamp.
        #expect(Set(new.map(\.document)) == Set(documents.map(\.id)))
        #expect(Set(new.map(\.timestamp)).count == 1)
        try store.close()
        let again = try devices.open("anna")
        for document in documents {
            #expect(
                try again.openDocument(document.id)?.get("kind")
                    == .Scalar(.String("attachment")))
        }
    }

    @Test func newestNameWinsEverywhere() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let workspace = try anna.newWorkspace(named: "One")
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        // The clock stands still: a writer that had seen a name still replaces it.
        try ben.renameWorkspace(workspace.id, to: "Two")
        try devices.carry(from: "ben", to: "anna")
        try anna.sync()
        #expect(anna.workspaces.map(\.name) == ["Two"])
        #expect(ben.workspaces.map(\.name) == ["Two"])
    }

    @Test func deletedWorkspaceDisappearsOnEveryDevice() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let workspace = try anna.newWorkspace(named: "Gone")
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let held = try #require(try ben.openDocument(workspace.id))
        try held.put("late", .Int(1))
        try anna.deleteWorkspace(workspace.id)
        #expect(anna.workspaces.isEmpty)
        #expect(anna.chunks(of: workspace.id).isEmpty)
        try devices.carry(from: "anna", to: "ben")
        try ben.sync()
        #expect(ben.workspaces.isEmpty)
        #expect(try ben.openDocument(workspace.id) == nil)
        #expect(ben.openDocumentCount == 0)
        #expect(throws: DocumentStoreError.self) { try ben.deleteWorkspace(workspace.id) }
        try ben.close()
        #expect(try devices.open("ben").workspaces.isEmpty)
    }

    @Test func workspaceOpensBeforeItsIndexArrives() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let workspace = try anna.newWorkspace(named: "Plans")
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let more = try ben.newDocument(in: workspace.id)
        try more.put("by", .String("ben"))
        try ben.close()

        // Cleo gets Ben's file first, which has a document but no index.
        try devices.carry(from: "ben", to: "cleo")
        let cleo = try devices.open("cleo")
        let opened = try #require(try cleo.openWorkspace(workspace.id))
        #expect(!opened.hasIndex)
        #expect(throws: DocumentStoreError.self) { try opened.index }
        #expect(try cleo.openDocument(more.id)?.get("by") == .Scalar(.String("ben")))
        try devices.carry(from: "anna", to: "cleo")
        try cleo.sync()
        #expect(opened.hasIndex)
        #expect(opened.name == "Plans")
        #expect(try opened.index.automerge.heads() == workspace.index.automerge.heads())
    }

    @Test func receivedDocumentAddsTheMissingFirstChanges() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let document = try anna.newWorkspace(named: "Plans").index
        let bytes = Data((0..<3_000).map { _ in .random(in: 0...255) })
        try document.put("long", .Bytes(bytes))
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let copy = try #require(try ben.openDocument(document.id))
        try copy.put("by", .String("ben"))
        let other = try ben.newDocument(in: document.workspace)
        try ben.close()

        // Cleo gets Ben's file first, which has a delta of the index.
        try devices.carry(from: "ben", to: "cleo")
        let cleo = try devices.open("cleo")
        #expect(throws: DocumentStoreError.self) { try cleo.openDocument(document.id) }
        // A later change is stored, but doesn't complete the document.
        let heads = copy.automerge.heads()
        try copy.automerge.put(obj: .ROOT, key: "later", value: .Int(1))
        let later = try copy.automerge.encodeChangesSince(heads: heads)
        #expect(try cleo.apply(later, to: document.id))
        #expect(throws: DocumentStoreError.self) { try cleo.openDocument(document.id) }
        #expect(try cleo.apply(document.automerge.save(), to: document.id))
        let received = try #require(try cleo.openDocument(document.id))
        #expect(received.automerge.heads() == copy.automerge.heads())
        #expect(try received.get("long") == .Scalar(.Bytes(bytes)))
        #expect(try !cleo.apply(document.automerge.save(), to: document.id))
        #expect(try cleo.openDocument(other.id) != nil)
    }

    @Test func closingTheIndexLeavesTheWorkspaceOpen() throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace()
        let other = try workspace.newDocument()
        #expect(store.openDocumentCount == 2)
        try store.closeDocument(workspace.id)
        #expect(store.openDocumentCount == 1)
        try store.closeWorkspace(workspace.id)
        #expect(store.openDocumentCount == 0)
        #expect(store.chunks(of: other.id).count == 1)
        #expect(try store.openWorkspace(workspace.id)?.index.id == workspace.id)
    }

    @Test func closingWithoutSavingDropsEdits() throws {
        let store = try AutomergeStore()
        let workspace = try store.newWorkspace()
        try workspace.index.put("kept", .Int(1))
        try store.save()
        try workspace.index.put("lost", .Int(2))
        try store.closeWorkspace(workspace.id, saving: false)
        #expect(try workspace.index.get("kept") == .Scalar(.Int(1)))
        #expect(try workspace.index.get("lost") == nil)
    }

    @Test func unstorableNamesAreRefused() throws {
        let store = try AutomergeStore()
        #expect(throws: DocumentStoreError.self) {
            try store.newWorkspace(named: String(repeating: "x", count: 1_025))
        }
        #expect(throws: DocumentStoreError.self) { try store.newWorkspace(named: "a\0b") }
    }

    @Test func readOnlyStoreCreatesNothing() throws {
        let devices = try Devices()
        let package = try devices.package(of: "anna")
        let before = try FolderState(of: package.path)
        let store = try devices.open("anna", writes: false)
        #expect(throws: DocumentStoreError.self) { try store.newWorkspace() }
        #expect(try FolderState(of: package.path) == before)
    }
}
