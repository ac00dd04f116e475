public import Automerge
public import Foundation
public import Replication
import Synchronization

/// A workspace as a listing tells of it.
public struct WorkspaceSummary: Hashable, Sendable, Identifiable {
    /// The workspace's identifier, which is its index document's too.
    public let id: UUID
    /// What people call it; empty where only chunks of it have come.
    public let name: String
    /// Whether its index document has arrived.
    public let hasIndex: Bool
    /// How many documents it has, those included of which only deltas have arrived.
    public let documentCount: Int
}

/// A document as a listing tells of it.
public struct DocumentSummary: Hashable, Sendable, Identifiable {
    /// The document's identifier.
    public let id: UUID
    /// The workspace that it belongs to.
    public let workspace: UUID
    /// How many chunks there are of it, on all devices.
    public let chunkCount: Int
    /// How many of those are snapshots; without one it cannot be opened.
    public let snapshotCount: Int
    /// How long the chunks are together.
    public let byteCount: Int
    /// When the newest chunk was written; `nil` where that is not known.
    public let newest: Timestamp?

    /// Whether it is the workspace's main document.
    public var isIndex: Bool { id == workspace }
}

/// What is wrong with a document that is open.
public struct DocumentProblems: Hashable, Sendable {
    /// Chunks that could not be read, or not all of them, by identifier, and why.
    public var damagedChunks: [String: String]
    /// Changes that others build on and that have not arrived.
    public var missing: [ChangeHash]
    /// How many changes wait for those.
    public var waitingCount: Int

    /// Whether nothing is.
    public var isEmpty: Bool { damagedChunks.isEmpty && missing.isEmpty }

    /// Each in a line.
    public var lines: [String] {
        var lines = damagedChunks.sorted { $0.key < $1.key }.map { "chunk \($0.key): \($0.value)" }
        if let first = missing.first {
            let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
            lines.append(
                (waitingCount == 1 ? "1 change waits" : "\(waitingCount) changes wait")
                    + " for one that has not arrived: "
                    + "\(first.debugDescription)\(more)")
        }
        return lines
    }
}

extension AutomergeStore {
    /// The workspaces, by name and then identifier.
    ///
    /// - Complexity: O(*n* log *n*) in their number; no document is opened.
    public var workspaces: [WorkspaceSummary] {
        state.withLock { state in
            state.index.workspaces.keys.compactMap { summary($0, state) }
        }.sorted { left, right in
            left.name.utf8.elementsEqual(right.name.utf8)
                ? left.id < right.id
                : left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
        }
    }

    /// One workspace; `nil` where there is none.
    public func workspaceSummary(_ id: UUID) -> WorkspaceSummary? {
        state.withLock { summary(id, $0) }
    }

    private func summary(_ id: UUID, _ state: State) -> WorkspaceSummary? {
        guard let workspace = state.index.workspace(id) else { return nil }
        return WorkspaceSummary(
            id: id, name: workspace.name,
            hasIndex: state.index.document(id)?.hasSnapshot ?? false,
            documentCount: workspace.documents.count)
    }

    /// The documents of a workspace, its index first, or of all, by identifier.
    ///
    /// - Complexity: O(*n*) in the number of their chunks; none is opened.
    public func documents(in workspace: UUID? = nil) -> [DocumentSummary] {
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

    /// One document; `nil` where there is none.
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
            snapshotCount: snapshots, byteCount: bytes, newest: newest)
    }

    /// The chunks of a document: snapshots first, deltas as they were written.
    public func chunks(of document: UUID) -> [ChunkRecord] {
        state.withLock { $0.index.document(document)?.inOrder ?? [] }
    }

    /// The devices that edit a document, by the actor as whom each does.
    ///
    /// Devices say so themselves, when they store what they changed. An actor that none claims, as in
    /// what older programs wrote or came over a network, is left out, and so is one that two claim.
    ///
    /// - Complexity: O(*n*) in the number of its chunks and of the actors that they name.
    public func authors(of document: UUID) -> [ActorId: DeviceID] {
        let chunks = state.withLock { $0.index.document(document)?.chunks.values.map(\.self) ?? [] }
        var claims: [ActorId: Set<DeviceID>] = [:]
        for chunk in chunks {
            guard let device = chunk.device else { continue }
            for actor in chunk.actors.all { claims[actor, default: []].insert(device) }
        }
        return claims.compactMapValues { $0.count == 1 ? $0.first : nil }
    }

    /// The bytes of a chunk; `nil` where they are not there.
    ///
    /// - Throws: `ReplicationError` where the file that they are in cannot be read.
    public func contents(of chunk: ChunkRecord) throws -> Data? {
        try state.withLock { _ in try backing.contents(of: [chunk])[chunk.key] }
    }

    /// How many documents somebody holds open.
    public var openDocumentCount: Int {
        state.withLock { state in state.open.values.count { $0.automerge != nil } }
    }

    /// What is wrong with a document; `nil` while it is not open.
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
