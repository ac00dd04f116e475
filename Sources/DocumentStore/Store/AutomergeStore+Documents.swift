public import Automerge
public import Foundation
import Replication
import Synchronization

extension AutomergeStore {
    /// Creates a document in a workspace. It is on disk when this method returns.
    ///
    /// - Parameter content: The initial content. This object becomes the open document.
    /// - Throws: ``DocumentStoreError``, `.noSuchWorkspace`, `.readOnly`, `.unsupported` if each
    ///   document is a separate workspace; `ReplicationError`.
    public func newDocument(
        in workspace: UUID, content: Automerge.Document? = nil
    ) throws -> Document {
        try newDocument(UUID(), in: workspace, content: content)
    }

    /// Creates a document with the identifier of a document in another store.
    ///
    /// - Throws: The errors of ``newDocument(in:content:)``; ``DocumentStoreError``, `.exists` if
    ///   the document exists.
    public func newDocument(
        _ id: UUID, in workspace: UUID, content: Automerge.Document? = nil
    ) throws -> Document {
        guard hasWorkspaces else {
            throw DocumentStoreError(
                .unsupported, "a storage folder of automerge-repo can't have workspaces")
        }
        let document = content ?? Automerge.Document(textEncoding: configuration.textEncoding)
        return try state.withLock { state in
            _ = try self.workspace(workspace, state)
            guard state.index.documents[id] == nil else {
                throw DocumentStoreError(.exists, "the document \(text(of: id)) already exists")
            }
            try add([NewDocument(id: id, workspace: workspace, document: document)], &state)
            return Document(id: id, workspace: workspace, automerge: document, store: self)
        }
    }

    /// A document to be stored for the first time.
    struct NewDocument {
        let id: UUID
        let workspace: UUID
        let document: Automerge.Document
        /// The writes that precede the document's first chunk.
        var writes: [BackingWrite] = []
    }

    /// Stores new documents, all or none, and opens them.
    func add(_ new: [NewDocument], _ state: inout State) throws {
        var writes: [BackingWrite] = []
        var entries: [UUID: OpenDocument] = [:]
        for one in new {
            let stored = one.document.stored()
            entries[one.id] = OpenDocument(
                automerge: one.document, workspace: one.workspace, stored: stored.heads)
            writes += one.writes
            writes.append(
                .chunk(
                    workspace: one.workspace, document: one.id, isSnapshot: true,
                    data: stored.encoded, heads: stored.heads,
                    actors: ActorList([stored.author].compactMap(\.self))))
        }
        for chunk in try write(writes, &state) {
            entries[chunk.document]?.applied[chunk.key] = chunk.mark
        }
        state.open.merge(entries) { $1 }
        for one in new { arm(one.document, one.id) }
    }

    /// Returns the document with the given identifier. While a caller holds it, every call returns
    /// the same object.
    ///
    /// Damaged chunks are skipped and listed by ``problems(of:)``.
    ///
    /// - Returns: `nil` if there is no such document.
    /// - Throws: ``DocumentStoreError``: `.notArrived` if changes of the document have arrived, but
    ///   not the first ones, `.unreadable` if all of its chunks are damaged; `ReplicationError`.
    /// - Complexity: O(*n*) in the number of its operations.
    public func openDocument(_ id: UUID) throws -> Document? { try openDocument(id, [:]) }

    /// Returns a copy of a document with only the changes that are stored.
    ///
    /// - Returns: `nil` if there is no such document.
    /// - Throws: As ``openDocument(_:)``.
    /// - Complexity: O(*n*) in the number of its operations.
    package func storedDocument(_ id: UUID) throws -> Automerge.Document? {
        guard let document = try openDocument(id) else { return nil }
        let stored = state.withLock { $0.open[id]?.stored ?? [] }
        return try document.automerge.forkAt(heads: stored)
    }

    private func openDocument(_ id: UUID, _ contents: [ChunkKey: Data]) throws -> Document? {
        try state.withLock { state in
            try state.checkIsLoaded()
            return try document(id, &state, contents)
        }
    }

