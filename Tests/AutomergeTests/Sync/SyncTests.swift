import Foundation
import TestSupport
import Testing

@testable import Automerge

/// The sync protocol between two documents.
@Suite struct SyncTests {
    /// Sends messages both ways until both sides are done. Returns the number of messages.
    @discardableResult
    private func sync(
        _ left: Document, _ leftState: SyncState, _ right: Document, _ rightState: SyncState,
        losing: (Int) -> Bool = { _ in false }
    ) throws -> Int {
        var sent = 0
        for _ in 0..<40 {
            let toRight = left.generateSyncMessage(state: leftState)
            let toLeft = right.generateSyncMessage(state: rightState)
            if toRight == nil, toLeft == nil { return sent }
            if let toRight {
                sent += 1
                if !losing(sent) {
                    try right.receiveSyncMessage(state: rightState, message: toRight)
                }
            }
            if let toLeft {
                sent += 1
                if !losing(sent) { try left.receiveSyncMessage(state: leftState, message: toLeft) }
            }
        }
        return sent
    }

    private func documents(_ changes: Int) throws -> (Document, Document) {
        let left = Document()
        let right = Document()
        for number in 0..<changes {
            try left.put(obj: .ROOT, key: "left", value: .Int(Int64(number)))
            left.commitWith()
            try right.put(obj: .ROOT, key: "right", value: .Int(Int64(number)))
            right.commitWith()
        }
        return (left, right)
    }

    @Test func bothDocumentsReceiveAllChanges() throws {
        let (left, right) = try documents(30)
        let leftState = SyncState()
        let rightState = SyncState()
        try sync(left, leftState, right, rightState)
        #expect(left.heads() == right.heads())
        #expect(left.getHistory().count == 60)
        #expect(leftState.theirHeads == left.heads())
        #expect(left.generateSyncMessage(state: leftState) == nil)
    }

    @Test func messageIsNotRepeatedBeforeTheAnswer() throws {
        let (left, _) = try documents(3)
        let state = SyncState()
        #expect(left.generateSyncMessage(state: state) != nil)
        #expect(left.generateSyncMessage(state: state) == nil)
    }

    /// Messages that a peer sent after its changes can arrive before the changes are acknowledged.
    @Test func changesAreAcknowledgedAfterLaterMessages() throws {
        let (left, right) = try documents(3)
        let (leftState, rightState) = (SyncState(), SyncState())
        try sync(left, leftState, right, rightState)
        try left.put(obj: .ROOT, key: "a", value: .Int(1))
        let first = try #require(left.generateSyncMessage(state: leftState))
        try right.receiveSyncMessage(state: rightState, message: first)
        let answer = try #require(right.generateSyncMessage(state: rightState))
        try left.put(obj: .ROOT, key: "a", value: .Int(2))
        let second = try #require(left.generateSyncMessage(state: leftState))
        try left.receiveSyncMessage(state: leftState, message: answer)
        let third = try #require(left.generateSyncMessage(state: leftState))
        for message in [second, third] {
            try right.receiveSyncMessage(state: rightState, message: message)
        }
        #expect(leftState.theirHeads != left.heads())
        let last = try #require(right.generateSyncMessage(state: rightState))
        try left.receiveSyncMessage(state: leftState, message: last)
        #expect(leftState.theirHeads == left.heads())
        #expect(left.generateSyncMessage(state: leftState) == nil)
        #expect(right.generateSyncMessage(state: rightState) == nil)
    }

    @Test func resetStateRecoversFromALostMessage() throws {
        for lost in 1..<5 {
            let (left, right) = try documents(5)
            let leftState = SyncState()
            let rightState = SyncState()
            try sync(left, leftState, right, rightState, losing: { $0 == lost })
            leftState.reset()
            rightState.reset()
            try sync(left, leftState, right, rightState)
            #expect(left.heads() == right.heads(), "message \(lost) lost")
        }
    }

    @Test func storedStateShortensTheNextSync() throws {
        let (left, right) = try documents(20)
        let leftState = SyncState()
        let rightState = SyncState()
        try sync(left, leftState, right, rightState)
        try left.put(obj: .ROOT, key: "later", value: .Boolean(true))
        let leftAgain = try SyncState(bytes: leftState.encode())
        let rightAgain = try SyncState(bytes: rightState.encode())
        let message = try #require(left.generateSyncMessage(state: leftAgain))
        #expect(message.count < 200)
        try right.receiveSyncMessage(state: rightAgain, message: message)
        try sync(left, leftAgain, right, rightAgain)
        #expect(left.heads() == right.heads())
    }

