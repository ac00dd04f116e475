import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

@Suite struct DocumentTimesTests {
    /// Returns a document of several actors that fork and merge at random, with wrong clocks.
    private func randomDocument(_ random: inout SeededRandom) throws -> Document {
        var documents = [try DocumentSamples.document(1)]
        for step in 0..<40 {
            let index = Int.random(in: 0..<documents.count, using: &random)
            let document = documents[index]
            try document.put(obj: .ROOT, key: "k\(step % 7)", value: .Int(Int64(step)))
            let time = [0, Double(step) * 1000, 5000, -1e15, 1e15].randomElement(using: &random)
            document.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: time ?? 0))
            if documents.count < 4, Bool.random(using: &random) {
                let fork = document.fork()
                fork.actor = try DocumentSamples.actor(UInt8(documents.count + 1))
                documents.append(fork)
            } else if let other = documents.randomElement(using: &random), other !== document {
                try document.merge(other: other)
            }
        }
        for other in documents.dropFirst() { try documents[0].merge(other: other) }
        return documents[0]
    }

    @Test func everyInstantIsConsistentAndReachableByStepping() throws {
        for seed in seeds(10) {
            var random = SeededRandom(seed: seed)
            let document = try randomDocument(&random)
            let times = DocumentTimes(document)
            let changes = document.recordedChanges(0..<times.count)
            for (number, change) in changes.enumerated() {
                let own = try #require(times.instant(of: number))
                for dependency in change.dependencyNumbers {
                    let before = try #require(times.instant(of: dependency))
                    #expect(before < own, "seed \(seed)")
                }
            }
            #expect(zip(times.instants, times.instants.dropFirst()).allSatisfy { $0 < $1 })
            var instant: Timestamp? = .distantPast
            var steps = -1
            while let from = instant {
                instant = times.step(from: from, backwards: false, actors: nil)
                steps += 1
            }
            #expect(steps == times.count, "seed \(seed)")
            instant = .distantFuture
            steps = -1
            while let from = instant {
                instant = times.step(from: from, backwards: true, actors: nil)
                steps += 1
            }
            #expect(steps == times.count, "seed \(seed)")
        }
    }

    @Test func headsOfAnInstantMatchItsChanges() throws {
        var random = SeededRandom(seed: 7)
        let document = try randomDocument(&random)
        let folder = try TemporaryFolder()
        let open = try OpenDocument(AutomergeFile(DocumentSamples.write(document, to: folder)))
        for count in 1...open.times.count {
            let instant = open.times.instants[count - 1]
            let heads = open.heads(at: instant) ?? open.view.heads
            let fork = try open.document.forkAt(heads: heads.hashes)
            #expect(fork.getHistory().count == count)
        }
    }

    @Test func stepsOfOneActorSkipOtherActors() throws {
        let times = DocumentTimes(try DocumentSamples.conflicting())
        let two = try #require(times.actors.firstIndex(of: DocumentSamples.actor(2)))
        let only = try #require(
            times.step(from: .distantPast, backwards: false, actors: [two]))
        #expect(times.step(from: only, backwards: false, actors: [two]) == nil)
        #expect(times.step(from: .distantFuture, backwards: true, actors: [two]) == only)
    }

    @Test func changeKeepsThePrecisionOfItsTime() async throws {
        let folder = try TemporaryFolder()
        let path = try DocumentSamples.write(try DocumentSamples.everyKind(), to: folder)
        let pane = try await PaneSession(path, device: nil)
        let change = try #require(try await pane.names(.documentHistory).first)
        #expect(
            try await pane.detail(.documentHistory, change).lines("Change")
                .contains("time 2001-09-09 01:46:40Z"))
        #expect(
            try await pane.detail(.documents, "/bool").lines("Written")
                .contains("time 2001-09-09 01:46:40Z"))
        await pane.close()
    }
}
