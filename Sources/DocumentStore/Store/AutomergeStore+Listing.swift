public import Automerge
public import Foundation
public import Replication
import Synchronization

/// The summary of a workspace in a listing.
public struct WorkspaceSummary: Hashable, Sendable, Identifiable {
    /// The identifier of the workspace and its index document.
    public let id: UUID
    /// The name of the workspace; empty if only chunks have arrived.
    public let name: String
    /// Whether its index document has arrived.
    public let hasIndex: Bool
    /// The number of documents. A document without a snapshot is included if a delta of it has
    /// arrived.
    public let documentCount: Int
}

/// The summary of a document in a listing.
public struct DocumentSummary: Hashable, Sendable, Identifiable {
    /// The document's identifier.
    public let id: UUID
    /// The workspace that contains the document.
    public let workspace: UUID
    /// The number of chunks, on all devices.
    public let chunkCount: Int
    /// The number of snapshots among the chunks.
    public let snapshotCount: Int
    /// Whether the document can be opened, unless chunks are damaged or missing.
    ///
    /// In a package, a document can be opened once a snapshot has arrived. In a storage folder of
    /// automerge-repo, deltas can contain the whole document.
    public let canBeOpened: Bool
    /// The total size of the chunks in bytes.
    public let byteCount: Int
    /// The time when the newest chunk was written; `nil` if unknown.
    public let newest: Timestamp?

    /// Whether the document is the index of its workspace.
    public var isIndex: Bool { id == workspace }
}

/// The problems of an open document.
public struct DocumentProblems: Hashable, Sendable {
    /// The reasons why chunks could not be read completely, by chunk identifier.
    public var damagedChunks: [String: String] = [:]
    /// Missing changes that other changes depend on.
    public var missing: [ChangeHash] = []
    /// The number of changes that depend on missing changes.
    public var waitingCount = 0

    /// Whether the document is free of problems.
    public var isEmpty: Bool { damagedChunks.isEmpty && missing.isEmpty }

    /// A description of each problem.
    public var lines: [String] {
        var lines = damagedChunks.sorted { $0.key < $1.key }.map { "chunk \($0.key): \($0.value)" }
        if let first = missing.first {
            let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
            lines.append(
                (waitingCount == 1 ? "1 change waits" : "\(waitingCount.grouped) changes wait")
                    + " for a change that has not arrived: "
                    + "\(first.debugDescription)\(more)")
        }
        return lines
    }
}

extension AutomergeStore {
    /// The workspaces, sorted by name and then by identifier; empty if the store is closed.
    ///
    /// - Complexity: O(*n* log *n*) in the number of workspaces; no document is opened.
    public var workspaces: [Workspace] {
        let ids = workspaceSummaries.map(\.id)
        return state.withLock { state in
            guard state.phase == .loaded else { return [] }
            return ids.filter { state.index.workspace($0) != nil }.map { handle(of: $0, &state) }
        }
    }

