import Automerge
import DocumentStore
import Foundation
import Replication
import Testing

@Suite struct SyncStatusTests {
    @Test func editsAreUnsavedUntilTheyAreOnDisk() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let index = try anna.newWorkspace(named: "Plans").index
        #expect(index.syncStatus.isInSync)
        try index.put("count", .Int(1))
        #expect(index.syncStatus.hasUnsavedEdits && !index.syncStatus.isInSync)
        try index.save()
        let status = index.syncStatus
        #expect(status.isInSync)
        #expect(try status.newestWrites.keys.elementsEqual([DeviceID("anna")]))
    }

    @Test func missingChangesAndDamagedFilesAreReported() throws {
        let scene = try DamageScene()
        try scene.withoutFirstDelta().write(to: scene.devices.file("ben", in: "ben"))
        try scene.devices.carry(from: "ben", to: "cleo")
        try scene.devices.carry(from: "anna", to: "cleo")
        let cleo = try scene.devices.open("cleo")
        let document = try #require(try cleo.openDocument(scene.id))
        let status = document.syncStatus
        #expect(!status.isInSync)
        #expect(!status.problems.isEmpty)
    }

    @Test func workspacesAndDocumentsAreEqualIfTheyAreTheSameObjects() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let plans = try anna.newWorkspace(named: "Plans")
        let notes = try anna.newWorkspace(named: "Notes")
        let more = try plans.newDocument()
        #expect(anna.workspaces == [notes, plans])
        #expect(Set(anna.workspaces) == [plans, notes])
        #expect(try plans.documents == [plans.index, more])
        #expect(try Set(plans.documents + plans.documents).count == 2)
        let other = try AutomergeStore().newWorkspace(plans.id)
        #expect(other != plans)
        try anna.close()
        #expect(anna.workspaces.isEmpty)
    }

    @Test func documentsWithoutASnapshotAreLeftOut() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let content = Automerge.Document()
        // Ben's edit is small compared with this, so that he stores a delta.
        for number in 0..<200 {
            try content.put(obj: .ROOT, key: "\(number)", value: .String("\(UUID())"))
        }
        let workspace = try anna.newWorkspace(named: "Plans", index: content)
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        try #require(try ben.openDocument(workspace.id)).put("by", .String("ben"))
        try ben.close()
        // Cleo has Ben's delta, but not Anna's snapshot.
        try devices.carry(from: "ben", to: "cleo")
        let cleo = try devices.open("cleo")
        let opened = try #require(try cleo.openWorkspace(workspace.id))
        #expect(opened.documentSummaries.count == 1)
        #expect(try opened.documents.isEmpty)
    }
}
