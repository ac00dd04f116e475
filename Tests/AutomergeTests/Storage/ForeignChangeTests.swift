import Foundation
import Testing

@testable import Automerge

/// Changes and chunks that this version of the format doesn't know, or that are encoded
/// differently.
@Suite struct ForeignChangeTests {
    private let document = Document()

    init() throws {
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        document.commitWith(message: "first", timestamp: Date(timeIntervalSince1970: 0))
    }

    /// The contents of the document's only change chunk.
    private func contents() throws -> [UInt8] {
        let hash = try #require(document.getHistory().first)
        let bytes = try #require(document.change(hash: hash)).bytes
        return try ForeignChunks.contents(of: bytes)
    }

    private func chunk(_ contents: [UInt8], kind: Chunk.Kind = .change) -> Data {
        ForeignChunks.chunk(contents, kind: kind)
    }

    /// The change with one additional column of an unassigned number.
    private func withUnknownColumn() throws -> Data {
        let original = try contents()
        let layout: [UInt8] = [6, 0x15, 3, 0x34, 1, 0x42, 2, 0x56, 2, 0x57, 1, 0x70, 2]
        let start = try #require(original.firstRange(of: layout))
        var changed = Array(original[..<start.lowerBound])
        changed += [7] + layout.dropFirst() + [0xf2, 0x0f, 2]
        changed += original[start.upperBound...] + [0x7f, 9]
        return chunk(changed)
    }

    @Test func changeWithAnUnknownColumnIsKeptByteForByte() throws {
        let foreign = try withUnknownColumn()
        let reader = try Document(foreign)
        #expect(try reader.get(obj: .ROOT, key: "a") == .Scalar(.Int(1)))
        let head = try #require(reader.heads().first)
        #expect(reader.change(hash: head)?.bytes == foreign)
        #expect(try reader.encodeChangesSince(heads: []) == foreign)
        let again = try Document(reader.save())
        #expect(again.heads() == reader.heads())
        #expect(again.change(hash: head)?.bytes == foreign)
        try again.put(obj: .ROOT, key: "b", value: .Boolean(true))
        let third = try Document(again.save())
        #expect(third.heads() == again.heads())
        #expect(try third.get(obj: .ROOT, key: "a") == .Scalar(.Int(1)))
        #expect(try third.get(obj: .ROOT, key: "b") == .Scalar(.Boolean(true)))
    }

    @Test func operationWithAnUnknownActionIsKeptWithoutEffect() throws {
        let original = try contents()
        // The action column is a literal of one value: 7f 01.
        let place = try #require(original.firstRange(of: [1, 0x7f, 1, 0x7f, 0x14]))
        var changed = original
        changed[place.lowerBound + 2] = 99
        let foreign = chunk(changed)
        let reader = try Document(foreign)
        #expect(try reader.get(obj: .ROOT, key: "a") == nil)
        let head = try #require(reader.heads().first)
        #expect(reader.change(hash: head)?.bytes == foreign)
        let again = try Document(reader.save())
        #expect(again.heads() == reader.heads())
        #expect(again.change(hash: head)?.bytes == foreign)
    }

    private static func unknownChunk(_ type: UInt8, _ body: [UInt8]) -> Data {
        var out = ByteWriter()
        body.withUnsafeBufferPointer {
            let hash = Chunk.hash(type: type, contents: $0)
            Chunk.write(type: type, hash: hash, contents: $0, to: &out)
        }
        return Data(out.buffer)
    }

    @Test func chunkOfAnUnknownTypeIsIgnoredAndSavedAgain() throws {
        let unknown = Self.unknownChunk(77, [1, 2, 3])
        let reader = try Document(unknown + document.save())
        #expect(reader.heads() == document.heads())
        try reader.put(obj: .ROOT, key: "more", value: .Int(1))
        let saved = reader.save()
        #expect(saved.suffix(unknown.count) == unknown)
        // Repeated copies are saved once.
        let other = Self.unknownChunk(200, [])
        let again = try Document(saved + unknown + other)
        #expect(again.heads() == reader.heads())
        #expect(again.save() == saved + other)
        // Forks and merged documents have it, too.
        #expect(again.fork().save().suffix(other.count) == other)
        try document.merge(other: again)
        #expect(document.save().suffix(unknown.count + other.count) == unknown + other)
        #expect(document.heads() == again.heads())
    }

    @Test func unknownChunksAreKeptNextToAWaitingChange() throws {
        let unknown = Self.unknownChunk(9, [0])
        let first = document.save()
        let fork = document.fork()
        try fork.put(obj: .ROOT, key: "b", value: .Int(1))
        _ = fork.encodeNewChanges()
        try fork.put(obj: .ROOT, key: "b", value: .Int(2))
        let late = fork.encodeNewChanges()
        let reader = try Document(first + late + unknown)
        #expect(reader.heads() == document.heads())
        let saved = reader.save()
        #expect(saved.count == first.count + late.count + unknown.count)
        let whole = try Document(saved)
        try whole.merge(other: fork)
        #expect(whole.heads() == fork.heads())
    }

    @Test func wrongChecksumIsRefused() throws {
        var bytes = document.save()
        bytes[bytes.count - 1] ^= 1
        let error = #expect(throws: LoadError.self) { try Document(bytes) }
        #expect(error?.code == .checksum)
    }

    @Test func changesOfABundleRoundTrip() throws {
        // Two changes of the actor aa: put a = 1, then delete a.
        var bundle = ByteWriter()
        bundle.unsigned(0)
        bundle.unsigned(1)
        bundle.prefixed([0xaa])
        var changes = ColumnWriter()
        func column(_ specification: UInt32, _ bytes: [UInt8], _ to: inout ColumnWriter) {
            bytes.withUnsafeBufferPointer { to.add(specification, $0) }
        }
        column(0x01, [2, 0], &changes)
        column(0x03, [2, 1], &changes)
        column(0x13, [2, 1], &changes)
        column(0x23, [2, 1], &changes)
        column(0x33, [2, 0], &changes)
        column(0x50, [0x7e, 0, 1], &changes)
        column(0x53, [0x7f, 0], &changes)
        changes.writeLayout(to: &bundle)
        bundle.bytes(changes.data.buffer)
        var operations = ColumnWriter()
        column(0x15, [2, 1, 0x61], &operations)
        column(0x21, [2, 0], &operations)
        column(0x34, [2], &operations)
        column(0x42, [0x7e, 1, 3], &operations)
        column(0x56, [0x7e, 0x14, 0], &operations)
        column(0x57, [1], &operations)
        column(0x70, [0x7e, 0, 1], &operations)
        column(0x71, [0x7f, 0], &operations)
        column(0x73, [0x7f, 1], &operations)
        column(0xb3, [0x7e, 0, 1], &operations)
        operations.writeLayout(to: &bundle)
        bundle.bytes(operations.data.buffer)

        let writer = Document()
        writer.actor = try #require(ActorId(data: Data([0xaa])))
        let moment = Date(timeIntervalSince1970: 0)
        try writer.put(obj: .ROOT, key: "a", value: .Int(1))
        writer.commitWith(message: nil, timestamp: moment)
        try writer.delete(obj: .ROOT, key: "a")
        writer.commitWith(message: nil, timestamp: moment)

        let reader = try Document(chunk(bundle.array(), kind: .bundle))
        #expect(reader.getHistory() == writer.getHistory())
        #expect(reader.save() == writer.save())
    }
}
