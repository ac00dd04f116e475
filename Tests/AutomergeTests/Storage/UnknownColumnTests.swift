import Foundation
import Testing

@testable import Automerge

/// Unknown columns of a document's changes.
@Suite struct UnknownColumnTests {
    private typealias Columns = [UInt32: [UInt8]]

    /// A document with four changes by two actors. The last change has two dependencies.
    private static func document() throws -> Document {
        let document = Document()
        document.actor = try #require(ActorId(data: Data([0xaa])))
        let moment = Date(timeIntervalSince1970: 0)
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        document.commitWith(message: "first", timestamp: moment)
        let fork = document.fork()
        fork.actor = try #require(ActorId(data: Data([0xbb])))
        try fork.put(obj: .ROOT, key: "b", value: .Int(2))
        fork.commitWith(message: nil, timestamp: moment)
        try document.put(obj: .ROOT, key: "a", value: .Int(3))
        document.commitWith(message: nil, timestamp: moment)
        try document.merge(other: fork)
        try document.put(obj: .ROOT, key: "c", value: .Int(4))
        document.commitWith(message: "last", timestamp: moment)
        return document
    }

    /// A document chunk with its change columns, uncompressed.
    private struct Parts {
        var actors: [[UInt8]]
        var heads: [UInt8]
        var changes: Columns
        /// The numbers and lengths of the operation columns, and their data.
        var operations: [UInt8]
        var data: [UInt8]

        init(_ saved: Data) throws {
            self = try Array(saved).withUnsafeBufferPointer { (buffer) throws(FormatError) in
                var reader = ByteReader(buffer)
                let chunk = try Chunk.read(from: &reader)
                return try chunk.withContents { (contents) throws(FormatError) in
                    try Parts(contents)
                }
            }
        }

        private init(_ contents: UnsafeBufferPointer<UInt8>) throws(FormatError) {
            var reader = ByteReader(contents)
            actors = []
            for _ in 0..<(try reader.count()) { actors.append(Array(try reader.prefixedBytes())) }
            var peek = ByteReader(reader.rest)
            heads = Array(try reader.bytes(1 + 32 * (try peek.count())))
            let layout = try ColumnLayout.read(from: &reader)
            let operations = reader.rest
            _ = try ColumnLayout.read(from: &reader)
            self.operations = Array(operations.prefix(operations.count - reader.remaining))
            changes = [:]
            var budget = 1 << 20
            let storage = ColumnStorage()
            let columns = try ColumnLayout(
                layout, from: &reader, storage: storage, budget: &budget)
            for column in columns.columns { changes[column.specification] = Array(column.bytes) }
            data = Array(reader.rest)
        }

        /// The chunk with other change columns.
        func chunk(_ columns: Columns) -> Data {
            var out = ByteWriter()
            out.unsigned(actors.count)
            for actor in actors { out.prefixed(actor) }
            out.bytes(heads)
            let sorted = columns.sorted { $0.key < $1.key }
            out.unsigned(sorted.count)
            for (specification, bytes) in sorted {
                out.unsigned(UInt64(specification))
                out.unsigned(bytes.count)
            }
            out.bytes(operations)
            for (_, bytes) in sorted { out.bytes(bytes) }
            out.bytes(data)
            return ForeignChunks.chunk(out.array(), kind: .document)
        }
    }

    /// A column of each kind: alone, as a value, in a group, and in the group of dependencies. The
    /// changes have 0, 1, 1 and 2 dependencies.
    private static let invented: Columns = [
        0x61: [0x02, 0x01, 0x7e, 0x00, 0x01],
        0x72: [0x7c, 9, 8, 7, 6],
        0x83: [0x7e, 0x05, 0x7b, 0x00, 0x01, 0x7f, 0x01],
        0x94: [1, 2, 1],
        0xa5: [0x7f, 2, 0x68, 0x69, 0, 2, 0x7f, 1, 0x21],
        0xb6: [0x7e, 0x16, 0x00, 0, 1, 0x7f, 0x27],
        0xb7: [0x41, 0x42, 0x43],
        0xc0: [0x7c, 2, 0, 1, 3],
        0xc1: [0x7f, 1, 5, 0],
        0xc2: [6, 77],
        0xc5: [0, 5, 0x7f, 1, 0x7a],
        0xc6: [6, 0x17],
        0xc7: [1, 2, 3, 4, 5, 6],
        0x45: [0x7c, 1, 0x70, 1, 0x71, 1, 0x72, 1, 0x73],
        0x52: [0, 3, 0x7f, 5],
    ]

    private func columns(of saved: Data) throws -> Columns {
        try Parts(saved).changes.filter { Self.invented.keys.contains($0.key) }
    }

