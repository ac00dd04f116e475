import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import TidelineCore

@Suite struct DocumentFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Three chunks: a whole document, and two changes.
    private func chunked() throws -> (bytes: Data, starts: [Int]) {
        let document = try DocumentSamples.everyKind()
        var bytes = document.save()
        var starts = [0]
        for number in 0..<2 as Range<Int64> {
            try document.put(obj: .ROOT, key: "n", value: .Int(number))
            starts.append(bytes.count)
            bytes += document.encodeNewChanges()
        }
        return (bytes, starts)
    }

    private func file(_ bytes: Data) throws -> AutomergeFile {
        let path = folder.appending("x.automerge")
        try bytes.write(to: URL(filePath: path))
        return try AutomergeFile(path)
    }

    @Test func soundFileHasNoFindings() throws {
        let (bytes, starts) = try chunked()
        let check = try file(bytes).check()
        #expect(check.chunks.map(\.offset) == starts)
        #expect(check.chunks.map(\.kind.rawValue) == ["document", "change", "change"])
        #expect(check.chunks.map(\.changeCount) == [1, 1, 1])
        #expect(check.chunks.map(\.byteCount).reduce(0, +) == bytes.count)
        #expect(check.damagedCount == 0)
        #expect(check.warnings.isEmpty)
    }

    @Test func damageIsLocatedAndLaterChunksAreChecked() throws {
        let (bytes, starts) = try chunked()
        var damaged = bytes
        damaged[starts[1] - 2] ^= 1
        var check = try file(damaged).check()
        #expect(check.chunks.map { $0.problem != nil } == [true, false, false])
        #expect(check.chunks[0].problem?.offset == 4)
        // The later changes are intact, but depend on the damaged chunk.
        #expect(check.warnings.count == 1)

        damaged = bytes
        damaged[starts[1]] ^= 1
        check = try file(damaged).check()
        #expect(check.chunks.map(\.kind.rawValue) == ["document", "none", "change"])
        #expect(check.chunks[1].problem?.offset == starts[1])

        check = try file(bytes.dropLast(1)).check()
        #expect(check.chunks.map { $0.problem != nil } == [false, false, true])
        #expect(check.chunks[2].problem?.offset == bytes.count - 1)
    }

    @Test func everyFlippedBitIsDetected() throws {
        let (bytes, _) = try chunked()
        for index in bytes.indices {
            for bit in [0, 7] {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                let file = try file(damaged)
                #expect(file.check().damagedCount > 0, "byte \(index), bit \(bit)")
                #expect(throws: CoreError.self) { try file.view() }
            }
        }
    }

    @Test func otherFilesAreRejectedWithTheirKind() throws {
        func code(_ path: String) -> CoreError.Code? {
            do throws(CoreError) {
                _ = try AutomergeFile(path).view()
                return nil
            } catch { return error.code }
        }
        #expect(code(folder.appending("nothing")) == .notFound)
        #expect(code(folder.path) == .badData)
        let empty = folder.appending("empty")
        try Data().write(to: URL(filePath: empty))
        #expect(code(empty) == .badData)
        let pipe = folder.appending("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(code(pipe) == .badData)
    }

    @Test func mergingAcceptsChangesInAnyOrder() throws {
        let document = try DocumentSamples.everyKind()
        let first = document.save()
        try document.put(obj: .ROOT, key: "later", value: .Int(1))
        let second = document.encodeNewChanges()
        var files: [AutomergeFile] = []
        for (name, bytes) in [("b", second), ("a", first)] {
            let path = folder.appending(name)
            try bytes.write(to: URL(filePath: path))
            files.append(try AutomergeFile(path))
        }
        let merged = try Document(try AutomergeFile.merged(files))
        #expect(merged.heads() == document.heads())
        #expect(merged.save() == document.save())
    }

    @Test func soundFileOfAnotherDocumentIsNotCalledDamaged() throws {
        let actor = try #require(ActorId(data: Data(repeating: 1, count: 16)))
        let files = try ["a", "b"].map { name in
            let document = Document()
            document.actor = actor
            try document.put(obj: .ROOT, key: name, value: .Int(1))
            let path = folder.appending(name)
            try document.save().write(to: URL(filePath: path))
            return try AutomergeFile(path)
        }
        let error = #expect(throws: CoreError.self) { try AutomergeFile.merged(files) }
        #expect(error?.suggestion?.text.contains("is sound") == true)
    }

    @Test func fileIsReplacedAtomically() throws {
        let path = folder.appending("out")
        try WholeFile.write(Data("one".utf8), to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try WholeFile.write(Data("two".utf8), to: path)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("two".utf8))
        let mode =
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: ReplicationError.self) {
            try WholeFile.write(Data(), to: folder.appending("no/such/folder"))
        }
        #expect(throws: ReplicationError.self) {
            try WholeFile.write(Data(), to: folder.path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out"])
    }
}
