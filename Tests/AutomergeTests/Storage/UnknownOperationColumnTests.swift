import Foundation
import TestSupport
import Testing

@testable import Automerge

/// Unknown columns of operations. They are part of the hashes of changes, so they must be written
/// back unchanged.
@Suite struct UnknownOperationColumnTests {
    private typealias Rows = UnknownColumns.Operations

    // MARK: Changes of another version

    /// The contents of a change chunk, with additional columns.
    private struct ForeignChange {
        var original: [UInt8]
        var hash: ChangeHash
        var count = 0
        var deletions: Set<Int> = []
        var actors: [[UInt8]] = []

        init(_ change: Change) throws {
            original = try ForeignChunks.contents(of: change.bytes)
            hash = change.hash
            (count, deletions, actors) = try original.withUnsafeBufferPointer {
                (contents) throws(FormatError) in
                var allowance = Allowance.unlimited
                let change = try ChangeReader(
                    contents, storage: ColumnStorage(), allowance: &allowance)
                var reader = OperationReader(change.columns)
                var count = 0
                var deletions: Set<Int> = []
                while !reader.isDone {
                    let operation = try reader.next()
                    for _ in 0..<operation.predecessorCount { _ = try reader.nextPredecessor() }
                    if operation.action == Action.delete { deletions.insert(count) }
                    count += 1
                }
                return (count, deletions, [change.actor] + change.otherActors)
            }
        }

        /// The contents with additional columns and with replaced dependency hashes.
        func contents(
            _ rows: Rows, renamed: [ChangeHash: ChangeHash], more: [[UInt8]] = []
        ) throws -> [UInt8] {
            try original.withUnsafeBufferPointer { (contents) throws(FormatError) in
                var allowance = Allowance.unlimited
                let change = try ChangeReader(
                    contents, storage: ColumnStorage(), allowance: &allowance)
                let others = (change.otherActors + more.filter { !actors.contains($0) })
                    .sorted { $0.lexicographicallyPrecedes($1) }
                var out = ByteWriter()
                SyncMessage.write(
                    change.dependencies.map { renamed[$0] ?? $0 }.sorted(), to: &out)
                out.prefixed(change.actor)
                out.unsigned(change.sequence)
                out.unsigned(change.startCounter)
                out.signed(change.time)
                out.unsigned(change.message.count)
                out.bytes(change.message)
                out.unsigned(others.count)
                for actor in others { out.prefixed(actor) }
                var columns: [UInt32: [UInt8]] = [:]
                for column in change.columns.columns {
                    columns[column.specification] = Array(column.bytes)
                }
                let storage = ColumnStorage()
                let places = [change.actor] + others
                for column in UnknownColumns.columns(
                    of: (0..<count).map { rows[$0] },
                    actor: { actor in places.firstIndex(of: actor).map { UInt64($0) } },
                    in: storage) where !column.bytes.isEmpty
                {
                    columns[column.specification] = Array(column.bytes)
                }
                out.columns(columns)
                out.bytes(change.extra)
                return out.array()
            }
        }
    }

    /// A column of each kind: alone, as a value, in a group, and next to known identifiers.
    private static func row(_ random: inout SeededRandom, actors: [[UInt8]]) -> UnknownColumns.Row {
        func number() -> UnknownColumns.Cell {
            random.number(0..<4) == 0 ? .null : .number(UInt64(random.number(0..<1_000)))
        }
        func text() -> UnknownColumns.Cell {
            random.number(0..<3) == 0
                ? .null : .bytes(Array("text \(random.number(0..<5))".utf8))
        }
        var row: UnknownColumns.Row = [
            0x03: [number()], 0xc1: [.actor(random.pick(actors))], 0xd2: [number()],
            0xe3: [number()], 0xf4: [random.number(0..<2) == 0 ? .null : .number(1)],
            0x105: [text()],
        ]
        let length = random.number(0..<6)
        row[0x116] = [.number(UInt64(length) << 4 | 7)]
        row[0x117] = [.bytes((0..<length).map { _ in UInt8(random.number(0..<256)) })]
        let size = random.number(0..<4)
        row[0x120] = [.number(UInt64(size))]
        row[0x122] = (0..<size).map { _ in number() }
        row[0x125] = (0..<size).map { _ in text() }
        return row
    }

