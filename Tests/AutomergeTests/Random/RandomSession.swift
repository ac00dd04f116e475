import Foundation
import TestSupport

@testable import Automerge

/// Several replicas of a document that are edited, forked, merged, synced, saved and loaded at
/// random.
struct RandomSession {
    private(set) var replicas: [Document] = []
    private(set) var editor: RandomEditor
    private var states: [StatePair: (SyncState, SyncState)] = [:]
    /// Heads seen during the session, for time travel.
    private(set) var visited: [Set<ChangeHash>] = []

    private struct StatePair: Hashable {
        let left: ObjectIdentifier
        let right: ObjectIdentifier
    }

    init(seed: UInt64, encoding: TextEncoding = .unicodeScalar) throws {
        editor = RandomEditor(seed: seed)
        let first = Document(textEncoding: encoding)
        first.actor = newActor()
        replicas.append(first)
        for _ in 0..<editor.random.number(1..<4) { try fork(first) }
    }

    /// Short actors of different lengths, because their order decides who wins.
    private mutating func newActor() -> ActorId {
        let bytes = (0..<editor.random.number(1..<7)).map { _ in
            UInt8.random(in: 0...255, using: &editor.random)
        }
        return ActorId(
            bytes: bytes + withUnsafeBytes(of: UInt16(replicas.count).bigEndian, Array.init))
    }

    private mutating func fork(_ document: Document) throws {
        let copy = document.fork()
        copy.actor = newActor()
        replicas.append(copy)
    }

    mutating func run(steps: Int) throws {
        for _ in 0..<steps { try step() }
    }

    private mutating func step() throws {
        let index = editor.random.number(0..<replicas.count)
        let document = replicas[index]
        switch editor.random.number(0..<20) {
        case 0..<11:
            for _ in 0..<editor.random.number(1..<4) { try editor.edit(document) }
        case 11:
            let message = editor.random.chance(1, in: 2) ? "m\(editor.random.number(0..<9))" : nil
            document.commitWith(
                message: message,
                timestamp: Date(
                    timeIntervalSince1970: Double(editor.random.number(0..<2_000_000_000))))
            visited.append(document.heads())
        case 12: visited.append(document.heads())
        case 13, 14: try merge(editor.random.pick(replicas), into: document)
        case 15: try exchange(document, editor.random.pick(replicas))
        case 16: try sync(document, editor.random.pick(replicas), lossy: true)
        case 17 where replicas.count < 6: try fork(document)
        case 18: try reload(index)
        default: try pickOneForkAt(document)
        }
    }

    private mutating func merge(_ other: Document, into document: Document) throws {
        guard other !== document else { return }
        // Positions in patches count units of the encoding, but the copy counts Unicode scalars.
        guard document.textEncoding == .unicodeScalar else {
            return try document.merge(other: other)
        }
        var shown = try PatchedDocument(document, at: document.heads())
        let patches = try document.mergeWithPatches(other: other)
        try shown.apply(patches)
        let now = try PatchedDocument(document, at: document.heads())
        guard shown.reachable == now.reachable else {
            throw WrongEffect(message: "patches of a merge lead to another state: \(patches)")
        }
    }

    /// Applies the changes of one replica to another, as chunks in any order.
    private mutating func exchange(_ source: Document, _ target: Document) throws {
        guard source !== target else { return }
        if editor.random.chance(1, in: 2) {
            let shared = target.heads().intersection(Set(source.getHistory()))
            try target.applyEncodedChanges(encoded: source.encodeChangesSince(heads: shared))
        } else {
            var chunks = source.getHistory().compactMap { source.change(hash: $0)?.bytes }
            chunks.shuffle(using: &editor.random)
            try target.applyEncodedChanges(encoded: Data(chunks.joined()))
        }
    }

    /// Exchanges sync messages between two replicas.
    ///
    /// - Parameter lossy: Whether some messages are lost and a side may restart from its saved
    ///   state. Otherwise the exchange continues until both sides are done.
    mutating func sync(_ left: Document, _ right: Document, lossy: Bool) throws {
        guard left !== right else { return }
        let pair = StatePair(left: ObjectIdentifier(left), right: ObjectIdentifier(right))
        var (leftState, rightState) = states[pair] ?? (SyncState(), SyncState())
        if !lossy {
            // Messages sent before the restart may be lost, which requires a reset.
            leftState = try SyncState(bytes: leftState.encode())
            rightState = try SyncState(bytes: rightState.encode())
        }
        var rounds = 0
        let limit = lossy ? editor.random.number(1..<8) : 200
        while rounds < limit {
            rounds += 1
            let fromLeft = left.generateSyncMessage(state: leftState)
            let fromRight = right.generateSyncMessage(state: rightState)
            if fromLeft == nil && fromRight == nil { break }
            if let fromLeft, !(lossy && editor.random.chance(1, in: 3)) {
                try right.receiveSyncMessage(state: rightState, message: fromLeft)
            }
            if let fromRight, !(lossy && editor.random.chance(1, in: 3)) {
                try left.receiveSyncMessage(state: leftState, message: fromRight)
            }
        }
        guard lossy else {
            guard rounds < limit else { throw WrongEffect(message: "sync does not end") }
            guard left.heads() == right.heads() else {
                throw WrongEffect(message: "sync ended with different heads")
            }
            states[pair] = nil
            return
        }
        if editor.random.chance(1, in: 2) { leftState = try SyncState(bytes: leftState.encode()) }
        if editor.random.chance(1, in: 2) { rightState.reset() }
        // After a loss both sides start over, as the protocol requires.
        leftState.reset()
        rightState.reset()
        states[pair] = (leftState, rightState)
    }

    /// Replaces a replica with a copy loaded from its saved file.
    private mutating func reload(_ index: Int) throws {
        let document = replicas[index]
        let loaded = try Document(document.save(), textEncoding: document.textEncoding)
        guard loaded.heads() == document.heads() else {
            throw WrongEffect(message: "loading what was saved changes the heads")
        }
        // Two replicas must not share an actor, so the old one is dropped.
        loaded.actor = document.actor
        let gone = ObjectIdentifier(document)
        states = states.filter { $0.key.left != gone && $0.key.right != gone }
        replicas[index] = loaded
    }

    /// Adds a replica that continues from a past state.
    private mutating func pickOneForkAt(_ document: Document) throws {
        let known = Set(document.getHistory())
        let candidates = visited.filter { $0.isSubset(of: known) && !$0.isEmpty }
        guard !candidates.isEmpty, replicas.count < 6 else { return }
        let heads = editor.random.pick(candidates)
        let copy = try document.forkAt(heads: heads)
        guard copy.heads() == heads else {
            throw WrongEffect(message: "a fork at heads has other heads")
        }
        copy.actor = newActor()
        replicas.append(copy)
    }

    /// Brings all changes to all replicas, in random order and by random means.
    mutating func converge() throws {
        guard let first = replicas.first else { return }
        let others = replicas.dropFirst().shuffled(using: &editor.random)
        for other in others {
            if editor.random.chance(1, in: 2) {
                try sync(first, other, lossy: false)
            } else {
                try merge(other, into: first)
            }
        }
        for other in others.shuffled(using: &editor.random) {
            if editor.random.chance(1, in: 2) {
                try sync(other, first, lossy: false)
            } else {
                try merge(first, into: other)
            }
        }
    }
}