    /// The summaries of the workspaces, sorted by name and then by identifier.
    ///
    /// - Complexity: O(*n* log *n*) in the number of workspaces; no document is opened.
    public var workspaceSummaries: [WorkspaceSummary] {
        state.withLock { state in
            state.index.workspaces.keys.compactMap { summary($0, state) }
        }.sorted { left, right in
            left.name.utf8.elementsEqual(right.name.utf8)
                ? left.id < right.id
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }

    /// Returns the summary of a workspace; `nil` if there is no such workspace.
    public func workspaceSummary(_ id: UUID) -> WorkspaceSummary? {
        state.withLock { summary(id, $0) }
    }

    private func summary(_ id: UUID, _ state: State) -> WorkspaceSummary? {
        guard let workspace = state.index.workspace(id) else { return nil }
        return WorkspaceSummary(
            id: id, name: workspace.name,
            hasIndex: state.index.document(id).map(canBeOpened) ?? false,
            documentCount: workspace.documents.count)
    }

    /// Returns the summaries of a workspace's documents, the index first. If `workspace` is `nil`,
    /// returns the summaries of all documents, sorted by identifier.
    ///
    /// - Complexity: O(*n*) in the number of their chunks; no document is opened.
    public func documentSummaries(in workspace: UUID? = nil) -> [DocumentSummary] {
        let documents: [DocumentSummary] = state.withLock { state in
            guard let workspace else {
                return state.index.documents.keys.compactMap { summary(ofDocument: $0, state) }
            }
            let ids = state.index.workspace(workspace)?.documents ?? []
            return ids.compactMap { summary(ofDocument: $0, state) }
        }
        return documents.sorted { (left: DocumentSummary, right: DocumentSummary) -> Bool in
            if workspace != nil, left.isIndex != right.isIndex { return left.isIndex }
            return left.id < right.id
        }
    }

    /// Returns the summary of a document; `nil` if there is no such document.
    public func documentSummary(_ id: UUID) -> DocumentSummary? {
        state.withLock { summary(ofDocument: id, $0) }
    }

    private func summary(ofDocument id: UUID, _ state: State) -> DocumentSummary? {
        guard let document = state.index.document(id) else { return nil }
        var (snapshots, bytes, newest) = (0, 0, Timestamp?.none)
        for chunk in document.chunks.values {
            if chunk.isSnapshot { snapshots += 1 }
            bytes += chunk.byteCount
            if let timestamp = chunk.timestamp { newest = max(newest ?? timestamp, timestamp) }
        }
        return DocumentSummary(
            id: id, workspace: document.workspace, chunkCount: document.chunks.count,
            snapshotCount: snapshots, canBeOpened: canBeOpened(document), byteCount: bytes,
            newest: newest)
    }

    private func canBeOpened(_ document: ChunkIndex.Document) -> Bool {
        document.hasSnapshot || !hasWorkspaces
    }

    /// Returns the chunks of a document: snapshots first, then deltas in the order of writing.
    public func chunks(of document: UUID) -> [ChunkRecord] {
        state.withLock { $0.index.document(document)?.inOrder ?? [] }
    }

    /// Returns the device of each actor that edits a document.
    ///
    /// A device records its actors when it stores its edits. The result omits actors that two
    /// devices have recorded, and actors that no device has recorded, such as the actors of older
    /// programs and of changes from a network.
    ///
    /// - Complexity: O(*n*) in the number of chunks of the document, and of actors in the chunks.
    public func authors(of document: UUID) -> [ActorId: DeviceID] {
        let chunks = state.withLock { $0.index.document(document)?.chunks.values.map(\.self) ?? [] }
        var claims: [ActorId: Set<DeviceID>] = [:]
        for chunk in chunks {
            guard let device = chunk.device else { continue }
            for actor in chunk.actors.all { claims[actor, default: []].insert(device) }
        }
        return claims.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// Returns the bytes of a chunk; `nil` if they are missing.
    ///
    /// - Throws: `ReplicationError` if the file that contains the chunk can't be read.
    public func contents(of chunk: ChunkRecord) throws -> Data? {
        try state.withLock { _ in try backing.contents(of: [chunk])[chunk.key] }
    }

    /// The number of open documents that callers hold.
    public var openDocumentCount: Int {
        state.withLock { state in state.open.values.count { $0.automerge != nil } }
    }

    /// Returns the problems of a document; `nil` if it isn't open.
    public func problems(of document: UUID) -> DocumentProblems? {
        state.withLock { state in
            guard let entry = state.open[document], let automerge = entry.automerge else {
                return nil
            }
            let chunks = state.index.documents[document]?.chunks ?? [:]
            var damaged: [String: String] = [:]
            for (key, reason) in entry.damaged { damaged[chunks[key]?.id ?? "?"] = reason }
            return DocumentProblems(
                damagedChunks: damaged, missing: automerge.missingChanges(),
                waitingCount: automerge.waitingChangeCount)
        }
    }
}