    /// A document with maps, a text and a list by two actors, with deletions.
    private static func document(_ random: inout SeededRandom) throws -> Document {
        let document = Document()
        document.actor = try #require(ActorId(data: Data([0xaa])))
        let moment = Date(timeIntervalSince1970: 0)
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
        try document.spliceText(obj: text, start: 0, delete: 0, value: "a long text of words")
        document.commitWith(message: "first", timestamp: moment)
        for _ in 0..<6 {
            let fork = document.fork()
            fork.actor = try #require(ActorId(data: Data([0xbb])))
            for writer in [document, fork] {
                for _ in 0..<random.number(1..<6) {
                    switch random.number(0..<5) {
                    case 0:
                        try writer.put(
                            obj: .ROOT, key: random.pick(["a", "b", "c"]),
                            value: .Int(Int64(random.number(0..<100))))
                    case 1:
                        let start = UInt64(random.number(0..<10))
                        try writer.spliceText(obj: text, start: start, delete: 1, value: "xy")
                    case 2:
                        try writer.insert(obj: list, index: 0, value: .String("item"))
                    case 3:
                        if writer.length(obj: list) > 0 {
                            try writer.put(obj: list, index: 0, value: .Boolean(true))
                        }
                    default: try writer.delete(obj: .ROOT, key: "a")
                    }
                }
                writer.commitWith(message: nil, timestamp: moment)
            }
            try document.merge(other: fork)
        }
        return document
    }

    /// The changes of a document as another version would have written them.
    private static func foreign(
        _ document: Document, _ random: inout SeededRandom, onDeletions: Bool = false,
        more: [[UInt8]] = []
    ) throws -> [(hash: ChangeHash, contents: [UInt8])] {
        var renamed: [ChangeHash: ChangeHash] = [:]
        var result: [(hash: ChangeHash, contents: [UInt8])] = []
        for hash in document.getHistory() {
            let change = try ForeignChange(try #require(document.change(hash: hash)))
            var rows: Rows = [:]
            for place in 0..<change.count
            where (onDeletions || !change.deletions.contains(place)) && random.number(0..<3) > 0 {
                rows[place] = row(&random, actors: change.actors + more)
            }
            let named = more.filter { UnknownColumns.actors(of: rows.values).contains($0) }
            let contents = try change.contents(rows, renamed: renamed, more: named)
            let renamedHash = contents.withUnsafeBufferPointer {
                Chunk.hash(type: Chunk.Kind.change.rawValue, contents: $0)
            }
            renamed[hash] = renamedHash
            result.append((renamedHash, contents))
        }
        return result
    }

    private static func chunk(_ contents: [UInt8], _ kind: Chunk.Kind = .change) -> Data {
        ForeignChunks.chunk(contents, kind: kind)
    }

    private static func file(_ changes: [(hash: ChangeHash, contents: [UInt8])]) -> Data {
        changes.reduce(into: Data()) { $0 += chunk($1.contents) }
    }

    /// Expects every change of the document to have its original bytes.
    private func expect(
        _ document: Document, toHave changes: [(hash: ChangeHash, contents: [UInt8])]
    ) throws {
        #expect(Set(document.getHistory()).isSuperset(of: changes.map(\.hash)))
        for (hash, contents) in changes {
            let change = try #require(document.change(hash: hash))
            #expect(change.bytes == Self.chunk(contents))
        }
    }

    private func kinds(of file: Data) throws -> [Chunk.Kind?] {
        try Array(file).withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var reader = ByteReader(buffer)
            var kinds: [Chunk.Kind?] = []
            while !reader.isAtEnd { kinds.append(try Chunk.read(from: &reader).kind) }
            return kinds
        }
    }

    // MARK: Tests