    @Test func unknownColumnsRoundTrip() throws {
        let plain = try Self.document()
        let parts = try Parts(plain.save())
        let foreign = parts.chunk(parts.changes.merging(Self.invented) { $1 })
        let reader = try Document(foreign)
        #expect(reader.heads() == plain.heads())
        #expect(reader.save() == foreign)
        #expect(try Document(reader.save()).save() == foreign)
        // Forks, and documents that merge or load it.
        #expect(try columns(of: reader.fork().save()) == Self.invented)
        try plain.merge(other: reader)
        #expect(plain.save() == foreign)
        let other = try Self.document()
        try other.applyEncodedChanges(encoded: foreign)
        #expect(other.save() == foreign)
        #expect(try Document(Self.document().save() + foreign).save() == foreign)
    }

    @Test(arguments: Array(invented.keys).sorted().filter { ![0xb7, 0xc7].contains($0) })
    func eachUnknownColumnIsKeptOnItsOwn(_ specification: UInt32) throws {
        let plain = try Self.document()
        let parts = try Parts(plain.save())
        var wanted = Self.invented.filter { $0.key == specification }
        // A grouped column needs its group, and a value column needs its type column.
        if specification >> 4 == 0xc { wanted[0xc0] = Self.invented[0xc0] }
        if specification == 0xb6 { wanted[0xb7] = Self.invented[0xb7] }
        if specification == 0xc6 { wanted[0xc7] = Self.invented[0xc7] }
        let foreign = parts.chunk(parts.changes.merging(wanted) { $1 })
        #expect(try Document(foreign).save() == foreign)
    }

    @Test func newChangesHaveNoUnknownColumns() throws {
        let parts = try Parts(Self.document().save())
        let reader = try Document(parts.chunk(parts.changes.merging(Self.invented) { $1 }))
        try reader.put(obj: .ROOT, key: "d", value: .Int(5))
        let saved = reader.save()
        let again = try Document(saved)
        #expect(again.heads() == reader.heads())
        #expect(again.save() == saved)
        // The values of the new change are null or false.
        let columns = try columns(of: saved)
        #expect(columns[0x72] == [0x7c, 9, 8, 7, 6, 0, 1])
        #expect(columns[0xc2] == Self.invented[0xc2])
        #expect(columns[0x94] == [1, 2, 2])
        #expect(columns[0x45] == [0x7c, 1, 0x70, 1, 0x71, 1, 0x72, 1, 0x73, 0, 1])
        // The state before the new change is unchanged.
        let before = try again.forkAt(heads: Self.document().heads())
        #expect(try self.columns(of: before.save()) == Self.invented)
    }

    @Test func mergedDocumentsKeepTheColumnsOfBoth() throws {
        let parts = try Parts(Self.document().save())
        let (left, right) = (
            Self.invented.filter { $0.key < 0x90 }, Self.invented.filter { $0.key >= 0x90 }
        )
        let one = try Document(parts.chunk(parts.changes.merging(left) { $1 }))
        let two = try Document(parts.chunk(parts.changes.merging(right) { $1 }))
        try one.merge(other: two)
        try two.merge(other: one)
        #expect(try columns(of: one.save()) == Self.invented)
        #expect(one.save() == two.save())
    }

    /// An actor without changes that only an unknown column names.
    @Test func actorNamedOnlyInUnknownColumnsIsListed() throws {
        let document = try Self.document()
        var parts = try Parts(document.save())
        parts.actors.append([0xcc])
        var columns = parts.changes
        columns[0x61] = [0x7f, 2, 0, 3]
        let foreign = parts.chunk(columns)
        let reader = try Document(foreign)
        #expect(reader.save() == foreign)
        try document.merge(other: reader)
        #expect(document.save() == foreign)
    }

    @Test(
        arguments: [
            // An unlisted actor; more values than changes; a value without its type.
            [0x61: [0x7f, 9]], [0x72: [0x7b, 1, 2, 3, 4, 5]], [0xb7: [1]],
            // Values longer than their bytes.
            [0xb6: [4, 0x27], 0xb7: [1, 2, 3]],
            // Groups and runs of excessive length.
            [0xc0: [4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 0xc2: [2, 1]],
            [0xc0: [4, 0x80, 0x80, 0x20], 0xc2: [0xff, 0xff, 0xff, 0xff, 0x07, 1]],
            [0x72: [0]], [0x72: [0x7c, 1]], [0x83: [0x40]],
        ] as [[UInt32: [UInt8]]])
    func damagedColumnsAreRefused(_ damaged: [UInt32: [UInt8]]) throws {
        let parts = try Parts(Self.document().save())
        #expect(throws: LoadError.self) {
            try Document(parts.chunk(parts.changes.merging(damaged) { $1 }))
        }
    }
}