    private func document(
        _ id: UUID, _ state: inout State, _ contents: [ChunkKey: Data]
    ) throws -> Document? {
        guard let known = state.index.document(id) else { return nil }
        let automerge = try open(id, &state, contents)
        return Document(id: id, workspace: known.workspace, automerge: automerge, store: self)
    }

    /// Reads the chunks of the documents that aren't open.
    private func contents(ofClosed ids: [UUID], _ state: State) -> [ChunkKey: Data] {
        guard state.phase == .loaded else { return [:] }
        let closed = ids.filter { state.open[$0]?.automerge == nil }
        let chunks = closed.flatMap { state.index.document($0)?.chunks.values.map { $0 } ?? [] }
        return (try? backing.contents(of: chunks)) ?? [:]
    }

    /// Opens documents that will be used soon, reading their files only once. Skips missing and
    /// incomplete documents.
    package func openDocuments(_ ids: [UUID]) -> [Document] {
        state.withLock { state in
            guard state.phase == .loaded else { return [] }
            let closed = ids.filter { state.open[$0]?.automerge == nil }
            let contents = contents(ofClosed: closed, state)
            return closed.compactMap { try? document($0, &state, contents) }
        }
    }

    /// Opens documents one at a time, reading their files only once.
    ///
    /// A document may take a hundred times as much memory as its chunks, so only one is open at a
    /// time.
    ///
    /// - Parameter body: Called with each identifier and the outcome of ``openDocument(_:)``.
    package func withDocuments(
        _ ids: [UUID], _ body: (UUID, Result<Document?, any Error>) -> Void
    ) {
        let contents = state.withLock { self.contents(ofClosed: ids, $0) }
        for id in ids { body(id, Result { try openDocument(id, contents) }) }
    }

    /// Opens all documents, one at a time. Their files are read in batches.
    ///
    /// - Parameter body: Called with each document and the outcome of ``openDocument(_:)``.
    package func forEachDocument(
        _ body: (DocumentSummary, Result<Document?, any Error>) -> Void
    ) {
        for batch in Self.batches(of: documentSummaries()) {
            let summaries = Dictionary(uniqueKeysWithValues: batch.map { ($0.id, $0) })
            withDocuments(batch.map(\.id)) { id, opened in
                if let summary = summaries[id] { body(summary, opened) }
            }
        }
    }

    private static func batches(of documents: [DocumentSummary]) -> [[DocumentSummary]] {
        let (mostDocuments, mostBytes) = (200, 1 << 20)
        var batches: [[DocumentSummary]] = []
        var bytes = mostBytes
        for document in documents {
            if bytes + document.byteCount > mostBytes || batches.last?.count == mostDocuments {
                batches.append([])
                bytes = 0
            }
            batches[batches.count - 1].append(document)
            bytes += document.byteCount
        }
        return batches
    }

    /// Opens an existing document that isn't already open.
    ///
    /// - Parameters:
    ///   - contents: Chunk bytes that were already read. May include chunks of other documents.
    ///   - canBeIncomplete: Whether the first changes may be missing, because they will be added.
    func open(
        _ id: UUID, _ state: inout State, _ contents: [ChunkKey: Data] = [:],
        canBeIncomplete: Bool = false
    ) throws -> Automerge.Document {
        if let automerge = state.open[id]?.automerge { return automerge }
        state.forgetClosed()
        let notArrived = DocumentStoreError(
            .notArrived, "the first changes of the document \(text(of: id)) have not arrived yet")
        guard let known = state.index.document(id) else { throw notArrived }
        let automerge = Automerge.Document(textEncoding: configuration.textEncoding)
        var entry = OpenDocument(automerge: automerge, workspace: known.workspace)
        var left = takeIn(known.inOrder, automerge, &entry, contents)
        if !left.isEmpty, let read = try? backing.read(isWoken: false) {
            take(read, &state, isOwn: false)
            // The device may have compacted the chunks since the listing.
            entry.damaged = [:]
            left = takeIn(
                state.index.document(id)?.inOrder.filter { entry.applied[$0.key] == nil } ?? [],
                automerge, &entry)
        }
        guard !entry.applied.isEmpty || automerge.changeCount > 0 else {
            throw DocumentStoreError(
                .unreadable,
                "no part of the document \(text(of: id)) can be read: "
                    + (entry.damaged.values.min() ?? "its chunks are missing"))
        }
        // Other programs store short documents only as deltas.
        guard canBeIncomplete || known.hasSnapshot || automerge.changeCount > 0 else {
            throw notArrived
        }
        state.open[id] = entry
        arm(automerge, id)
        return automerge
    }

