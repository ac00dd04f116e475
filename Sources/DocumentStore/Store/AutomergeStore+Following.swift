import Automerge
import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Applies new chunks when the watcher reports a change.
    func catchUp() {
        state.withLock { state in
            // If reading fails, the current state stays. The next read may succeed.
            guard state.phase == .loaded, let read = try? backing.read(isWoken: true) else {
                return
            }
            take(read, &state, isOwn: false)
        }
    }

    /// Applies the entries of a read and updates open documents.
    func take(_ read: BackingRead, _ state: inout State, isOwn: Bool) {
        let changes = state.index.take(read)
        closeDeleted(changes, &state)
        // This device's writes affect only the documents that they name.
        let isNarrow = isOwn && read.forgotten.isEmpty
        for id in isNarrow ? Array(changes.documents) : Array(state.open.keys) {
            let isAffected = changes.documents.contains(id) || !read.forgotten.isEmpty
            bringUp(
                id, &state, isAffected: isAffected, isOwn: isOwn, without: read.forgotten)
        }
        if let devices = read.devices, devices != state.statuses {
            let before = state.statuses.map(\.notable)
            state.statuses = devices
            if devices.map(\.notable) != before { hub.post(.devices(devices)) }
        }
        announce(changes, isOwn: isOwn)
        if !isOwn, read.isDeleted != state.isDeleted {
            state.isDeleted = read.isDeleted
            hub.post(read.isDeleted ? .deleted : .returned)
        }
    }

    /// Closes deleted documents. In a storage folder, a document without chunks counts as deleted.
    private func closeDeleted(_ changes: ChunkIndex.Changes, _ state: inout State) {
        guard !changes.deletedWorkspaces.isEmpty || !hasWorkspaces else { return }
        for (id, entry) in state.open {
            let isDeleted =
                changes.deletedWorkspaces.contains(entry.workspace)
                || (!hasWorkspaces && changes.documents.contains(id)
                    && state.index.documents[id] == nil)
            guard isDeleted else { continue }
            try? close(id, saving: false, &state)
            state.workspaces[entry.workspace]?.workspace?.release()
        }
    }

    /// Applies new chunks to an open document, and retries chunks that could not be read before.
    ///
    /// - Parameter forgotten: The devices whose files were replaced.
    private func bringUp(
        _ id: UUID, _ state: inout State, isAffected: Bool, isOwn: Bool,
        without forgotten: Set<DeviceID>
    ) {
        guard var entry = state.open[id] else { return }
        guard let automerge = entry.automerge else {
            state.open[id] = nil
            return
        }
        guard isAffected || (!isOwn && !entry.damaged.isEmpty) else { return }
        let chunks = state.index.documents[id]?.chunks ?? [:]
        let known = entry.applied
        entry.damaged = entry.damaged.filter { chunks[$0.key] != nil }
        entry.applied = known.filter { chunks[$0.key]?.mark == $0.value }
        let isShort =
            isWritable && isAffected && !isOwn
            && hasLost(known, entry.applied, chunks, without: forgotten)
        if isShort {
            // If a file was deleted or replaced by an older version, changes that were stored may
            // be missing from the store. If other chunks still contain them, there is nothing to
            // write.
            entry.stored = []
            entry.waiting = []
            entry.applied = [:]
        }
        let before = (automerge.changeCount, entry.damaged)
        let new = chunks.values.filter { entry.applied[$0.key] == nil }
        if !new.isEmpty {
            takeIn(ChunkIndex.Document.inOrder(Array(new)), automerge, &entry)
        }
        state.open[id] = entry
        if isShort { note(automerge, id) }
        if automerge.changeCount > before.0 {
            hub.post(.documentChanged(id, by: Set(new.compactMap(\.device))))
        }
        if entry.damaged != before.1 { hub.post(.problemsChanged(id)) }
    }

    /// Returns whether chunks of a document have disappeared without being replaced by a snapshot.
    private func hasLost(
        _ known: [ChunkKey: String], _ left: [ChunkKey: String],
        _ chunks: [ChunkKey: ChunkRecord], without forgotten: Set<DeviceID>
    ) -> Bool {
        guard left.count < known.count else { return false }
        let devices = Set(known.keys.filter { left[$0] == nil }.map(\.device))
        // A snapshot in a replacement file may lack changes from the replaced file.
        let covered = Set(
            chunks.values.filter { $0.isSnapshot && known[$0.key] == nil }.map(\.device)
        ).subtracting(forgotten)
        return !devices.isSubset(of: covered)
    }

    private func announce(_ changes: ChunkIndex.Changes, isOwn: Bool) {
        guard !changes.isEmpty else { return }
        let added = changes.added.values.joined()
        let newest = added.max {
            $0.timestamp ?? .distantPast < $1.timestamp ?? .distantPast
        }
        hub.post(
            .changed(
                StoreChanges(
                    workspaces: changes.workspaces.subtracting(changes.deletedWorkspaces),
                    deletedWorkspaces: changes.deletedWorkspaces, documents: changes.documents,
                    isOwn: isOwn, device: newest?.device,
                    written: added.lazy.compactMap(\.timestamp).min(), subjects: changes.written)))
    }
}
