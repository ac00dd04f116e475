import Foundation
import Testing

@testable import Automerge

/// Chunks of a few kilobytes that expand to far more, and messages that cause far more work than
/// sending them does. They are refused before they use much memory, and their neighbors are still
/// read.
@Suite struct ExpandingChunkTests {
    /// A run-length column that repeats one value `count` times.
    private static func run(_ count: Int, _ value: UInt64) -> [UInt8] {
        var out = ByteWriter()
        out.signed(Int64(count))
        out.unsigned(value)
        return out.array()
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBufferPointer { buffer in
            var out = ByteWriter()
            Deflate.deflate(buffer, into: &out)
            return out.array()
        }
    }

    /// The contents of the first change of actor 7.
    private static func change(
        others: [[UInt8]] = [], columns: [UInt32: [UInt8]]
    ) -> [UInt8] {
        var out = ByteWriter()
        out.unsigned(0)
        out.prefixed([7])
        out.unsigned(1)
        out.unsigned(1)
        out.signed(0)
        out.unsigned(0)
        out.unsigned(others.count)
        for actor in others { out.prefixed(actor) }
        out.columns(columns)
        return out.array()
    }

    private static func compressedChange(_ contents: [UInt8]) -> Data {
        let packed = deflated(contents)
        return contents.withUnsafeBufferPointer { buffer in
            let hash = Chunk.hash(type: Chunk.Kind.change.rawValue, contents: buffer)
            return packed.withUnsafeBufferPointer {
                var out = ByteWriter()
                Chunk.write(.compressedChange, hash: hash, contents: $0, to: &out)
                return Data(out.buffer)
            }
        }
    }

    /// The contents of a document by one actor, 7, without heads.
    private static func document(
        changes: [UInt32: [UInt8]], operations: [UInt32: [UInt8]]
    ) -> [UInt8] {
        var out = ByteWriter()
        out.unsigned(1)
        out.prefixed([7])
        out.unsigned(0)
        let (first, second) = (
            changes.sorted { $0.key < $1.key }, operations.sorted { $0.key < $1.key }
        )
        for columns in [first, second] {
            out.unsigned(columns.count)
            for (specification, bytes) in columns {
                out.unsigned(UInt64(specification))
                out.unsigned(bytes.count)
            }
        }
        for (_, bytes) in first + second { out.bytes(bytes) }
        return out.array()
    }

    private static let millions = 8_000_000

    /// Insertions without content, each after the previous one.
    private static func insertions(_ count: Int) -> Data {
        let make = UInt64(Action.makeText)
        var action = ByteWriter()
        action.signed(-1)
        action.unsigned(make)
        action.bytes(run(count, UInt64(Action.set)))
        var insert = ByteWriter()
        insert.unsigned(1)
        insert.unsigned(count)
        var object = ByteWriter()
        object.signed(0)
        object.unsigned(1)
        object.bytes(run(count, 0))
        var counter = ByteWriter()
        counter.signed(0)
        counter.unsigned(1)
        counter.bytes(run(count, 1))
        var key = ByteWriter()
        key.signed(-1)
        key.prefixed([97])
        var element = ByteWriter()
        element.signed(0)
        element.unsigned(1)
        element.bytes([0x7f, 0])
        return ForeignChunks.chunk(
            change(columns: [
                ColumnSpecification.objectActor: object.array(),
                ColumnSpecification.objectCounter: counter.array(),
                ColumnSpecification.keyCounter: element.array() + run(count - 1, 0),
                ColumnSpecification.keyName: key.array(),
                ColumnSpecification.insert: insert.array(),
                ColumnSpecification.action: action.array(),
            ]), kind: .change)
    }

