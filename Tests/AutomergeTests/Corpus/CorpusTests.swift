import Foundation
import Testing

@testable import Automerge

/// The engine reads and writes the reference's documents as the reference does.
@Suite(.enabled(if: Fixtures.folder != nil, "TIDELINE_FIXTURES names no folder"))
struct CorpusTests {
    private func hashes(_ texts: [String]) throws -> Set<ChangeHash> {
        Set(try texts.map { try #require(ChangeHash(hexadecimal: $0)) })
    }

    private func expectRecorded(_ document: Document, _ record: CorpusRecord) throws {
        #expect(document.heads() == (try hashes(record.heads)))
        let snapshot = try Snapshot(of: document, encoding: .unicodeScalar)
        #expect(snapshot.json() == record.json)
        try expectConflicts(snapshot, record)
        expectMarks(snapshot, record)
    }

    private func expectChanges(_ document: Document, _ record: CorpusRecord) throws {
        #expect(Set(document.getHistory()) == (try hashes(record.changes.map(\.hash))))
        for recorded in record.changes {
            let hash = try #require(ChangeHash(hexadecimal: recorded.hash))
            let change = try #require(document.change(hash: hash))
            #expect(change.hash == hash)
            #expect(change.actorId.description.lowercased() == recorded.actor)
            #expect(Set(change.deps) == (try hashes(recorded.deps)))
            #expect((change.message ?? "") == (recorded.message ?? ""))
            #expect(Int64(change.timestamp.timeIntervalSince1970) == recorded.time)
            let read = try NaiveChangeReader.read(change.bytes)
            #expect(read.sequence == recorded.seq)
            #expect(read.firstCounter == recorded.startOp)
            #expect(read.operations.count == recorded.ops)
        }
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func savedDocumentReadsAsRecorded(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let data = try Fixtures.data(CorpusRecord.name(number) + ".automerge")
        let document = try Document(data)
        try expectRecorded(document, record)
        try expectChanges(document, record)
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func savedDocumentIsSavedAgainByteForByte(number: Int) throws {
        let data = try Fixtures.data(CorpusRecord.name(number) + ".automerge")
        let saved = try Document(data).save()
        let theirs = try NaiveChangeReader.expand(data)
        #expect(theirs.content == (try NaiveChangeReader.expand(saved)).content)
        if !theirs.isCompressed { #expect(saved == data) }
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func changesReadAsRecorded(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let data = try Fixtures.data(CorpusRecord.name(number) + "-changes.automerge")
        let document = try Document(data)
        try expectRecorded(document, record)
        try expectChanges(document, record)
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func changesAreSavedLikeTheReference(number: Int) throws {
        let changes = try Fixtures.data(CorpusRecord.name(number) + "-changes.automerge")
        let saved = try Fixtures.data(CorpusRecord.name(number) + ".automerge")
        let document = try Document(changes)
        let ours = try NaiveChangeReader.expand(document.save()).content
        let theirs = try NaiveChangeReader.expand(saved).content
        if number % 2 == 1 {
            #expect(ours == theirs)
        } else {
            // Changes are saved in the order in which they arrived; these arrived newest first.
            #expect(ours.head == theirs.head)
            #expect(ours.columns.last == theirs.columns.last)
        }
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func changesMatchTheReferenceByteForByte(number: Int) throws {
        let document = try Document(
            Fixtures.data(CorpusRecord.name(number) + ".automerge"))
        let chunks = try NaiveChangeReader.chunks(
            of: Fixtures.data(CorpusRecord.name(number) + "-changes.automerge"))
        let found = document.getHistory().compactMap { document.change(hash: $0)?.bytes }
        #expect(Set(found) == Set(chunks))
        #expect(found.count == chunks.count)
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func pastReadsAsRecorded(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let document = try Document(
            Fixtures.data(CorpusRecord.name(number) + ".automerge"))
        for past in record.past {
            let heads = try hashes(past.heads)
            let snapshot = try Snapshot(of: document, at: heads, encoding: .unicodeScalar)
            #expect(snapshot.json() == past.json)
            let fork = try Snapshot(of: document.forkAt(heads: heads), encoding: .unicodeScalar)
            #expect(fork.json() == past.json)
        }
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func differencesTransformPastAndPresentStates(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let document = try Document(
            Fixtures.data(CorpusRecord.name(number) + ".automerge"))
        let states = try record.past.map { try hashes($0.heads) } + [[], document.heads()]
        for before in states {
            for after in states where after != before {
                var shown = try PatchedDocument(document, at: before)
                try shown.apply(document.difference(from: before, to: after))
                #expect(
                    shown.reachable == (try PatchedDocument(document, at: after)).reachable)
            }
        }
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func syncCopiesTheDocumentToAnEmptyReplica(number: Int) throws {
        let source = try Document(
            Fixtures.data(CorpusRecord.name(number) + ".automerge"))
        let target = Document()
        let (here, there) = (SyncState(), SyncState())
        for _ in 0..<50 {
            let out = source.generateSyncMessage(state: here)
            if let out { try target.receiveSyncMessage(state: there, message: out) }
            let back = target.generateSyncMessage(state: there)
            if let back { try source.receiveSyncMessage(state: here, message: back) }
            if out == nil && back == nil { break }
        }
        #expect(target.heads() == source.heads())
        try expectRecorded(target, CorpusRecord.read(number))
    }
}
