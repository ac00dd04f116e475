import Automerge
import AutomergeUtilities
import Foundation
import Testing

/// Programs written for automerge-swift, without `@testable` and without any API that Tideline
/// adds. That they compile is half of the test.
@Suite struct QuickStartTests {
    struct ColorList: Codable {
        var colors: [String]
    }

    @Test func codableModelsMerge() throws {
        let doc = Document()
        let encoder = AutomergeEncoder(doc: doc)
        var myColors = ColorList(colors: ["blue", "red"])
        try encoder.encode(myColors)
        let doc2 = doc.fork()
        let decoder2 = AutomergeDecoder(doc: doc2)
        var copyOfColors = try decoder2.decode(ColorList.self)
        copyOfColors.colors.append("green")
        let encoder2 = AutomergeEncoder(doc: doc2, strategy: .createWhenNeeded)
        try encoder2.encode(copyOfColors)
        try doc.merge(other: doc2)
        let decoder1 = AutomergeDecoder(doc: doc)
        myColors = try decoder1.decode(ColorList.self)
        #expect(myColors.colors == ["blue", "red", "green"])
        let bytesToStore: Data = doc.save()
        #expect(bytesToStore.count > 0)
    }

    @Test func documentsAreEditedThroughTheLowLevelInterface() throws {
        let doc = Document()
        try doc.put(obj: ObjId.ROOT, key: "name", value: .String("alice"))
        let list = try doc.putObject(obj: ObjId.ROOT, key: "list", ty: .List)
        try doc.insert(obj: list, index: 0, value: .Int(1))
        try doc.put(obj: list, index: 0, value: .Uint(2))
        let nested = try doc.insertObject(obj: list, index: 1, ty: .Map)
        _ = try doc.putObject(obj: list, index: 0, ty: .Text)
        try doc.splice(obj: list, start: 2, delete: 0, values: [.Boolean(true), .F64(1.5), .Null])
        try doc.delete(obj: list, index: 2)
        try doc.put(obj: nested, key: "votes", value: .Counter(1))
        try doc.increment(obj: nested, key: "votes", by: 2)
        try doc.insert(obj: list, index: 0, value: .Counter(5))
        try doc.increment(obj: list, index: 0, by: -1)
        try doc.delete(obj: ObjId.ROOT, key: "name")

        #expect(try doc.get(obj: ObjId.ROOT, key: "name") == nil)
        #expect(try doc.get(obj: list, index: 0) == .Scalar(.Counter(4)))
        #expect(try doc.getAll(obj: nested, key: "votes") == [.Scalar(.Counter(3))])
        #expect(try doc.getAll(obj: list, index: 3) == [.Scalar(.F64(1.5))])
        #expect(doc.keys(obj: ObjId.ROOT) == ["list"])
        #expect(doc.length(obj: list) == 5)
        #expect(try doc.values(obj: list).count == 5)
        let entries: [(String, Value)] = try doc.mapEntries(obj: nested)
        #expect(entries.map(\.0) == ["votes"])
        #expect(doc.objectType(obj: list) == .List)
        let elements: [PathElement] = try doc.path(obj: nested)
        #expect(
            elements == [
                PathElement(obj: ObjId.ROOT, prop: .Key("list")),
                PathElement(obj: list, prop: .Index(2)),
            ])
    }

    @Test func textsAreEdited() throws {
        let doc = Document(textEncoding: .unicodeScalar)
        let text = try doc.putObject(obj: ObjId.ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "hello world!")
        try doc.spliceText(obj: text, start: 6, delete: 5)
        try doc.spliceText(obj: text, start: 6, delete: 0, value: "there")
        #expect(try doc.text(obj: text) == "hello there!")
        let cursor: Cursor = try doc.cursor(obj: text, position: 6)
        try doc.mark(
            obj: text, start: 0, end: 5, expand: .both, name: "bold", value: .Boolean(true))
        try doc.updateText(obj: text, value: "oh hello there!")
        #expect(try doc.position(obj: text, cursor: cursor) == 9)
        let marks: [Mark] = try doc.marks(obj: text)
        #expect(marks.map(\.name) == ["bold"])
        #expect(marks.first?.value == .Scalar(.Boolean(true)))
        let atPosition = try doc.marksAt(obj: text, position: .cursor(cursor))
        #expect(atPosition.isEmpty)
        #expect(try doc.marksAt(obj: text, position: .index(4)).count == 1)
        #expect(try doc.marksAt(obj: text, heads: doc.heads()) == marks)
    }

    @Test func pastStatesAreRead() throws {
        let doc = Document()
        try doc.put(obj: ObjId.ROOT, key: "key", value: .String("before"))
        let list = try doc.putObject(obj: ObjId.ROOT, key: "list", ty: .List)
        try doc.insert(obj: list, index: 0, value: .Int(1))
        let text = try doc.putObject(obj: ObjId.ROOT, key: "text", ty: .Text)
        try doc.spliceText(obj: text, start: 0, delete: 0, value: "old")
        doc.commitWith(message: "first", timestamp: Date(timeIntervalSince1970: 5))
        let heads: Set<ChangeHash> = doc.heads()
        try doc.put(obj: ObjId.ROOT, key: "key", value: .String("after"))
        try doc.put(obj: ObjId.ROOT, key: "other", value: .Null)
        try doc.delete(obj: list, index: 0)
        try doc.spliceText(obj: text, start: 0, delete: 3, value: "newer")
        doc.commitWith()

        #expect(
            try doc.getAt(obj: ObjId.ROOT, key: "key", heads: heads) == .Scalar(.String("before")))
        #expect(try doc.getAt(obj: list, index: 0, heads: heads) == .Scalar(.Int(1)))
        #expect(
            try doc.getAllAt(obj: ObjId.ROOT, key: "key", heads: heads)
                == [.Scalar(.String("before"))])
        #expect(try doc.getAllAt(obj: list, index: 0, heads: heads) == [.Scalar(.Int(1))])
        #expect(doc.keysAt(obj: ObjId.ROOT, heads: heads) == ["key", "list", "text"])
        #expect(try doc.valuesAt(obj: list, heads: heads) == [.Scalar(.Int(1))])
        #expect(try doc.mapEntriesAt(obj: ObjId.ROOT, heads: heads).count == 3)
        #expect(doc.lengthAt(obj: list, heads: heads) == 1)
        #expect(try doc.textAt(obj: text, heads: heads) == "old")
        let past = try doc.cursor(obj: text, position: 1, heads: heads)
        #expect(try doc.position(obj: text, cursor: past, heads: heads) == 1)

        let history: [ChangeHash] = doc.getHistory()
        #expect(history.count == 2)
        let first: Change? = doc.change(hash: history[0])
        #expect(first?.message == "first")
        #expect(first?.timestamp == Date(timeIntervalSince1970: 5))
        #expect(first?.actorId == doc.actor)
        #expect(first?.deps == [])
        #expect(first?.hash == history[0])
        #expect(first.map { $0.bytes.isEmpty } == false)
        #expect(try doc.forkAt(heads: heads).heads() == heads)
        #expect(heads.raw().heads() == heads)
    }

    @Test func patchesDescribeChanges() throws {
        let doc = Document()
        try doc.put(obj: ObjId.ROOT, key: "key", value: .Int(1))
        let before = doc.heads()
        let other = doc.fork()
        try other.put(obj: ObjId.ROOT, key: "key", value: .Int(2))
        let patches: [Patch] = try doc.mergeWithPatches(other: other)
        #expect(
            patches == [
                Patch(action: .Put(ObjId.ROOT, .Key("key"), .Scalar(.Int(2))), path: [])
            ])
        #expect(doc.difference(since: before) == patches)
        #expect(doc.difference(from: before, to: doc.heads()) == patches)
        #expect(
            doc.difference(to: before).map(\.action)
                == [.Put(ObjId.ROOT, .Key("key"), .Scalar(.Int(1)))])
    }

    @Test func changesReachAnotherDocument() throws {
        let doc = Document()
        try doc.put(obj: ObjId.ROOT, key: "key", value: .Int(1))
        let start = doc.heads()
        let other = try Document(doc.encodeNewChanges())
        try doc.put(obj: ObjId.ROOT, key: "key", value: .Int(2))
        try other.applyEncodedChanges(encoded: doc.encodeNewChanges())
        #expect(other.heads() == doc.heads())
        let third = try Document(doc.save(), logLevel: .errorOnly)
        try third.put(obj: ObjId.ROOT, key: "third", value: .Boolean(false))
        let patches = try doc.applyEncodedChangesWithPatches(
            encoded: third.encodeChangesSince(heads: start))
        #expect(patches.count == 1)
        #expect(try doc.isEmpty() == false)
        #expect(doc.equivalentContents(third))
        #expect(
            try doc.schema() == .dict(["key": .scalar(.Int(2)), "third": .scalar(.Boolean(false))]))
    }

    @Test func replicasAgreeAfterExchangingSyncMessages() throws {
        let left = Document()
        let right = Document()
        try left.put(obj: ObjId.ROOT, key: "left", value: .Int(1))
        try right.put(obj: ObjId.ROOT, key: "right", value: .Int(2))
        let leftState = SyncState()
        let rightState = try SyncState(bytes: SyncState().encode())
        var quiet = false
        while !quiet {
            quiet = true
            if let message = left.generateSyncMessage(state: leftState) {
                quiet = false
                try right.receiveSyncMessage(state: rightState, message: message)
            }
            if let message = right.generateSyncMessage(state: rightState) {
                quiet = false
                let patches = try left.receiveSyncMessageWithPatches(
                    state: leftState, message: message)
                _ = patches.map(\.path)
            }
        }
        #expect(left.heads() == right.heads())
        #expect(leftState.theirHeads == right.heads())
        leftState.reset()
    }

    @Test func errorsHaveTheDocumentedTypes() {
        let doc = Document()
        #expect(throws: LoadError.self) { try Document(Data([1, 2, 3])) }
        #expect(throws: DocError.self) {
            try doc.put(obj: ObjId.ROOT, index: 0, value: .Int(1))
        }
        #expect(throws: DecodeSyncStateError.self) { try SyncState(bytes: Data([9, 9, 9])) }
        #expect(throws: ReceiveSyncError.self) {
            try doc.receiveSyncMessage(state: SyncState(), message: Data([1]))
        }
    }

    /// A custom type that is stored as one scalar.
    enum Direction: String, ScalarValueRepresentable {
        case north, south

        enum DirectionError: LocalizedError { case unknown }

        static func fromScalarValue(_ val: ScalarValue) -> Result<Direction, DirectionError> {
            guard case .String(let name) = val, let direction = Direction(rawValue: name) else {
                return .failure(.unknown)
            }
            return .success(direction)
        }

        func toScalarValue() -> ScalarValue { .String(rawValue) }
    }

    @Test func customTypesAreScalars() throws {
        let doc = Document()
        try doc.put(obj: ObjId.ROOT, key: "to", value: Direction.south.toScalarValue())
        guard case .Scalar(let value) = try doc.get(obj: ObjId.ROOT, key: "to") else {
            Issue.record("no scalar")
            return
        }
        #expect(try Direction.fromScalarValue(value).get() == .south)
        #expect(try String.fromScalarValue(value).get() == "south")
        #expect(throws: BooleanScalarConversionError.self) {
            try Bool.fromScalarValue(value).get()
        }
    }

    @Test func actorsCanBeSet() throws {
        let actor = try #require(ActorId(data: Data([1, 2, 3])))
        #expect(ActorId(data: Data(repeating: 0, count: 129)) == nil)
        let uuid = try #require(UUID(uuidString: "06a2b97e-69c9-4036-a97f-d4167a2bb779"))
        #expect(ActorId(uuid: uuid).description == "06A2B97E69C94036A97FD4167A2BB779")
        let doc = Document(logLevel: .tracing)
        #expect(doc.actor != Document().actor)
        doc.actor = actor
        try doc.put(obj: ObjId.ROOT, key: "a", value: .Null)
        #expect(doc.change(hash: doc.getHistory()[0])?.actorId == actor)
        #expect(doc.fork().actor != actor)
    }
}