    @Test func peerThatLostEverythingReceivesAllChanges() throws {
        let (left, right) = try documents(10)
        let leftState = SyncState()
        try sync(left, leftState, right, SyncState())
        let empty = Document()
        try sync(left, leftState, empty, SyncState())
        #expect(empty.heads() == left.heads())
    }

    @Test func falsePositivesOfTheFilterAreRequested() throws {
        // Among a few hundred single-change differences, the filter hides about one in a hundred.
        var random = SeededRandom(seed: 9)
        for number in 0..<300 {
            let left = Document()
            left.actor = ActorId(bytes: [1])
            try left.put(obj: .ROOT, key: "base", value: .Int(0))
            let right = left.fork()
            right.actor = ActorId(bytes: [2])
            try left.put(
                obj: .ROOT, key: "x", value: .Uint(UInt64.random(in: 0...9999, using: &random)))
            try right.put(obj: .ROOT, key: "x", value: .Int(Int64(number)))
            try sync(left, SyncState(), right, SyncState())
            try #require(left.heads() == right.heads(), "round \(number)")
        }
    }

    @Test func patchesDescribeAReceivedMessage() throws {
        let (left, right) = try documents(1)
        let leftState = SyncState()
        let rightState = SyncState()
        var patches: [Patch] = []
        for _ in 0..<10 {
            let toRight = left.generateSyncMessage(state: leftState)
            let toLeft = right.generateSyncMessage(state: rightState)
            if toRight == nil, toLeft == nil { break }
            if let toRight {
                patches += try right.receiveSyncMessageWithPatches(
                    state: rightState, message: toRight)
            }
            if let toLeft { try left.receiveSyncMessage(state: leftState, message: toLeft) }
        }
        #expect(
            patches
                == [Patch(action: .Put(.ROOT, .Key("left"), .Scalar(.Int(0))), path: [])])
    }

    struct BadMessage: Sendable, CustomStringConvertible {
        let bytes: [UInt8]
        let description: String
    }

    @Test(arguments: [
        BadMessage(bytes: [], description: "empty"),
        BadMessage(bytes: [0x41, 0, 0, 0, 0], description: "another type"),
        BadMessage(bytes: [0x42, 0xff, 0xff, 0xff, 0x7f], description: "too many heads"),
        BadMessage(
            bytes: [0x42, 0, 0, 1, 0, 8, 0xff, 0xff, 0xff, 0xff, 0x0f, 10, 7, 0, 0],
            description: "a truncated filter"),
        BadMessage(
            bytes: [0x42, 0, 0, 1, 0, 9, 1, 8, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0],
            description: "endless probes"),
        BadMessage(bytes: [0x42, 0, 0, 0, 1, 3, 1, 2, 3], description: "an invalid change"),
    ])
    func invalidMessagesAreRefusedAndChangeNothing(_ bad: BadMessage) throws {
        let (left, _) = try documents(1)
        let heads = left.heads()
        let state = SyncState()
        #expect(throws: ReceiveSyncError.self) {
            try left.receiveSyncMessage(state: state, message: Data(bad.bytes))
        }
        #expect(left.heads() == heads)
        #expect(state.theirHeads == nil)
    }

    @Test func invalidStatesAreRefused() {
        #expect(throws: DecodeSyncStateError.self) { try SyncState(bytes: Data([0x42, 0])) }
        #expect(throws: DecodeSyncStateError.self) { try SyncState(bytes: Data([0x43, 1, 2])) }
    }

    @Test func filterContainsItsElements() throws {
        var random = SeededRandom(seed: 3)
        let hashes = (0..<500).map { _ in
            ChangeHash(words: (random.next(), random.next(), random.next(), random.next()))
        }
        let filter = BloomFilter(hashes)
        #expect(hashes.allSatisfy { filter.contains($0) })
        let others = (0..<5000).filter { _ in
            filter.contains(
                ChangeHash(words: (random.next(), random.next(), random.next(), random.next())))
        }
        #expect(others.count < 150)
        var out = ByteWriter()
        filter.write(to: &out)
        let read = try out.array().withUnsafeBufferPointer { (buffer) throws(FormatError) in
            try BloomFilter(from: buffer)
        }
        #expect(read == filter)
    }
}