    struct Bomb: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let chunk: Data
    }

    static let bombs: [Bomb] = [
        Bomb(
            testDescription: "one key set eight million times",
            chunk: ForeignChunks.chunk(
                change(columns: [
                    ColumnSpecification.keyName: run(millions, 1) + [97],
                    ColumnSpecification.action: run(millions, UInt64(Action.set)),
                ]), kind: .change)),
        Bomb(
            testDescription: "eight million maps",
            chunk: ForeignChunks.chunk(
                change(columns: [
                    ColumnSpecification.keyName: run(millions, 1) + [97],
                    ColumnSpecification.action: run(millions, UInt64(Action.makeMap)),
                ]), kind: .change)),
        Bomb(testDescription: "eight million characters", chunk: insertions(millions)),
        Bomb(
            testDescription: "eight million actors in a compressed change",
            chunk: compressedChange(
                change(
                    others: [[UInt8]](repeating: [], count: 8_000_000), columns: [:]))),
        Bomb(
            testDescription: "a document of eight million changes",
            chunk: ForeignChunks.chunk(
                document(
                    changes: [
                        ColumnSpecification.actor: run(millions, 0),
                        ColumnSpecification.sequence: run(millions, 1),
                        ColumnSpecification.maxCounter: run(millions, 0),
                    ], operations: [:]), kind: .document)),
        Bomb(
            testDescription: "a document whose changes name all before them",
            chunk: ForeignChunks.chunk(
                document(
                    changes: [
                        ColumnSpecification.actor: run(20_000, 0),
                        ColumnSpecification.sequence: run(20_000, 1),
                        ColumnSpecification.maxCounter: run(20_000, 0),
                        ColumnSpecification.dependencyCount: literal(0..<20_000),
                        ColumnSpecification.dependency: ascending(20_000),
                    ], operations: [:]), kind: .document)),
        Bomb(
            testDescription: "a document of eight million operations",
            chunk: ForeignChunks.chunk(
                document(
                    changes: [
                        ColumnSpecification.actor: run(1, 0),
                        ColumnSpecification.sequence: run(1, 1),
                        ColumnSpecification.maxCounter: run(1, UInt64(millions / 2)),
                    ],
                    operations: [
                        ColumnSpecification.idActor: run(millions, 0),
                        ColumnSpecification.idCounter: run(millions, 1),
                        ColumnSpecification.action: run(millions, 1),
                    ]), kind: .document)),
        Bomb(
            testDescription: "an operation with eight million successors",
            chunk: ForeignChunks.chunk(
                document(
                    changes: [
                        ColumnSpecification.actor: run(1, 0),
                        ColumnSpecification.sequence: run(1, 1),
                        ColumnSpecification.maxCounter: run(1, UInt64(millions)),
                    ],
                    operations: [
                        ColumnSpecification.idActor: run(1, 0),
                        ColumnSpecification.idCounter: run(1, 1),
                        ColumnSpecification.action: run(1, 1),
                        ColumnSpecification.successorCount: run(1, UInt64(millions)),
                        ColumnSpecification.successorActor: run(millions, 0),
                        ColumnSpecification.successorCounter: run(millions, 1),
                    ]), kind: .document)),
    ]

    /// Numbers as a literal run.
    private static func literal(_ numbers: Range<Int>) -> [UInt8] {
        var out = ByteWriter()
        out.signed(-Int64(numbers.count))
        for number in numbers { out.unsigned(number) }
        return out.array()
    }

    /// The deltas of 0, then 0 and 1, then 0, 1 and 2, and so on.
    private static func ascending(_ count: Int) -> [UInt8] {
        var out = ByteWriter()
        for number in 1..<count {
            out.signed(-1)
            out.signed(number == 1 ? 0 : 2 - Int64(number))
            if number > 1 {
                out.signed(Int64(number - 1))
                out.signed(1)
            }
        }
        return out.array()
    }

    @Test(arguments: bombs) func chunkThatExpandsIsRefused(_ bomb: Bomb) throws {
        #expect(bomb.chunk.count < 200_000)
        let document = Document()
        try document.put(obj: .ROOT, key: "sound", value: .Int(1))
        let heads = document.heads()
        let error = #expect(throws: LoadError.self) { try Document(bomb.chunk) }
        #expect(error?.code == .tooLarge)
        #expect(throws: (any Error).self) {
            try document.applyEncodedChanges(encoded: bomb.chunk)
        }
        #expect(document.heads() == heads)
    }

    @Test func chunksAfterABombAreRead() throws {
        let document = Document()
        try document.put(obj: .ROOT, key: "sound", value: .Int(1))
        let survey = ChunkSurvey(Self.bombs[0].chunk + document.save())
        #expect(survey.chunks.map { $0.problem == nil } == [false, true])
        #expect(survey.changeCount == 1)
    }

    @Test func failedChunkReducesTheAllowanceOfLaterOnes() throws {
        var engine = Engine(encoding: .unicodeScalar)
        func apply(_ chunk: Data, refundsFailures: Bool = false) throws(FormatError) {
            try Array(chunk).withUnsafeBufferPointer { (bytes) throws(FormatError) in
                try engine.apply(bytes, refundsFailures: refundsFailures)
            }
        }
        let bomb = Self.bombs[0].chunk
        #expect(throws: FormatError.self) { try apply(bomb, refundsFailures: true) }
        #expect(engine.allowance.left == Allowance.base)
        #expect(throws: FormatError.self) { try apply(bomb) }
        #expect(engine.allowance.left < 1 << 20)
        // A valid chunk changes the allowance only the first time.
        let document = Document()
        try document.put(obj: .ROOT, key: "sound", value: .Int(1))
        try apply(document.save())
        let left = engine.allowance.left
        #expect(left > 0)
        try apply(document.save())
        #expect(engine.allowance.left == left)
    }

    @Test(arguments: [[0x7f, 0x00], [0x7f, 0x13, 0x2a]])
    func deletionWithAValueColumnIsKept(_ meta: [UInt8]) throws {
        let change = ForeignChunks.chunk(
            Self.change(columns: [
                ColumnSpecification.keyName: [0x7f, 1, 97],
                ColumnSpecification.action: Self.run(1, UInt64(Action.delete)),
                ColumnSpecification.valueMeta: Array(meta.prefix(2)),
                ColumnSpecification.value: Array(meta.dropFirst(2)),
            ]), kind: .change)
        let document = try Document(change)
        #expect(try Document(document.save()).heads() == document.heads())
    }

    @Test func savedDocumentOfLongRunsLoads() throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        let line = String(repeating: "-", count: 300_000)
        var deltas = Data()
        for _ in 0..<4 {
            try document.spliceText(obj: text, start: 0, delete: 0, value: line)
            deltas += document.encodeNewChanges()
        }
        #expect(try Document(document.save()).heads() == document.heads())
        #expect(try Document(deltas).heads() == document.heads())
    }

    @Test(.enabled(if: Fixtures.folder != nil, "TIDELINE_FIXTURES names no folder"))
    func longSamplesStayWithinTheirAllowance() throws {
        let folder = try #require(Fixtures.folder)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for file in files where file.hasSuffix(".automerge") {
            let data = try Data(contentsOf: folder.appending(path: file))
            var engine = Engine(encoding: .unicodeScalar)
            guard data.count > 4_096, (try? engine.apply(data)) != nil else { continue }
            #expect(engine.allowance.left >= Allowance.base, "\(file)")
        }
    }

    @Test func longRunsOfTypedTextLoad() throws {
        let document = Document()
        let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
        let line = String(repeating: "-", count: 200_000)
        try document.spliceText(obj: text, start: 0, delete: 0, value: line)
        _ = document.encodeNewChanges()
        try document.spliceText(obj: text, start: 0, delete: 150_000)
        let saved = document.save()
        #expect(saved.count < 2_000)
        #expect(try Document(saved).text(obj: text).utf8.count == 50_000)
    }

    // MARK: Messages

    @Test func filterOfMoreBitsThanMemoryIsRefused() throws {
        var message: [UInt8] = [0x42, 0, 0, 1, 0]
        let filter: [UInt8] =
            [0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f, 7]
        message += [UInt8(filter.count)] + filter + [0]
        let error = #expect(throws: ReceiveSyncError.self) {
            try Document().receiveSyncMessage(state: SyncState(), message: Data(message))
        }
        #expect(error?.code == .malformed)
    }

    @Test func repeatedlyRequestedChangeIsSentOnce() throws {
        let document = Document()
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        let hash = try #require(document.heads().first)
        var out = ByteWriter()
        out.byte(SyncMessage.type)
        SyncMessage.write([], to: &out)
        SyncMessage.write([ChangeHash](repeating: hash, count: 1_000), to: &out)
        out.unsigned(0)
        out.unsigned(0)
        let state = SyncState()
        try document.receiveSyncMessage(state: state, message: Data(out.buffer))
        let answer = try SyncMessage(
            Array(try #require(document.generateSyncMessage(state: state))))
        #expect(answer.changes.count == 1)
    }

    @Test func messageOfManySummariesIsRefused() {
        var message: [UInt8] = [0x42, 0, 0, 100]
        for _ in 0..<100 { message += [0, 0] }
        message += [0]
        #expect(throws: ReceiveSyncError.self) {
            try Document().receiveSyncMessage(state: SyncState(), message: Data(message))
        }
    }

    @Test func startingOverRecoversFromALostMessage() throws {
        let (first, second) = (Document(), Document())
        try first.put(obj: .ROOT, key: "first", value: .Int(1))
        try second.put(obj: .ROOT, key: "second", value: .Int(2))
        let (toSecond, toFirst) = (SyncState(), SyncState())
        let opening = try #require(first.generateSyncMessage(state: toSecond))
        try second.receiveSyncMessage(state: toFirst, message: opening)
        // This message, which holds the change of `second`, is lost.
        _ = second.generateSyncMessage(state: toFirst)
        try first.put(obj: .ROOT, key: "more", value: .Int(3))
        func exchange(_ rounds: Int) throws {
            for _ in 0..<rounds {
                if let message = first.generateSyncMessage(state: toSecond) {
                    try second.receiveSyncMessage(state: toFirst, message: message)
                }
                if let message = second.generateSyncMessage(state: toFirst) {
                    try first.receiveSyncMessage(state: toSecond, message: message)
                }
            }
        }
        try exchange(20)
        #expect(first.heads() != second.heads())
        toFirst.startOver()
        // A false positive of a Bloom filter costs further rounds.
        try exchange(20)
        #expect(first.heads() == second.heads())
        #expect(first.generateSyncMessage(state: toSecond) == nil)
        #expect(second.generateSyncMessage(state: toFirst) == nil)
    }

    @Test func changeWaitsForAllItsDependencies() throws {
        let writer = Document()
        var parts: [Data] = []
        for number in 0..<5 {
            let fork = Document()
            try fork.put(obj: .ROOT, key: "\(number)", value: .Int(1))
            parts.append(fork.save())
            try writer.merge(other: fork)
        }
        _ = writer.encodeNewChanges()
        try writer.put(obj: .ROOT, key: "last", value: .Int(1))
        let last = writer.encodeNewChanges()
        let reader = Document()
        try reader.applyEncodedChanges(encoded: last)
        for part in parts {
            #expect(try reader.get(obj: .ROOT, key: "last") == nil)
            try reader.applyEncodedChanges(encoded: part)
        }
        #expect(reader.heads() == writer.heads())
    }
}
