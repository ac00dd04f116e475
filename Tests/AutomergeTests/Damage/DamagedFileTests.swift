import Foundation
import TestSupport
import Testing

@testable import Automerge

/// Damaged files are read or refused and do no harm.
@Suite struct DamagedFileTests {
    /// Documents of every kind, saved as a whole and as chunks.
    private func files(_ seed: UInt64) throws -> [Data] {
        var files: [Data] = []
        for number in 0..<6 {
            var session = try RandomSession(seed: seed &+ UInt64(number))
            try session.run(steps: 30)
            try session.converge()
            guard let document = session.replicas.first else { continue }
            files.append(document.save())
            for hash in document.getHistory().suffix(3) {
                if let change = document.change(hash: hash) { files.append(change.bytes) }
            }
        }
        if Fixtures.folder != nil {
            for number in [0, 3, 7, 9, 12] {
                files.append(try Fixtures.data(CorpusRecord.name(number) + ".automerge"))
            }
            files.append(try Fixtures.data("two_change_chunks_compressed.automerge"))
        }
        return files
    }

    /// The peak memory of this process in bytes.
    private func peakMemory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }

    /// Reads everything in a loaded document, because reading must be safe too.
    private func look(_ document: Document) throws {
        for (object, type) in try RandomEditor.objects(document).prefix(50) {
            if type == .Text {
                _ = try document.text(obj: object)
                _ = try document.marks(obj: object)
            }
            _ = document.length(obj: object)
            _ = try document.path(obj: object)
        }
        for hash in document.getHistory().prefix(20) {
            _ = document.change(hash: hash)
            _ = document.difference(from: [], to: [hash])
        }
    }

    @Test(.timeLimit(.minutes(30))) func damagedFilesAreReadOrRefused() throws {
        let files = try files(seeds(1).lowerBound)
        var refused = 0
        for seed in seeds(1000) {
            var damage = Damage(random: SeededRandom(seed: seed))
            let file = damage.random.pick(files)
            let damaged = damage.damage(file)
            do {
                let document = try Document(damaged)
                try look(document)
                let again = try Document(document.save())
                try #require(again.heads() == document.heads(), "seed \(seed)")
            } catch is LoadError {
                refused += 1
            } catch {
                Issue.record(error, "another error than documented, seed \(seed)")
            }
        }
        // Most damage is detected. A test without any refusal would prove nothing.
        #expect(refused > 0)
        #expect(try peakMemory() < 1 << 30)
    }

    @Test func damagedChangesAreAppliedOrRefused() throws {
        let files = try files(seeds(1).lowerBound)
        for seed in seeds(500) {
            var damage = Damage(random: SeededRandom(seed: seed))
            let document = try Document(files[0])
            let before = document.heads()
            let damaged = damage.damage(damage.random.pick(files))
            do {
                try document.applyEncodedChanges(encoded: damaged)
                try look(document)
            } catch is DocError {
                #expect(
                    document.heads() == before, "a refused change changes nothing, seed \(seed)")
            } catch {
                Issue.record(error, "another error than documented, seed \(seed)")
            }
        }
    }

    @Test func damagedSyncMessagesAreAppliedOrRefused() throws {
        for seed in seeds(300) {
            var session = try RandomSession(seed: seed % 7)
            try session.run(steps: 12)
            let (left, right) = (session.replicas[0], session.replicas[1])
            var random = SeededRandom(seed: seed)
            let (here, there) = (SyncState(), SyncState())
            for _ in 0..<6 {
                guard var message = left.generateSyncMessage(state: here) else { break }
                if random.chance(2, in: 3), !message.isEmpty {
                    let index = random.number(0..<message.count)
                    message[message.startIndex + index] = UInt8.random(in: 0...255, using: &random)
                }
                do {
                    try right.receiveSyncMessage(state: there, message: message)
                } catch is ReceiveSyncError {
                    continue
                }
                if let answer = right.generateSyncMessage(state: there) {
                    try left.receiveSyncMessage(state: here, message: answer)
                }
            }
        }
    }

    @Test func bytesThatAreNotAChunkAreRefused() {
        var random = SeededRandom(seed: 4)
        for length in 0..<200 {
            let noise = Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
            if length > 0 {
                #expect(throws: LoadError.self) { try Document(noise) }
            }
            #expect(throws: (any Error).self) {
                try Document().receiveSyncMessage(state: SyncState(), message: noise)
            }
        }
    }

    @Test func everyPrefixOfAFileIsRefused() throws {
        let file = try #require(try files(9).first)
        for length in 1..<file.count {
            #expect(throws: LoadError.self) { try Document(file.prefix(length)) }
        }
    }
}
