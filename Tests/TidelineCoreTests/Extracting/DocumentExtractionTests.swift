import Automerge
import DocumentStore
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// Documents that are copied into a new package.
@Suite struct DocumentExtractionTests {
    private let original: DocumentPackage
    private let output: StorePackage

    init() throws {
        original = try DocumentPackage()
        try original.disagree()
        try original.write("ben") { document in
            guard case .Object(let text, _)? = try document.get(obj: .ROOT, key: "text") else {
                return
            }
            try document.spliceText(obj: text, start: 0, delete: 2, value: "Perhaps we")
            try document.put(obj: .ROOT, key: "raw", value: .Bytes(Data("secret bytes".utf8)))
            document.commitWith(message: "message of ben")
        }
        output = try StorePackage(creating: original.folder.appending("Small.store"))
    }

    private func document(
        _ package: StorePackage, _ id: UUID
    ) throws -> (document: Automerge.Document, conflicts: [DocumentView.Conflict]) {
        let store = try DocumentPackage.open(package, nil)
        let opened = try #require(try store.openDocument(id))
        #expect(store.problems(of: id)?.lines ?? [] == [])
        var conflicts: [DocumentView.Conflict] = []
        _ = try DocumentView(opened).forEachConflict { conflicts.append($0) }
        return (opened.automerge, conflicts)
    }

    @Test func copyIsTheSameDocument() throws {
        let count = try DocumentLogCopy.copyRows(
            of: [original.plans], from: original.package, to: output)
        #expect(count > 3)
        let (old, new) = (
            try document(original.package, original.plans), try document(output, original.plans)
        )
        #expect(old.document.heads() == new.document.heads())
        #expect(old.document.getHistory() == new.document.getHistory())
        #expect(new.conflicts.map(\.pointer) == ["/title"])
        let store = try DocumentPackage.open(output, nil)
        #expect(store.documentSummaries().map(\.id) == [original.plans])
        #expect(store.workspaceSummary(original.plans)?.name == "Plans")
        #expect(try output.devices().map(\.id.name) == ["anna", "ben", "carl"])
    }

    @Test func logWithMissingRowsIsRefused() throws {
        let folder = original.package.path + "/Devices/ben"
        try runSQL("DELETE FROM log WHERE id = 1", at: folder + "/Documents.db")
        func expectIncomplete(_ sourceLocation: SourceLocation = #_sourceLocation) {
            let error = #expect(throws: ReplicationError.self, sourceLocation: sourceLocation) {
                try DocumentLogCopy.copyRows(
                    of: [original.plans], from: original.package, to: output)
            }
            #expect(error?.code == .incomplete, sourceLocation: sourceLocation)
        }
        expectIncomplete()
        try FileManager.default.moveItem(
            atPath: folder + "/Documents.db", toPath: folder + "/.Documents.db.icloud")
        expectIncomplete()
    }

    @Test func redactedCopyHasTheSameChangesAndConflicts() throws {
        let redaction = try Redaction(
            devices: original.package.devices().map(\.id), random: SeededRandom(seed: 1))
        _ = try DocumentLogCopy.copyRows(
            of: [original.plans, original.receipt], from: original.package, to: output,
            redaction: redaction)
        let id = redaction.identifier(original.plans)
        let (old, new) = (try document(original.package, original.plans), try document(output, id))
        #expect(old.document.getHistory().count == new.document.getHistory().count)
        #expect(new.document.heads().count == old.document.heads().count)

        let conflict = try #require(old.conflicts.first)
        let standIn = try #require(new.conflicts.first)
        #expect(old.conflicts.count == 1 && new.conflicts.count == 1)
        #expect(standIn.pointer == redaction.text(conflict.pointer))
        #expect(
            ([standIn.winner] + standIn.others).map(\.json)
                == ([conflict.winner] + conflict.others).map { redaction.text($0.json) })

        let text = try text(of: old.document, "text")
        let other = try self.text(of: new.document, redaction.text("text"))
        #expect(text == "Perhaps we leave on Friday")
        #expect(other.utf16.count == text.utf16.count && other.contains(" ") && other != text)
        let nights = try new.document.get(obj: .ROOT, key: redaction.text("nights"))
        #expect(nights == .Scalar(.Counter(7)))
        // The file can be read by others, and saved again.
        let saved = new.document.save()
        #expect(try Automerge.Document(saved).heads() == new.document.heads())

        let texts = ["receipt", "Perhaps", "leave", "Friday", "secret bytes", "message of ben"]
        #expect(try FolderBytes(output.path).contents(in: texts + ["Plans", "nights"]).isEmpty)
        let ids = [original.plans, original.receipt].map { $0.uuidString }
        #expect(try FolderBytes(output.path).contents(in: ids).isEmpty)
    }

    @Test func compactedChunksStayDeleted() throws {
        // After enough edits, a snapshot replaces the deltas.
        for number in 0..<40 {
            try original.write("ben") {
                try $0.put(obj: .ROOT, key: "title", value: .String("title number \(number)"))
            }
        }
        let redaction = try Redaction(devices: original.package.devices().map(\.id))
        _ = try DocumentLogCopy.copyRows(
            of: [original.plans], from: original.package, to: output, redaction: redaction)
        let (old, new) = (
            try document(original.package, original.plans),
            try document(output, redaction.identifier(original.plans))
        )
        #expect(old.document.getHistory().count == new.document.getHistory().count)
        let store = try DocumentPackage.open(output, nil)
        let first = try DocumentPackage.open(original.package, nil)
        #expect(
            store.documentSummaries().map(\.chunkCount) == [
                first.documentSummaries().first { $0.id == original.plans }?.chunkCount
            ])
    }

    private func text(of document: Automerge.Document, _ key: String) throws -> String {
        guard case .Object(let text, _)? = try document.get(obj: .ROOT, key: key) else { return "" }
        return try document.text(obj: text)
    }
}