    @Test(arguments: 1...40) func unknownColumnsAreInTheDocumentAndItsChanges(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let plain = try Self.document(&random)
        let changes = try Self.foreign(plain, &random)
        let reader = try Document(Self.file(changes))
        try expect(reader, toHave: changes)
        let saved = reader.save()
        #expect(try kinds(of: saved) == [.document])
        let again = try Document(saved)
        #expect(again.heads() == reader.heads())
        try expect(again, toHave: changes)
        #expect(again.save() == saved)
        #expect(
            try again.text(obj: again.objectAt("text")) == plain.text(obj: plain.objectAt("text")))
        // Forks, and documents that merge or load it.
        #expect(again.fork().save() == saved)
        let other = Document()
        try other.put(obj: .ROOT, key: "own", value: .Null)
        try other.merge(other: again)
        try expect(other, toHave: changes)
        let third = Document()
        try third.put(obj: .ROOT, key: "own", value: .Null)
        try third.applyEncodedChanges(encoded: saved)
        try expect(third, toHave: changes)
        #expect(try kinds(of: third.save()) == [.document])
        try expect(try Document(third.save()), toHave: changes)
    }

    @Test func actorNamedOnlyInUnknownColumnsIsListed() throws {
        var random = SeededRandom(seed: 5)
        let changes = try Self.foreign(
            Self.document(&random), &random, more: [[0x11], [0xcc, 1]])
        let reader = try Document(Self.file(changes))
        let saved = reader.save()
        #expect(try kinds(of: saved) == [.document])
        try expect(try Document(saved), toHave: changes)
        try expect(try Document(saved).fork(), toHave: changes)
    }

    @Test func newChangesHaveNoUnknownColumns() throws {
        var random = SeededRandom(seed: 9)
        let changes = try Self.foreign(Self.document(&random), &random)
        let reader = try Document(Self.file(changes))
        try reader.put(obj: .ROOT, key: "d", value: .Int(5))
        try reader.spliceText(obj: reader.objectAt("text"), start: 3, delete: 2, value: "new")
        let again = try Document(reader.save())
        #expect(again.heads() == reader.heads())
        try expect(again, toHave: changes)
        #expect(try again.get(obj: .ROOT, key: "d") == .Scalar(.Int(5)))
        // The state before the new change is unchanged.
        let before = try again.forkAt(heads: Document(Self.file(changes)).heads())
        try expect(before, toHave: changes)
    }

    /// A document doesn't list deletions, so their columns are only in the changes.
    @Test func unknownColumnsOfDeletionsAreKeptInChanges() throws {
        var random = SeededRandom(seed: 3)
        let changes = try Self.foreign(Self.document(&random), &random, onDeletions: true)
        let reader = try Document(Self.file(changes))
        try expect(reader, toHave: changes)
        let saved = reader.save()
        #expect(try kinds(of: saved).contains(.change))
        try expect(try Document(saved), toHave: changes)
    }

    // MARK: Damage

    /// A document with one change that puts a number, with one additional operation column.
    private func document(with column: (UInt32, [UInt8]), head: ChangeHash?) throws -> Data {
        let plain = Document()
        plain.actor = try #require(ActorId(data: Data([0xaa])))
        try plain.put(obj: .ROOT, key: "a", value: .Int(1))
        plain.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
        let hash = try #require(plain.heads().first)
        let saved = Array(plain.save())
        return try saved.withUnsafeBufferPointer { (buffer) throws(FormatError) in
            var file = ByteReader(buffer)
            return try Chunk.read(from: &file).withContents { (contents) throws(FormatError) in
                var reader = ByteReader(contents)
                var out = ByteWriter()
                out.unsigned(try reader.count())
                out.prefixed(Array(try reader.prefixedBytes()))
                out.unsigned(try reader.count())
                _ = try reader.bytes(ChangeHash.byteCount)
                (head ?? hash).write(to: &out)
                let changes = try ColumnLayout.read(from: &reader)
                var operations = try ColumnLayout.read(from: &reader)
                let data = Array(reader.rest)
                let changeLength = changes.reduce(0) { $0 + $1.length }
                var at = changeLength
                for (specification, length) in operations where specification < column.0 {
                    at += length
                }
                operations.append((column.0, column.1.count))
                operations.sort { $0.specification < $1.specification }
                for layout in [changes, operations] {
                    out.unsigned(layout.count)
                    for (specification, length) in layout {
                        out.unsigned(UInt64(specification))
                        out.unsigned(length)
                    }
                }
                out.bytes(Array(data[..<at]) + column.1 + data[at...])
                return Self.chunk(out.array(), .document)
            }
        }
    }

    @Test func documentWhoseColumnsDoNotMatchItsHeadsIsRefused() throws {
        let plain = Document()
        plain.actor = try #require(ActorId(data: Data([0xaa])))
        try plain.put(obj: .ROOT, key: "a", value: .Int(1))
        plain.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
        let first = try #require(plain.heads().first)
        let change = try ForeignChange(try #require(plain.change(hash: first)))
        let contents = try change.contents([0: [0xd2: [.number(9)]]], renamed: [:])
        let head = contents.withUnsafeBufferPointer {
            Chunk.hash(type: Chunk.Kind.change.rawValue, contents: $0)
        }
        let foreign = try document(with: (0xd2, [0x7f, 9]), head: head)
        #expect(try Document(foreign).save() == foreign)
        #expect(try Document(foreign).change(hash: head)?.bytes == Self.chunk(contents))
        // Another value; the hash without the column; a hash with it but no column.
        #expect(throws: LoadError.self) {
            try Document(document(with: (0xd2, [0x7f, 8]), head: head))
        }
        #expect(throws: LoadError.self) {
            try Document(document(with: (0xd2, [0x7f, 9]), head: nil))
        }
        #expect(throws: LoadError.self) { try Document(document(with: (0xd2, []), head: head)) }
    }

    @Test(
        arguments: [
            // An unlisted actor; more values than operations; a value without its type.
            (0xc1, [0x7f, 9]), (0xd2, [0x7e, 1, 2]), (0x117, [1]),
            // A group and a run of excessive length.
            (0x120, [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            (0xd2, [0xff, 0xff, 0xff, 0xff, 0x07, 1]), (0xd2, [0x7c, 1]), (0xe3, [0x40]),
            // Columns of identifiers, predecessors and successors.
            (0x22, [0x7f, 1]), (0x75, [0x7f, 1, 0x61]), (0x85, [0x7f, 1, 0x61]),
        ] as [(UInt32, [UInt8])])
    func damagedColumnsAreRefused(_ specification: UInt32, _ bytes: [UInt8]) throws {
        #expect(throws: LoadError.self) {
            try Document(document(with: (specification, bytes), head: nil))
        }
    }

    // MARK: Bundles

    /// A bundle with two changes of the actor aa, put a = 1 and delete a, with additional columns.
    private func bundle(
        changes more: [UInt32: [UInt8]] = [:], operations: [UInt32: [UInt8]] = [:]
    ) -> Data {
        var bundle = ByteWriter()
        bundle.unsigned(0)
        bundle.unsigned(1)
        bundle.prefixed([0xaa])
        let known: [UInt32: [UInt8]] = [
            0x01: [2, 0], 0x03: [2, 1], 0x13: [2, 1], 0x23: [2, 1], 0x33: [2, 0],
            0x50: [0x7e, 0, 1], 0x53: [0x7f, 0],
        ]
        let knownOfOperations: [UInt32: [UInt8]] = [
            0x15: [2, 1, 0x61], 0x21: [2, 0], 0x34: [2], 0x42: [0x7e, 1, 3],
            0x56: [0x7e, 0x14, 0], 0x57: [1], 0x70: [0x7e, 0, 1], 0x71: [0x7f, 0],
            0x73: [0x7f, 1], 0xb3: [0x7e, 0, 1],
        ]
        bundle.columns(known.merging(more) { $1 })
        bundle.columns(knownOfOperations.merging(operations) { $1 })
        return Self.chunk(bundle.array(), .bundle)
    }

    @Test func operationColumnsOfABundleAreInItsChanges() throws {
        // A number for each operation, and a text for the predecessor of the second.
        let file = bundle(operations: [0xd2: [0x7e, 5, 6], 0x75: [0x7f, 1, 0x70]])
        let reader = try Document(file)
        let history = reader.getHistory()
        #expect(history.count == 2)
        let columns = try history.map { hash in
            let change = try ForeignChange(try #require(reader.change(hash: hash)))
            return try change.original.withUnsafeBufferPointer { (contents) throws(FormatError) in
                var allowance = Allowance.unlimited
                let change = try ChangeReader(
                    contents, storage: ColumnStorage(), allowance: &allowance)
                return (Array(change.columns[0xd2]), Array(change.columns[0x75]))
            }
        }
        #expect(columns[0] == ([0x7f, 5], []))
        #expect(columns[1] == ([0x7f, 6], [0x7f, 1, 0x70]))
        let again = try Document(reader.save())
        #expect(again.heads() == reader.heads())
        #expect(
            again.getHistory().map { again.change(hash: $0)?.bytes }
                == history.map { reader.change(hash: $0)?.bytes })
    }

    @Test func bundleWithUnknownChangeColumnsIsKeptWhole() throws {
        let file = bundle(changes: [0x75: [2, 1, 0x70]])
        let reader = try Document(file)
        #expect(reader.getHistory().count == 2)
        #expect(reader.save().suffix(file.count) == file)
        #expect(try Document(reader.save()).save() == reader.save())
        // A bundle without unknown columns is the only kind that is split.
        #expect(try kinds(of: Document(bundle()).save()) == [.document])
    }

    @Test(arguments: [0x22, 0x85, 0xb5] as [UInt32])
    func bundleWithUnknownIdentifierColumnsIsRefused(_ specification: UInt32) throws {
        #expect(throws: LoadError.self) {
            try Document(bundle(operations: [specification: [0x7e, 1, 0x61, 1, 0x62]]))
        }
    }
}

extension Document {
    fileprivate func objectAt(_ key: String) throws -> ObjId {
        guard case .Object(let id, _)? = try get(obj: .ROOT, key: key) else {
            throw DocError(.unknownObject, "nothing is at \(key)")
        }
        return id
    }
}
