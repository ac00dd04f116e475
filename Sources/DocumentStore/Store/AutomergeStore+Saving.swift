import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Saves all edits of open documents. They are on disk when this method returns.
    ///
    /// - Throws: ``DocumentStoreError``, `ReplicationError` (disk full, locked by another
    ///   process). Edits that could not be saved are kept. Saving them is retried after a delay,
    ///   with the next edit, and with the next call. The error is `ReplicationError` with code
    ///   `.unconfirmed` if the edits are written but the disk did not confirm them.
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

    /// Returns whether the edits were written despite the error. This is the case if only the
    /// disk's confirmation is missing.
    static func isWritten(in error: any Error) -> Bool {
        (error as? ReplicationError)?.code == .unconfirmed
    }

    /// Saves the edits of one document.
    ///
    /// - Throws: The errors of ``save()``.
    public func save(_ id: UUID) throws {
        if let failure = try save([id])[id] { throw failure }
    }

    /// Saves the edits of several documents, in one transaction if the store supports this. Each
    /// identifier must occur only once.
    ///
    /// - Returns: The errors of the documents that failed. Saving them is retried after a delay.
    /// - Throws: ``DocumentStoreError``, `.closed`.
    package func save(_ ids: [UUID]) throws -> [UUID: any Error] {
        try state.withLock { state in
            try state.checkIsLoaded()
            let failures = store(ids, &state)
            if failures.values.contains(where: { !Self.isWritten(in: $0) }) { tryAgain() }
            return failures
        }
    }

    /// Writes the changes of a document that are missing from the store.
    func store(_ id: UUID, _ state: inout State) throws {
        if let failure = store([id], &state)[id] { throw failure }
    }

    /// Writes the changes of documents that are missing from the store. Writes one delta or one
    /// snapshot per document.
    ///
    /// - Returns: The errors of the documents that failed.
    func store(_ ids: [UUID], _ state: inout State) -> [UUID: any Error] {
        var failures: [UUID: any Error] = [:]
        var group: [Unwritten] = []
        var held: [UUID: Automerge.Document] = [:]
        for id in ids {
            guard let automerge = state.open[id]?.automerge else { continue }
            held[id] = automerge
            // Edits after this point are observed again.
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
                hub.post(.unconfirmed(id, because: .reason(of: error)))
                continue
            }
            edited.withLock { $0[id] = held[id] }
            hub.post(.notSaved(id, because: .reason(of: error)))
        }
        return failures
    }

    /// Limits for one transaction, which keep the lock time and the rollback journal small.
    private static let groupBytes = 4 << 20
    private static let groupCount = 256

    /// A pending write of a document.
    private struct Unwritten {
        let id: UUID
        let writes: [BackingWrite]
        let byteCount: Int
        /// The heads of the stored changes: `heads` after the write and `former` before it.
        let heads: Set<ChangeHash>
        let former: Set<ChangeHash>
        let isSnapshot: Bool
        let replacedCount: Int
    }

    /// Returns the write that stores the missing changes of a document.
    ///
    /// - Returns: `nil` if all changes are stored.
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

    /// Returns the write of a document's snapshot. The snapshot replaces the chunks of this device
    /// that the document contains.
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

    /// Writes a group at once. If that fails because of a single document, writes each document
    /// separately.
    ///
    /// - Returns: The errors of the documents that failed.
    private func write(_ group: [Unwritten], _ state: inout State) -> [UUID: any Error] {
        guard !group.isEmpty else { return [:] }
        do {
            try writeTogether(group, &state)
            return [:]
        } catch {
            // A locked file or a full disk would also make each separate write fail.
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
        // The heads are set before writing, because writing resets them if it finds that the base
        // of a delta is missing.
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

    /// Returns the chunks that a snapshot of the open document would replace. These are the chunks
    /// of this device that were read completely.
    private func replaceable(_ id: UUID, _ state: State) -> [ChunkRecord] {
        guard let document = state.index.documents[id], let entry = state.open[id] else {
            return []
        }
        return document.chunks.values.filter {
            $0.device == ownDevice && entry.applied[$0.key] != nil
        }
    }

    private func isForSnapshot(_ id: UUID, adding byteCount: Int, _ state: State) -> Bool {
        // If the file was replaced, there may be no snapshot left to build on.
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

    /// Compacts this device's chunks of a document into one snapshot, regardless of their sizes.
    ///
    /// Damaged chunks and chunks of other devices stay.
    ///
    /// - Returns: Whether there was anything to compact.
    /// - Throws: ``DocumentStoreError``, `.noSuchDocument`, `.readOnly`, and the errors of
    ///   ``save()`` and ``openDocument(_:)``.
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
            // Keeps the document alive until compaction ends.
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
