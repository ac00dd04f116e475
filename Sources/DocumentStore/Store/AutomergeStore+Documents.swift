public import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Makes a document in a workspace, which is on disk when this returns.
    ///
    /// - Parameter content: What it is to hold from the start; it is the open document from then on.
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.readOnly`, `.unsupported` where each
    ///   document is a workspace of its own; `ReplicationError`.
    public func newDocument(
        in workspace: UUID, content: Automerge.Document? = nil
    ) throws -> Document {
        guard hasWorkspaces else {
            throw DocumentStoreError(
                .unsupported, "a storage folder of automerge-repo has documents, no workspaces")
        }
        let document = content ?? Automerge.Document(textEncoding: configuration.textEncoding)
        return try state.withLock { state in
            _ = try self.workspace(workspace, state)
            let id = UUID()
            try add(document, id, in: workspace, [], &state)
            return Document(id: id, workspace: workspace, automerge: document, store: self)
        }
    }

    /// Stores a new document and opens it.
    func add(
        _ document: Automerge.Document, _ id: UUID, in workspace: UUID,
        _ writes: [BackingWrite], _ state: inout State
    ) throws {
        let stored = document.stored()
        var entry = OpenDocument(
            automerge: document, workspace: workspace, stored: stored.heads)
        let chunks = try write(
            writes + [
                .chunk(
                    workspace: workspace, document: id, isSnapshot: true, data: stored.encoded,
                    heads: stored.heads)
            ], &state)
        for chunk in chunks { entry.applied[chunk.key] = chunk.mark }
        state.open[id] = entry
        arm(document, id)
    }

    /// The document with that identifier, the same object for as long as somebody holds it.
    ///
    /// What is damaged of it is passed over, and named by ``problems(of:)``.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: ``DocumentStoreError``: `.notArrived` where changes of it are there but no
    ///   snapshot, `.unreadable` where nothing of it is sound; `ReplicationError`.
    /// - Complexity: O(*n*) in the number of its operations.
    public func openDocument(_ id: UUID) throws -> Document? {
        try state.withLock { state in
            try state.checkIsLoaded()
            guard let known = state.index.document(id) else { return nil }
            let automerge = try open(id, &state)
            return Document(
                id: id, workspace: known.workspace, automerge: automerge, store: self)
        }
    }

    /// Opens a document that is there, if it is not open already.
    func open(_ id: UUID, _ state: inout State) throws -> Automerge.Document {
        if let automerge = state.open[id]?.automerge { return automerge }
        state.open = state.open.filter { $0.value.automerge != nil }
        guard let known = state.index.document(id), known.hasSnapshot else {
            throw DocumentStoreError(
                .notArrived, "no snapshot of the document \(id) has arrived yet")
        }
        let automerge = Automerge.Document(textEncoding: configuration.textEncoding)
        var entry = OpenDocument(automerge: automerge, workspace: known.workspace)
        var left = takeIn(known.inOrder, automerge, &entry)
        if !left.isEmpty, let news = try? backing.read(isWoken: false) {
            take(news, &state, isOwn: false)
            // Its device has combined chunks since they were listed.
            entry.damaged = [:]
            left = takeIn(
                state.index.document(id)?.inOrder.filter { entry.applied[$0.key] == nil } ?? [],
                automerge, &entry)
        }
        guard !entry.applied.isEmpty || automerge.changeCount > 0 else {
            throw DocumentStoreError(
                .unreadable,
                "nothing of the document \(id) can be read: "
                    + (entry.damaged.values.min() ?? "its chunks are gone"))
        }
        state.open[id] = entry
        arm(automerge, id)
        return automerge
    }

    /// Takes chunks into a document.
    ///
    /// - Returns: Those whose bytes are not there.
    @discardableResult
    func takeIn(
        _ chunks: [ChunkRecord], _ automerge: Automerge.Document, _ entry: inout OpenDocument
    ) -> [ChunkRecord] {
        let contents: [ChunkKey: Data]
        do {
            contents = try backing.contents(of: chunks)
        } catch {
            for chunk in chunks { entry.damaged[chunk.key] = Self.reason(of: error) }
            return chunks
        }
        var left: [ChunkRecord] = []
        for chunk in chunks {
            guard let data = contents[chunk.key] else {
                entry.damaged[chunk.key] = "its bytes are not there"
                left.append(chunk)
                continue
            }
            // A program may be writing the file just now.
            guard !data.isEmpty else {
                entry.damaged[chunk.key] = "it is empty"
                continue
            }
            let taken = automerge.takeIn(data, stored: entry.waiting)
            entry.stored.formUnion(taken.heads)
            entry.waiting.formUnion(taken.waiting)
            if taken.problems.isEmpty {
                entry.applied[chunk.key] = chunk.mark
                entry.damaged[chunk.key] = nil
            } else {
                entry.damaged[chunk.key] = taken.problems.joined(separator: "; ")
            }
        }
        return left
    }

    static func reason(of error: any Error) -> String {
        (error as? any ExplainedError)?.reason ?? "\(error)"
    }

    /// Closes a document: what is edited in it from then on stays in memory.
    ///
    /// - Parameter saving: Whether edits that are not stored yet are stored; they are lost
    ///   otherwise.
    /// - Throws: As ``save()``.
    public func closeDocument(_ id: UUID, saving: Bool = true) throws {
        let workspace = try state.withLock { state -> Workspace? in
            try state.checkIsLoaded()
            try close(id, saving: saving, &state)
            return state.workspaces[id]?.workspace
        }
        workspace?.letGo()
    }

    func close(_ id: UUID, saving: Bool, _ state: inout State) throws {
        guard let automerge = state.open[id]?.automerge else { return }
        if saving { try store(id, &state) }
        automerge.onNextChange(nil)
        edited.withLock { _ = $0.removeValue(forKey: id) }
        state.open[id] = nil
    }

    /// Takes changes of a document that came from elsewhere, such as a network, and stores them.
    /// They are on disk when this returns, those included that wait for others.
    ///
    /// A document that the store does not have becomes the index of a workspace of its own.
    ///
    /// - Parameter encoded: Changes as Automerge encodes them, or a whole document.
    /// - Returns: Whether the store has gained anything by it.
    /// - Throws: `DocError` for damaged bytes, of which the sound changes before the damage are
    ///   stored; ``DocumentStoreError``; `ReplicationError`.
    @discardableResult
    public func apply(_ encoded: Data, to id: UUID) throws -> Bool {
        let isKnown = state.withLock { $0.index.documents[id] != nil }
        guard isKnown else {
            let document = Automerge.Document(textEncoding: configuration.textEncoding)
            try document.applyEncodedChanges(encoded: encoded)
            _ = try newWorkspace(id, index: document)
            return true
        }
        return try state.withLock { state in
            try state.checkIsLoaded()
            let automerge = try open(id, &state)
            let before = (automerge.changeCount, automerge.waitingChangeCount)
            let result = Result { try automerge.applyEncodedChanges(encoded: encoded) }
            if automerge.waitingChangeCount > before.1, (try? result.get()) != nil,
                let workspace = state.open[id]?.workspace
            {
                // What waits is in no delta that the document would make.
                try write(
                    [
                        .chunk(
                            workspace: workspace, document: id, isSnapshot: false, data: encoded,
                            heads: [])
                    ], &state)
            }
            try store(id, &state)
            try result.get()
            return (automerge.changeCount, automerge.waitingChangeCount) != before
        }
    }
}
