import Foundation
import Testing

@testable import Automerge

/// The model of the semantics agrees with the reference, so other tests can compare the engine with
/// it.
@Suite(.enabled(if: Fixtures.folder != nil, "TIDELINE_FIXTURES names no folder"))
struct ModelCorpusTests {
    /// The changes of a document of the corpus, by hash.
    private func changes(_ number: Int, _ record: CorpusRecord) throws -> [String: ModelChange] {
        let data = try Fixtures.data(CorpusRecord.name(number) + "-changes.automerge")
        var result: [String: ModelChange] = [:]
        for chunk in try NaiveChangeReader.chunks(of: data) {
            let change = try NaiveChangeReader.read(chunk)
            let actor = change.actor.map { String(format: "%02x", $0) }.joined()
            let entry = try #require(
                record.changes.first { $0.actor == actor && $0.seq == change.sequence })
            result[entry.hash] = change
        }
        return result
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func modelMatchesTheReference(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let changes = try changes(number, record)
        #expect(changes.count == record.changes.count)
        let snapshot = ModelDocument(Array(changes.values)).snapshot(.unicodeScalar)
        #expect(snapshot.json() == record.json)
        try expectConflicts(snapshot, record)
        expectMarks(snapshot, record)
    }

    @Test(arguments: Fixtures.corpusNumbers)
    func modelMatchesPastStatesOfTheReference(number: Int) throws {
        let record = try CorpusRecord.read(number)
        let changes = try changes(number, record)
        for past in record.past {
            let known = record.ancestors(of: past.heads).compactMap { changes[$0] }
            #expect(ModelDocument(known).snapshot(.unicodeScalar).json() == past.json)
        }
    }
}

/// Expects the conflicts of a snapshot to be those of the record.
///
/// Equal values count as one value here: the module's interface can't show a conflict between equal
/// values.
func expectConflicts(
    _ snapshot: Snapshot, _ record: CorpusRecord,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = snapshot.conflicts()
    let recorded = try record.conflictsByPointer()
    for (pointer, values) in recorded where values.count > 1 || found[pointer] != nil {
        #expect(found[pointer] == values, "\(pointer)", sourceLocation: sourceLocation)
    }
    let unrecorded = Set(found.keys).subtracting(recorded.keys)
    #expect(unrecorded.isEmpty, sourceLocation: sourceLocation)
}

func expectMarks(
    _ snapshot: Snapshot, _ record: CorpusRecord,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let recorded = record.marksByPointer
    let found = snapshot.marks()
    #expect(Set(found.keys) == Set(recorded.keys), sourceLocation: sourceLocation)
    for (pointer, positions) in found {
        for (position, marks) in positions.enumerated() {
            #expect(
                marks == recorded[pointer]?[position] ?? [:], "\(pointer) at \(position)",
                sourceLocation: sourceLocation)
        }
    }
}
