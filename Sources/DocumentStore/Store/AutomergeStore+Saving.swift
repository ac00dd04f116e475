import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Stores all edits of open documents, which are on disk when this returns.
    ///
    /// - Throws: ``DocumentStoreError``, `ReplicationError` (disk full, locked by another process).
    ///   What could not be stored is kept, and tried again after a while, with the next edit and
    ///   with the next call. `ReplicationError` with code `.unconfirmed` for edits that are stored,
    ///   though the disk did not confirm them.
    public func save() throws {
        let failures = try state.withLock { state in
            try state.checkIsLoaded()
            let failures = store(Array(state.open.keys), &state).values
            if let failure = failures.first(where: { !Self.isWritten(in: $0) }) {
                tryAgain()
                throw failure
            }
            return failures
        }
        schedule.succeeded()
        if let failure = failures.first { throw failure }
    }

    /// Whether the edits are stored in spite of the error, which the disk did not confirm.
    static func isWritten(in error: any Error) -> Bool {
        (error as? ReplicationError)?.code == .unconfirmed
    }

    /// Stores the edits of one document.
    ///
    /// - Throws: As ``save()``.
    public func save(_ id: UUID) throws {
        if let failure = try save([id])[id] { throw failure }
    }

    /// Stores the edits of several documents, each named once, in one transaction where the store
    /// has such.
    ///
    /// - Returns: Why those failed that did; they are tried again after a while.
    /// - Throws: ``DocumentStoreError``, `.closed`.
    package func save(_ ids: [UUID]) throws -> [UUID: any Error] {
        try state.withLock { state in
            try state.checkIsLoaded()
            let failures = store(ids, &state)
            if failures.values.contains(where: { !Self.isWritten(in: $0) }) { tryAgain() }
            return failures
        }
    }

    /// Writes what one document has and the store has not.
    func store(_ id: UUID, _ state: inout State) throws {
        if let failure = store([id], &state)[id] { throw failure }
    }

    /// Writes what documents have and the store has not: of each a delta, or a snapshot in its
    /// place.
    ///
    /// - Returns: Why those failed that did.
    func store(_ ids: [UUID], _ state: inout State) -> [UUID: any Error] {
        var failures: [UUID: any Error] = [:]
        var group: [Unwritten] = []
        var held: [UUID: Automerge.Document] = [:]
        for id in ids {
            guard let automerge = state.open[id]?.automerge else { continue }
            held[id] = automerge
            // Edits from here on are told again.
            edited.withLock { $0[id] = nil }
            arm(automerge, id)
            do {
                guard let unwritten = try unwritten(of: id, automerge, &state) else { continue }
                group.append(unwritten)
            } catch {
                failures[id] = error
                continue
            }
            if !backing.writesTogether || group.reduce(0, { $0 + $1.byteCount }) >= Self.groupBytes
                || group.count >= Self.groupCount
            {
                failures.merge(write(group, &state)) { $1 }
                group = []
            }
        }
        failures.merge(write(group, &state)) { $1 }
        for (id, error) in failures {
            guard !Self.isWritten(in: error) else {
                hub.post(.unconfirmed(id, because: Self.reason(of: error)))
                continue
            }
            edited.withLock { $0[id] = held[id] }
            hub.post(.notSaved(id, because: Self.reason(of: error)))
        }
        return failures
    }

    /// Transactions are short: nobody waits long for the lock, and little is copied aside.
    private static let groupBytes = 4 << 20
    private static let groupCount = 256

    /// What is to be written of a document.
    private struct Unwritten {
        let id: UUID
        let writes: [BackingWrite]
        let byteCount: Int
        /// What is stored of it afterwards, and what was before.
        let heads: Set<ChangeHash>
        let former: Set<ChangeHash>
        let isSnapshot: Bool
        let replacedCount: Int
    }

    /// - Returns: `nil` where everything is stored.
    private func unwritten(
        of id: UUID, _ automerge: Automerge.Document, _ state: inout State
    ) throws -> Unwritten? {
        guard let entry = state.open[id] else { return nil }
        let new = try automerge.unstored(since: entry.stored)
        guard !new.encoded.isEmpty else {
            state.open[id]?.stored = new.heads
            return nil
        }
        guard !isForSnapshot(id, adding: new.encoded.count, state) else {
            return snapshot(of: id, automerge, entry, state)
        }
        return Unwritten(
            id: id,
            writes: [
                .chunk(
                    workspace: entry.workspace, document: id, isSnapshot: false,
                    data: new.encoded, heads: new.heads,
                    actors: ActorList([new.author].compactMap(\.self)))
            ], byteCount: new.encoded.count, heads: new.heads, former: entry.stored,
            isSnapshot: false, replacedCount: 0)
    }

    /// One snapshot in place of this device's chunks that it has the changes of.
    private func snapshot(
        of id: UUID, _ automerge: Automerge.Document, _ entry: OpenDocument, _ state: State
    ) -> Unwritten {
        let whole = automerge.stored()
        let replaced = replaceable(id, state)
        let actors = replaced.reduce(into: Set([whole.author].compactMap(\.self))) {
            $0.formUnion($1.actors.all)
        }
        return Unwritten(
            id: id,
            writes: [
                .chunk(
                    workspace: entry.workspace, document: id, isSnapshot: true,
                    data: whole.encoded, heads: whole.heads,
                    actors: ActorList(actors)),
                .chunksDeleted(replaced, of: id),
            ], byteCount: whole.encoded.count, heads: whole.heads, former: entry.stored,
            isSnapshot: true, replacedCount: replaced.count)
    }

    /// Writes all of a group at once; where that fails because of one of them, each by itself.
    ///
    /// - Returns: Why those failed that did.
    private func write(_ group: [Unwritten], _ state: inout State) -> [UUID: any Error] {
        guard !group.isEmpty else { return [:] }
        do {
            try writeTogether(group, &state)
            return [:]
        } catch {
            // A file that is locked, or a disk that is full, would be so for each of them.
            let code = (error as? ReplicationError)?.code
            guard group.count > 1, code != .busy, code != .inputOutput, code != .unconfirmed else {
                return Dictionary(uniqueKeysWithValues: group.map { ($0.id, error) })
            }
        }
        var failures: [UUID: any Error] = [:]
        for unwritten in group {
            do { try writeTogether([unwritten], &state) } catch { failures[unwritten.id] = error }
        }
        return failures
    }

    private func writeTogether(_ group: [Unwritten], _ state: inout State) throws {
        // Writing may find that what a delta builds on is there no longer; then less is stored than
        // this.
        for delta in group where !delta.isSnapshot {
            state.open[delta.id]?.stored = delta.heads
        }
        var unconfirmed: (any Error)?
        do {
            try write(group.flatMap(\.writes), &state)
        } catch let error where Self.isWritten(in: error) {
            unconfirmed = error
        } catch {
            for delta in group where !delta.isSnapshot {
                state.open[delta.id]?.stored = delta.former
            }
            throw error
        }
        for snapshot in group where snapshot.isSnapshot {
            state.open[snapshot.id]?.stored = snapshot.heads
        }
        if let unconfirmed { throw unconfirmed }
        for written in group {
            hub.post(.saved(written.id))
            if written.replacedCount > 0 {
                hub.post(.compacted(written.id, chunkCount: written.replacedCount))
            }
        }
    }

    /// The chunks that a snapshot of the open document would replace: this device's, those of them
    /// that were read whole.
    private func replaceable(_ id: UUID, _ state: State) -> [ChunkRecord] {
        guard let document = state.index.documents[id], let entry = state.open[id] else {
            return []
        }
        return document.chunks.values.filter {
            $0.device == ownDevice && entry.applied[$0.key] != nil
        }
    }

    private func isForSnapshot(_ id: UUID, adding byteCount: Int, _ state: State) -> Bool {
        // Of a document whose file was replaced nothing may be left to build on.
        guard let document = state.index.documents[id], let entry = state.open[id] else {
            return true
        }
        var sizes = CompactionRule.Sizes()
        for chunk in document.chunks.values {
            if chunk.device != ownDevice {
                guard chunk.isSnapshot else { continue }
                sizes.foreignSnapshot = max(sizes.foreignSnapshot, chunk.byteCount)
            } else if entry.applied[chunk.key] != nil {
                if chunk.isSnapshot {
                    sizes.snapshots += chunk.byteCount
                } else {
                    sizes.deltas += chunk.byteCount
                }
            }
        }
        return backing.compaction.asksForSnapshot(sizes, adding: byteCount)
    }

    /// Combines this device's chunks of a document into one snapshot, whatever their sizes.
    ///
    /// Chunks of others, and those that are damaged, stay.
    ///
    /// - Returns: Whether there was something to combine.
    /// - Throws: ``DocumentStoreError``, `.noSuchDocument`, `.readOnly`, and as ``save()`` and
    ///   ``openDocument(_:)``.
    /// - Complexity: O(*n*) in the number of the document's operations.
    @discardableResult
    public func compact(_ id: UUID) throws -> Bool {
        try state.withLock { state in
            try state.checkIsLoaded()
            if let reason = backing.readOnlyReason {
                throw DocumentStoreError(.readOnly, reason)
            }
            guard state.index.document(id) != nil else {
                throw DocumentStoreError(.noSuchDocument, "there is no document \(text(of: id))")
            }
            // Held until it is done.
            let automerge = try open(id, &state)
            try store(id, &state)
            let own = replaceable(id, state)
            guard own.count > 1 || own.contains(where: { !$0.isSnapshot }) else { return false }
            guard let entry = state.open[id] else { return false }
            try writeTogether([snapshot(of: id, automerge, entry, state)], &state)
            return true
        }
    }
}
