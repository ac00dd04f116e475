import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Stores all edits of open documents, which are on disk when this returns.
    ///
    /// - Throws: ``DocumentStoreError``, `ReplicationError` (disk full, locked by another process).
    ///   What could not be stored is kept, and tried again after a while, with the next edit and
    ///   with the next call.
    public func save() throws {
        try state.withLock { state in
            try state.checkIsLoaded()
            var failure: (any Error)?
            for id in Array(state.open.keys) {
                do { try store(id, &state) } catch { failure = failure ?? error }
            }
            if let failure {
                tryAgain()
                throw failure
            }
        }
        schedule.succeeded()
    }

    /// Stores the edits of one document.
    ///
    /// - Throws: As ``save()``.
    public func save(_ id: UUID) throws {
        try state.withLock { state in
            try state.checkIsLoaded()
            do {
                try store(id, &state)
            } catch {
                tryAgain()
                throw error
            }
        }
    }

    /// Writes a delta of what a document has and the store has not, or a snapshot in its place.
    func store(_ id: UUID, _ state: inout State) throws {
        guard let entry = state.open[id], let automerge = entry.automerge else { return }
        // Edits from here on are told again.
        edited.withLock { $0[id] = nil }
        arm(automerge, id)
        do {
            let new = try automerge.unstored(since: entry.stored)
            if new.encoded.isEmpty {
                state.open[id]?.stored = new.heads
            } else if isForSnapshot(id, adding: new.encoded.count, state) {
                try writeSnapshot(of: id, automerge, &state)
            } else {
                try writeDelta(new, of: id, &state)
            }
        } catch {
            edited.withLock { $0[id] = automerge }
            hub.post(.notSaved(id, because: Self.reason(of: error)))
            throw error
        }
    }

    private func writeDelta(
        _ new: Automerge.Document.Unstored, of id: UUID, _ state: inout State
    ) throws {
        guard let entry = state.open[id] else { return }
        // Writing may find that what it builds on is there no longer; then less is stored than this.
        state.open[id]?.stored = new.heads
        do {
            try write(
                [
                    .chunk(
                        workspace: entry.workspace, document: id, isSnapshot: false,
                        data: new.encoded, heads: new.heads)
                ], &state)
        } catch {
            state.open[id]?.stored = entry.stored
            throw error
        }
        hub.post(.saved(id))
    }

    /// Writes one snapshot in place of this device's chunks that it has the changes of.
    private func writeSnapshot(
        of id: UUID, _ automerge: Automerge.Document, _ state: inout State
    ) throws {
        guard let workspace = state.open[id]?.workspace else { return }
        let whole = automerge.stored()
        let replaced = replaceable(id, state)
        try write(
            [
                .chunk(
                    workspace: workspace, document: id, isSnapshot: true,
                    data: whole.encoded, heads: whole.heads),
                .chunksDeleted(replaced, of: id),
            ], &state)
        state.open[id]?.stored = whole.heads
        hub.post(.saved(id))
        if !replaced.isEmpty { hub.post(.compacted(id, chunkCount: replaced.count)) }
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
                throw DocumentStoreError(.noSuchDocument, "there is no document \(id)")
            }
            // Held until it is done.
            let automerge = try open(id, &state)
            try store(id, &state)
            let own = replaceable(id, state)
            guard own.count > 1 || own.contains(where: { !$0.isSnapshot }) else { return false }
            try writeSnapshot(of: id, automerge, &state)
            return true
        }
    }
}
