public import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Creates a workspace with an index document. It is on disk when this method returns.
    ///
    /// - Parameters:
    ///   - name: The name of the workspace, at most 1,024 bytes.
    ///   - index: The initial content of the index document. This object becomes the open document.
    /// - Throws: ``DocumentStoreError``, `.readOnly`, `.invalidName`; `ReplicationError`.
    public func newWorkspace(
        named name: String = "", index: Automerge.Document? = nil
    ) throws -> Workspace {
        try newWorkspace(UUID(), named: name, index: index)
    }

    /// Creates a workspace with the identifier of a document in another store.
    ///
    /// - Throws: The errors of ``newWorkspace(named:index:)``; ``DocumentStoreError``, `.exists` if
    ///   the workspace exists or was deleted.
    public func newWorkspace(
        _ id: UUID, named name: String = "", index: Automerge.Document? = nil
    ) throws -> Workspace {
        try Self.check(name)
        let document = index ?? Automerge.Document(textEncoding: configuration.textEncoding)
        return try state.withLock { state in
            guard state.index.workspaces[id] == nil, state.index.documents[id] == nil else {
                let isDeleted =
                    state.index.workspace(id) == nil && state.index.document(id) == nil
                throw DocumentStoreError(
                    .exists,
                    isDeleted
                        ? "the document \(text(of: id)) was deleted"
                        : "the workspace \(text(of: id)) already exists")
            }
            try add([newIndex(id, named: name, document)], &state)
            return handle(of: id, &state, holding: document)
        }
    }

    private func newIndex(
        _ id: UUID, named name: String, _ document: Automerge.Document
    ) -> NewDocument {
        // automerge-repo treats a document without heads as missing.
        if document.heads().isEmpty {
            document.commitEmpty(message: nil, timestamp: configuration.clock.now.date)
        }
        return NewDocument(
            id: id, workspace: id, document: document,
            writes: hasWorkspaces ? [.workspace(id, name: name)] : [])
    }

    /// Creates a workspace for each of these documents, which come from another store and become
    /// the open documents. If the store has transactions, either all workspaces are created or
    /// none.
    ///
    /// - Returns: The new documents. Existing and deleted ones are skipped.
    /// - Throws: The errors of ``newWorkspace(named:index:)``.
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

    /// Returns the workspace with the given identifier. While a caller holds it, every call returns
    /// the same object.
    ///
    /// The workspace's index might not have arrived yet; see ``Workspace/hasIndex``.
    ///
    /// - Returns: `nil` if there is no such workspace.
    /// - Throws: ``DocumentStoreError``, `.closed`.
    public func openWorkspace(_ id: UUID) throws -> Workspace? {
        try state.withLock { state in
            try state.checkIsLoaded()
            guard state.index.workspace(id) != nil else { return nil }
            return handle(of: id, &state)
        }
    }

    func handle(
        of id: UUID, _ state: inout State, holding index: Automerge.Document? = nil
    ) -> Workspace {
        let known = state.workspaces[id]?.workspace
        let workspace = known ?? Workspace(id, in: self)
        if let index { workspace.hold(index) }
        state.workspaces[id] = WeakWorkspace(workspace: workspace)
        return workspace
    }

    /// Renames a workspace. The name is on disk when this method returns.
    ///
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.invalidName`, `.unsupported` if
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

    /// Closes the documents of a workspace.
    ///
    /// - Parameter saving: Whether to save pending edits; otherwise they are lost.
    /// - Throws: The errors of ``save()``.
    public func closeWorkspace(_ id: UUID, saving: Bool = true) throws {
        let held = try state.withLock { state -> Workspace? in
            try state.checkIsLoaded()
            for document in state.open.keys
            where state.index.documents[document]?.workspace == id {
                try close(document, saving: saving, &state)
            }
            return state.workspaces.removeValue(forKey: id)?.workspace
        }
        held?.release()
    }

    /// Deletes a workspace and its documents, on every device that receives the deletion. Pending
    /// edits are lost. The deletion can't be undone.
    ///
    /// The chunks of other devices stay in their files until those devices compact.
    ///
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.readOnly`; `ReplicationError`.
    public func deleteWorkspace(_ id: UUID) throws {
        try state.withLock { state in
            let known = try workspace(id, state)
            var writes: [BackingWrite] = [.workspaceDeleted(id)]
            for document in known.documents {
                let chunks = state.index.documents[document]?.chunks.values
                let own = chunks?.filter { $0.device == ownDevice } ?? []
                if !own.isEmpty { writes.append(.chunksDeleted(own, of: document)) }
            }
            try write(writes, &state)
        }
    }

    /// Returns a workspace that must exist.
    ///
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
                "a workspace name has at most \(longestName) bytes and no zero byte")
        }
    }
}
