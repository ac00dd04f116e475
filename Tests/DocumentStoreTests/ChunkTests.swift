import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

@Suite struct ChunkTests {
    @Test func storedEditIsAChunk() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let document = try store.newWorkspace().index
        for number in 0..<40 { try document.put("key \(number)", .String("a longer value")) }
        try store.save()
        #expect(store.chunks(of: document.id).map(\.isSnapshot) == [true])
        try document.put("title", .String("one"))
        #expect(store.chunks(of: document.id).count == 1)
        try store.save()
        #expect(store.chunks(of: document.id).map(\.isSnapshot) == [true, false])
        try store.save()
        #expect(store.chunks(of: document.id).count == 2)
    }

    @Test func editsAreSavedAutomatically() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let document = try store.newWorkspace().index
        let created = store.documentSummary(document.id)?.byteCount
        try document.put("a", .Int(1))
        try document.put("b", .Int(2))
        devices.time.advance(by: .milliseconds(499))
        #expect(
            try devices.open("anna", writes: false).documentSummary(document.id)?.byteCount
                == created)
        devices.time.advance(by: .milliseconds(1))
        let read = try devices.open("anna", writes: false)
        #expect(try read.openDocument(document.id)?.get("b") == .Scalar(.Int(2)))
        try document.put("c", .Int(3))
        devices.time.advance(by: .milliseconds(500))
        try read.sync()
        #expect(try read.openDocument(document.id)?.get("c") == .Scalar(.Int(3)))
    }

    @Test func documentIsReleasedOnceItsEditsAreStored() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let id = try store.newWorkspace().id
        #expect(store.openDocumentCount == 0)
        weak var seen: Automerge.Document?
        do {
            let document = try #require(try store.openDocument(id))
            seen = document.automerge
            try document.put("a", .Int(1))
        }
        #expect(seen != nil)
        devices.time.advance(by: .seconds(1))
        #expect(seen == nil)
        #expect(try store.openDocument(id)?.get("a") == .Scalar(.Int(1)))
    }

    @Test func editsOfAReleasedStoreAndDocumentAreStored() throws {
        let devices = try Devices()
        let id = try {
            let store = try devices.open("anna")
            let workspace = try store.newWorkspace()
            try workspace.index.put("a", .Int(1))
            return workspace.id
        }()
        devices.time.advance(by: .seconds(1))
        #expect(try devices.open("anna").openDocument(id)?.get("a") == .Scalar(.Int(1)))
    }

    enum Editing: String, CaseIterable { case counter, number, typing }

    @Test(arguments: Editing.allCases)
    func thousandStoredEditsLeaveFewChunks(_ editing: Editing) throws {
        let devices = try Devices()
        // Each save to a file waits for the disk.
        let isStored = editing == .typing
        let store =
            try isStored
            ? devices.open("anna") : AutomergeStore(configuration: devices.configuration)
        let document = try store.newWorkspace().index
        try document.put("count", .Counter(0))
        let text = try document.automerge.putObject(obj: .ROOT, key: "text", ty: .Text)
        var most = 0
        for number in 0..<1_000 {
            switch editing {
            case .counter:
                try document.automerge.increment(obj: .ROOT, key: "count", by: 1)
            case .number: try document.put("count", .Int(Int64(number)))
            case .typing:
                try document.automerge.spliceText(
                    obj: text, start: UInt64(number), delete: 0,
                    value: number % 6 == 5 ? " " : "a")
            }
            try store.save()
            most = max(most, store.chunks(of: document.id).count)
        }
        #expect(most < 10)
        guard isStored else { return }
        try store.close()
        let again = try #require(try devices.open("anna").openDocument(document.id))
        #expect(again.automerge.heads() == document.automerge.heads())
    }

    @Test func combiningLeavesOneChunkAndTheWholeHistory() throws {
        let devices = try Devices()
        let store = try devices.open("anna")
        let document = try store.newWorkspace().index
        for number in 0..<50 { try document.put("key \(number)", .String("some value")) }
        try store.save()
        for number in 0..<5 {
            try document.put("n", .Int(Int64(number)))
            try store.save()
        }
        #expect(store.chunks(of: document.id).count > 1)
        #expect(try store.compact(document.id))
        #expect(store.chunks(of: document.id).map(\.isSnapshot) == [true])
        #expect(try !store.compact(document.id))
        // The history has the empty change of a new document, and one change per save.
        #expect(document.automerge.getHistory().count == 7)
        try store.close()
        let again = try devices.open("anna")
        #expect(again.chunks(of: document.id).count == 1)
        #expect(try again.openDocument(document.id)?.automerge.getHistory().count == 7)
    }

    @Test func devicesCombineOnlyTheirOwnChunks() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let document = try anna.newWorkspace().index
        for number in 0..<50 { try document.put("key \(number)", .String("some value")) }
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let copy = try #require(try ben.openDocument(document.id))
        try copy.put("by", .String("ben"))
        try ben.save()
        // A line added to another device's document is stored as a line, not as a second snapshot.
        let mine = ben.chunks(of: document.id).filter { $0.device?.name == "ben" }
        #expect(mine.map(\.isSnapshot) == [false])
        let theirs = ben.chunks(of: document.id).filter { $0.device?.name == "anna" }
        #expect(try ben.compact(document.id))
        let after = ben.chunks(of: document.id)
        #expect(after.filter { $0.device?.name == "anna" } == theirs)
        #expect(after.filter { $0.device?.name == "ben" }.map(\.isSnapshot) == [true])
    }

    @Test func openDocumentsMergeArrivingChangesAndKeepUnsavedOnes() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let document = try anna.newWorkspace().index
        try document.put("a", .Int(0))
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        let copy = try #require(try ben.openDocument(document.id))
        try copy.put("by ben", .Int(1))
        try document.put("by anna", .Int(2))
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        try ben.sync()
        #expect(try copy.get("by anna") == .Scalar(.Int(2)))
        #expect(try copy.get("by ben") == .Scalar(.Int(1)))
        try ben.save()
        try devices.carry(from: "ben", to: "anna")
        try anna.sync()
        #expect(try document.get("by ben") == .Scalar(.Int(1)))
        #expect(document.automerge.heads() == copy.automerge.heads())
        // The other device's changes aren't stored a second time.
        let own = ben.chunks(of: document.id).filter { $0.device?.name == "ben" }
        #expect(own.count == 1)
    }

    @Test func chunkWaitsForItsDependencies() throws {
        let devices = try Devices()
        let anna = try devices.open("anna")
        let document = try anna.newWorkspace().index
        for number in 0..<50 { try document.put("key \(number)", .String("some value")) }
        try anna.save()
        for holder in ["ben", "cleo"] { try devices.carry(from: "anna", to: holder) }
        let cleo = try devices.open("cleo")
        let late = try #require(try cleo.openDocument(document.id))

        try document.put("first", .Int(1))
        try anna.save()
        try devices.carry(from: "anna", to: "ben")
        let ben = try devices.open("ben")
        try #require(try ben.openDocument(document.id)).put("second", .Int(2))
        try ben.save()

        try devices.carry(from: "ben", to: "cleo")
        try cleo.sync()
        #expect(try late.get("second") == nil)
        let problems = try #require(cleo.problems(of: document.id))
        #expect(problems.missing == document.automerge.heads().sorted())
        #expect(problems.waitingCount == 1)
        try devices.carry(from: "anna", to: "cleo")
        try cleo.sync()
        #expect(try late.get("second") == .Scalar(.Int(2)))
        #expect(cleo.problems(of: document.id)?.isEmpty == true)
    }

    @Test func appliedChangesAreStoredEvenIfTheyWait() throws {
        let source = Automerge.Document()
        try source.put(obj: .ROOT, key: "a", value: .Int(1))
        let first = source.encodeNewChanges()
        try source.put(obj: .ROOT, key: "b", value: .Int(2))
        let second = source.encodeNewChanges()
        try source.put(obj: .ROOT, key: "c", value: .Int(3))
        let third = source.encodeNewChanges()

        let devices = try Devices()
        let id = UUID()
        let store = try devices.open("anna")
        #expect(try store.apply(first, to: id))
        #expect(try store.apply(third, to: id))
        #expect(try !store.apply(first, to: id))
        try store.close()
        let again = try devices.open("anna")
        #expect(try again.apply(second, to: id))
        #expect(try again.openDocument(id)?.get("c") == .Scalar(.Int(3)))
        #expect(again.workspaces.map(\.id) == [id])
    }

    @Test func processesOfOneDeviceSeeEachOthersChunks() throws {
        let devices = try Devices()
        let one = try devices.open("anna")
        let document = try one.newWorkspace(named: "Both").index
        let two = try devices.open("anna")
        let other = try #require(try two.openDocument(document.id))
        try document.put("one", .Int(1))
        try other.put("two", .Int(2))
        try one.save()
        try two.save()
        try one.sync()
        #expect(document.automerge.heads() == other.automerge.heads())
        #expect(try document.get("two") == .Scalar(.Int(2)))
        try one.compact(document.id)
        try other.put("three", .Int(3))
        try two.save()
        try one.close()
        try two.close()
        let again = try #require(try devices.open("anna").openDocument(document.id))
        #expect(again.automerge.heads() == other.automerge.heads())
    }
}
