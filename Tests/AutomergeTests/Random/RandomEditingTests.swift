import Foundation
import TestSupport
import Testing

@testable import Automerge

/// Random edits by several actors, with every way to exchange changes.
@Suite struct RandomEditingTests {
    /// A finished session, in which all replicas have all changes.
    private func converged(
        _ seed: UInt64, encoding: TextEncoding = .unicodeScalar
    ) throws -> RandomSession {
        var session = try RandomSession(seed: seed, encoding: encoding)
        var random = SeededRandom(seed: seed &* 31)
        try session.run(steps: random.number(10..<60))
        try session.converge()
        return session
    }

    /// The operations of a document, read from its changes by the tests' own reader.
    private func changes(
        _ document: Document, _ hashes: some Sequence<ChangeHash>
    ) throws -> [ModelChange] {
        try hashes.map { try NaiveChangeReader.read(#require(document.change(hash: $0)).bytes) }
    }

    @Test func replicasConvergeToTheModel() throws {
        for seed in seeds(60) {
            do {
                let encoding: TextEncoding = [.unicodeScalar, .unicodeScalar, .utf8, .utf16][
                    Int(seed % 4)]
                let session = try converged(seed, encoding: encoding)
                let first = session.replicas[0]
                let expected = ModelDocument(try changes(first, first.getHistory()))
                    .snapshot(encoding)
                for replica in session.replicas {
                    try #require(replica.heads() == first.heads(), "heads, seed \(seed)")
                    let found = try Snapshot(of: replica, encoding: encoding)
                    let difference = found.difference(from: expected)
                    try #require(difference == nil, "seed \(seed)")
                }
            } catch let error where !(error is ExpectationFailedError) {
                Issue.record(error, "seed \(seed)")
                return
            }
        }
    }

    /// A false positive of the Bloom filter hid a change that the peer lacked. Because messages
    /// crossed, each side waited for the other.
    @Test func crossingMessagesRequestFalsePositivesOfTheFilter() throws {
        let session = try converged(883, encoding: .utf16)
        #expect(Set(session.replicas.map { $0.heads() }).count == 1)
    }

    @Test func pastStatesMatchTheModel() throws {
        for seed in seeds(25) {
            do {
                let session = try converged(seed)
                let document = session.replicas[0]
                var random = random(seed)
                for heads in session.visited.shuffled(using: &random).prefix(4) {
                    let known = ancestors(of: heads, in: document)
                    let expected = ModelDocument(try changes(document, known))
                        .snapshot(.unicodeScalar)
                    let found = try Snapshot(of: document, at: heads, encoding: .unicodeScalar)
                    let difference = found.difference(from: expected)
                    try #require(difference == nil, "seed \(seed)")
                    let fork = try document.forkAt(heads: heads)
                    let forked = try Snapshot(of: fork, encoding: .unicodeScalar)
                    let forkDifference = forked.difference(from: expected)
                    try #require(forkDifference == nil, "fork, seed \(seed)")
                }
            } catch let error where !(error is ExpectationFailedError) {
                Issue.record(error, "seed \(seed)")
                return
            }
        }
    }

    @Test func differencesTransformOneStateIntoAnother() throws {
        for seed in seeds(25) {
            do {
                let session = try converged(seed)
                let document = session.replicas[0]
                var random = random(seed)
                let states = session.visited.shuffled(using: &random).prefix(3) + [document.heads()]
                for before in states {
                    for after in states where after != before {
                        var shown = try PatchedDocument(document, at: before)
                        let patches = document.difference(from: before, to: after)
                        try shown.apply(patches)
                        let expected = try PatchedDocument(document, at: after)
                        try #require(shown.reachable == expected.reachable, "seed \(seed)")
                    }
                }
            } catch let error where !(error is ExpectationFailedError) {
                Issue.record(error, "seed \(seed)")
                return
            }
        }
    }

    @Test func savedDocumentLoadsEqual() throws {
        for seed in seeds(40) {
            do {
                let session = try converged(seed)
                let document = session.replicas[0]
                let expected = try Snapshot(of: document, encoding: .unicodeScalar)
                let saved = document.save()
                let loaded = try Document(saved)
                try expectSame(loaded, document, expected, "whole, seed \(seed)")
                try #require(loaded.save() == saved, "saved again, seed \(seed)")

                let chunks = document.getHistory().compactMap { document.change(hash: $0)?.bytes }
                let single = try Document(Data(chunks.joined()))
                try expectSame(single, document, expected, "change by change, seed \(seed)")
                try #require(single.save() == saved, "saved from changes, seed \(seed)")

                let shuffled = Document()
                var random = random(seed)
                for chunk in chunks.shuffled(using: &random) {
                    try shuffled.applyEncodedChanges(encoded: chunk)
                }
                try expectSame(shuffled, document, expected, "any order, seed \(seed)")
            } catch let error where !(error is ExpectationFailedError) {
                Issue.record(error, "seed \(seed)")
                return
            }
        }
    }

    @Test func incrementalSavesMatchFullSaves() throws {
        for seed in seeds(40) {
            do {
                var editor = RandomEditor(seed: seed)
                let document = Document()
                let other = document.fork()
                var file = Data()
                for _ in 0..<editor.random.number(1..<12) {
                    for _ in 0..<editor.random.number(0..<6) { try editor.edit(document) }
                    if editor.random.chance(1, in: 3) {
                        try editor.edit(other)
                        try document.merge(other: other)
                    }
                    // An occasional full save must not remove changes from the next increment.
                    if editor.random.chance(1, in: 8) { file = document.save() }
                    file += document.encodeNewChanges()
                }
                let loaded = try Document(file)
                let expected = try Snapshot(of: document, encoding: .unicodeScalar)
                try expectSame(loaded, document, expected, "seed \(seed)")
                try #require(loaded.save() == document.save(), "seed \(seed)")
            } catch let error where !(error is ExpectationFailedError) {
                Issue.record(error, "seed \(seed)")
                return
            }
        }
    }

    private func expectSame(
        _ found: Document, _ document: Document, _ expected: Snapshot, _ what: String
    ) throws {
        try #require(found.heads() == document.heads(), "heads, \(what)")
        try #require(Set(found.getHistory()) == Set(document.getHistory()), "history, \(what)")
        let difference = try Snapshot(of: found, encoding: .unicodeScalar)
            .difference(from: expected)
        try #require(difference == nil, "\(what)")
        for hash in document.getHistory() {
            try #require(found.change(hash: hash) == document.change(hash: hash), "\(what)")
        }
    }

    private func random(_ seed: UInt64) -> SeededRandom { SeededRandom(seed: seed &* 17 &+ 3) }

    private func ancestors(of heads: Set<ChangeHash>, in document: Document) -> Set<ChangeHash> {
        var found: Set<ChangeHash> = []
        var waiting = Array(heads)
        while let hash = waiting.popLast() {
            guard found.insert(hash).inserted else { continue }
            waiting += document.change(hash: hash)?.deps ?? []
        }
        return found
    }
}