    /// Applies chunks to a document.
    ///
    /// - Parameter known: Chunk bytes that were already read.
    /// - Returns: The chunks whose bytes are missing.
    @discardableResult
    func takeIn(
        _ chunks: [ChunkRecord], _ automerge: Automerge.Document, _ entry: inout OpenDocument,
        _ known: [ChunkKey: Data] = [:]
    ) -> [ChunkRecord] {
        var contents = known
        do {
            if chunks.contains(where: { known[$0.key] == nil }) {
                contents = try backing.contents(of: chunks)
            }
        } catch {
            for chunk in chunks { entry.damaged[chunk.key] = String.reason(of: error) }
            return chunks
        }
        var left: [ChunkRecord] = []
        for chunk in chunks {
            guard let data = contents[chunk.key] else {
                entry.damaged[chunk.key] = "its bytes are missing"
                left.append(chunk)
                continue
            }
            // Another program may be writing the file.
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

    /// Closes a document. Edits that are made after closing stay in memory and are not saved.
    ///
    /// - Parameter saving: Whether to save pending edits; otherwise they are lost.
    /// - Throws: The errors of ``save()``.
    public func closeDocument(_ id: UUID, saving: Bool = true) throws {
        let workspace = try state.withLock { state -> Workspace? in
            try state.checkIsLoaded()
            try close(id, saving: saving, &state)
            return state.workspaces[id]?.workspace
        }
        workspace?.release()
    }

    func close(_ id: UUID, saving: Bool, _ state: inout State) throws {
        guard let automerge = state.open[id]?.automerge else { return }
        if saving { try store(id, &state) }
        automerge.onNextChange(nil)
        edited.withLock { _ = $0.removeValue(forKey: id) }
        state.open[id] = nil
    }

    /// Applies and stores changes from another source, such as a network. All are on disk when this
    /// method returns, including changes whose dependencies are missing.
    ///
    /// If the store doesn't have the document, it becomes the index of a new workspace. If only
    /// later changes of the document have arrived before, applying the first ones completes it.
    ///
    /// - Parameter encoded: Encoded Automerge changes, or a whole document.
    /// - Returns: Whether the store gained any changes.
    /// - Throws: `DocError` for damaged bytes, after storing the intact changes before the damage;
    ///   ``DocumentStoreError``, `.exists` if the document was deleted; `ReplicationError`.
    @discardableResult
    public func apply(_ encoded: Data, to id: UUID) throws -> Bool {
        let isKnown = state.withLock { $0.index.document(id) != nil }
        guard isKnown else {
            let document = Automerge.Document(textEncoding: configuration.textEncoding)
            try document.applyEncodedChanges(encoded: encoded)
            if workspaceSummary(id) == nil {
                _ = try newWorkspace(id, index: document)
            } else {
                _ = try newDocument(id, in: id, content: document)
            }
            return true
        }
        return try state.withLock { state in
            try state.checkIsLoaded()
            let automerge = try open(id, &state, canBeIncomplete: true)
            let before = (automerge.changeCount, automerge.waitingChangeCount)
            let result = Result { try automerge.applyEncodedChanges(encoded: encoded) }
            if automerge.waitingChangeCount > before.1, (try? result.get()) != nil,
                let workspace = state.open[id]?.workspace
            {
                // The document's deltas never include changes whose dependencies are missing.
                try write(
                    [
                        .chunk(
                            workspace: workspace, document: id, isSnapshot: false, data: encoded,
                            heads: [])
                    ], &state)
            }
            try store(id, &state)
            // Callers must not get a document whose first changes are still missing.
            if automerge.changeCount == 0, state.index.document(id)?.hasSnapshot == false {
                state.open[id] = nil
            }
            try result.get()
            return (automerge.changeCount, automerge.waitingChangeCount) != before
        }
    }
}
