public import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Makes a workspace with its index document, which is on disk when this returns.
    ///
    /// - Parameters:
    ///   - name: What people call it; up to 1,024 bytes.
    ///   - index: What its index document is to hold from the start; it is the open document from
    ///     then on.
    /// - Throws: ``DocumentStoreError``, `.readOnly`, `.invalidName`; `ReplicationError`.
    public func newWorkspace(
        named name: String = "", index: Automerge.Document? = nil
    ) throws -> Workspace {
        try newWorkspace(UUID(), named: name, index: index)
    }

    /// As ``newWorkspace(named:index:)``, with an identifier that comes from elsewhere: that of a
    /// document which another store has.
    ///
    /// - Throws: As that; ``DocumentStoreError``, `.exists` where it is there, or was deleted.
    public func newWorkspace(
        _ id: UUID, named name: String = "", index: Automerge.Document? = nil
    ) throws -> Workspace {
        try Self.check(name)
        let document = index ?? Automerge.Document(textEncoding: configuration.textEncoding)
        return try state.withLock { state in
            guard state.index.workspaces[id] == nil, state.index.documents[id] == nil else {
                throw DocumentStoreError(.exists, "there is a workspace \(text(of: id)) already")
            }
            try add([newIndex(id, named: name, document)], &state)
            return handle(of: id, &state, holding: document)
        }
    }

    private func newIndex(
        _ id: UUID, named name: String, _ document: Automerge.Document
    ) -> NewDocument {
        // A document without a head counts as none in automerge-repo.
        if document.heads().isEmpty {
            document.commitEmpty(message: nil, timestamp: configuration.clock.now.date)
        }
        return NewDocument(
            id: id, workspace: id, document: document,
            writes: hasWorkspaces ? [.workspace(id, name: name)] : [])
    }

    /// Makes a workspace of each of these documents, which came from elsewhere and are the open
    /// documents from then on; all at once, or none where the store has transactions.
    ///
    /// - Returns: Those that were made. What is there already, or was deleted, is left out.
    /// - Throws: As ``newWorkspace(named:index:)``.
    package func newWorkspaces(_ indexes: [UUID: Automerge.Document]) throws -> [Document] {
        try state.withLock { state in
            try state.checkIsLoaded()
            let new = indexes.compactMap { id, document in
                state.index.workspaces[id] == nil && state.index.documents[id] == nil
                    ? newIndex(id, named: "", document) : nil
            }
            if backing.writesTogether {
                if !new.isEmpty { try add(new, &state) }
            } else {
                for one in new { try add([one], &state) }
            }
            return new.map {
                Document(
                    id: $0.id, workspace: $0.id, automerge: $0.document, store: self)
            }
        }
    }

    /// The workspace with that identifier, the same object for as long as somebody holds it.
    ///
    /// Its index may not have arrived yet: ``Workspace/hasIndex``.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: ``DocumentStoreError``, `.closed`.
    public func openWorkspace(_ id: UUID) throws -> Workspace? {
        try state.withLock { state in
            try state.checkIsLoaded()
            guard state.index.workspace(id) != nil else { return nil }
            return handle(of: id, &state, holding: nil)
        }
    }

    private func handle(
        of id: UUID, _ state: inout State, holding index: Automerge.Document?
    ) -> Workspace {
        let known = state.workspaces[id]?.workspace
        let workspace = known ?? Workspace(id, in: self)
        if let index { workspace.hold(index) }
        state.workspaces[id] = WeakWorkspace(workspace: workspace)
        return workspace
    }

    /// Gives a workspace another name, which is on disk when this returns.
    ///
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.invalidName`, `.unsupported` where
    ///   workspaces have no names; `ReplicationError`.
    public func renameWorkspace(_ id: UUID, to name: String) throws {
        try Self.check(name)
        try state.withLock { state in
            let known = try workspace(id, state)
            guard hasWorkspaces else {
                throw DocumentStoreError(
                    .unsupported, "documents have no names in a storage folder of automerge-repo")
            }
            guard known.name != name || known.names.isEmpty else { return }
            try write([.workspace(id, name: name)], after: known.newestName, &state)
        }
    }

    /// Closes a workspace's documents.
    ///
    /// - Parameter saving: Whether edits that are not stored yet are stored; they are lost
    ///   otherwise.
    /// - Throws: As ``save()``.
    public func closeWorkspace(_ id: UUID, saving: Bool = true) throws {
        let held = try state.withLock { state -> Workspace? in
            try state.checkIsLoaded()
            for document in state.open.keys
            where state.index.documents[document]?.workspace == id {
                try close(document, saving: saving, &state)
            }
            return state.workspaces.removeValue(forKey: id)?.workspace
        }
        held?.letGo()
    }

    /// Deletes a workspace with its documents, on every device that this reaches. Edits of them
    /// that are not stored are lost. It cannot be brought back.
    ///
    /// The chunks of other devices stay in their files until those compact.
    ///
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.readOnly`; `ReplicationError`.
    public func deleteWorkspace(_ id: UUID) throws {
        try state.withLock { state in
            let known = try workspace(id, state)
            var writes: [BackingWrite] = [.workspaceDeleted(id)]
            for document in known.documents {
                let own = ownChunks(of: document, state)
                if !own.isEmpty { writes.append(.chunksDeleted(own, of: document)) }
            }
            try write(writes, &state)
        }
    }

    func ownChunks(of document: UUID, _ state: State) -> [ChunkRecord] {
        state.index.documents[document]?.chunks.values.filter { $0.device == ownDevice } ?? []
    }

    /// - Throws: ``DocumentStoreError``, `.closed`, `.noSuchWorkspace`.
    func workspace(_ id: UUID, _ state: State) throws -> ChunkIndex.Workspace {
        try state.checkIsLoaded()
        guard let known = state.index.workspace(id) else {
            throw DocumentStoreError(.noSuchWorkspace, "there is no workspace \(text(of: id))")
        }
        return known
    }

    static let longestName = 1_024

    private static func check(_ name: String) throws {
        guard name.utf8.count <= longestName, !name.utf8.contains(0) else {
            throw DocumentStoreError(
                .invalidName,
                "a workspace's name has up to \(longestName) bytes and no zero byte")
        }
    }
}
