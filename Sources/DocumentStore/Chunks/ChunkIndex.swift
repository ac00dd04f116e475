import Foundation
import Replication

/// The contents of a store: its workspaces, their documents, and the chunks of the documents.
struct ChunkIndex: Sendable {
    struct Workspace: Sendable {
        /// The last name that each device gave the workspace.
        var names: [DeviceID?: (name: String, stamp: BackingRead.Stamp)] = [:]
        var deletedBy: Set<DeviceID?> = []
        var documents: Set<UUID> = []

        var isDeleted: Bool { !deletedBy.isEmpty }

        /// The newest name; empty if only chunks have arrived.
        var name: String { names.values.max { $0.stamp < $1.stamp }?.name ?? "" }

        var newestName: Timestamp {
            names.values.max { $0.stamp < $1.stamp }?.stamp.timestamp ?? .distantPast
        }
    }

    struct Document: Sendable {
        let workspace: UUID
        var chunks: [ChunkKey: ChunkRecord] = [:]

        var hasSnapshot: Bool { chunks.values.contains { $0.isSnapshot } }

        /// The chunks in the order for opening the document: the largest snapshot first, deltas as
        /// written.
        var inOrder: [ChunkRecord] { Self.inOrder(Array(chunks.values)) }

        static func inOrder(_ chunks: [ChunkRecord]) -> [ChunkRecord] {
            chunks.sorted { left, right in
                if left.isSnapshot != right.isSnapshot { return left.isSnapshot }
                if left.isSnapshot, left.byteCount != right.byteCount {
                    return left.byteCount > right.byteCount
                }
                if left.timestamp != right.timestamp {
                    return left.timestamp ?? .distantPast < right.timestamp ?? .distantPast
                }
                return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
            }
        }
    }

    private(set) var workspaces: [UUID: Workspace] = [:]
    private(set) var documents: [UUID: Document] = [:]

    /// The items that applying a read has changed.
    struct Changes: Sendable {
        /// Workspaces that were created or renamed, or whose set of documents changed.
        var workspaces: Set<UUID> = []
        var deletedWorkspaces: Set<UUID> = []
        /// Documents whose set of chunks changed.
        var documents: Set<UUID> = []
        /// The new chunks, by document.
        var added: [UUID: [ChunkRecord]] = [:]
        /// The documents and workspaces that each device wrote to.
        var written: [DeviceID: Set<UUID>] = [:]

        var isEmpty: Bool {
            workspaces.isEmpty && deletedWorkspaces.isEmpty && documents.isEmpty
        }
    }

    /// Returns the document; `nil` if its workspace was deleted.
    func document(_ id: UUID) -> Document? {
        guard let found = documents[id], workspaces[found.workspace]?.isDeleted != true else {
            return nil
        }
        return found
    }

    /// Returns the workspace; `nil` if it was deleted.
    func workspace(_ id: UUID) -> Workspace? {
        guard let found = workspaces[id], !found.isDeleted else { return nil }
        return found
    }

    /// Applies the entries of a read.
    ///
    /// - Returns: The changed items.
    /// - Complexity: O(*n*) in the number of new and of discarded entries.
    mutating func take(_ read: BackingRead) -> Changes {
        var changes = Changes()
        if !read.forgotten.isEmpty { forget(read.forgotten, &changes) }
        for entry in read.entries { take(entry, &changes) }
        return changes
    }

    private mutating func take(_ entry: BackingRead.Entry, _ changes: inout Changes) {
        if let device = entry.device {
            changes.written[device, default: []].insert(entry.subject)
        }
        switch entry {
        case .workspace(let id, let name, let stamp):
            if let known = workspaces[id]?.names[stamp.device], stamp < known.stamp { return }
            workspaces[id, default: Workspace()].names[stamp.device] = (name, stamp)
            changes.workspaces.insert(id)
        case .workspaceDeleted(let id, let stamp):
            workspaces[id, default: Workspace()].deletedBy.insert(stamp.device)
            changes.deletedWorkspaces.insert(id)
        case .chunk(let chunk):
            let known = documents[chunk.document]
            // A document stays in the workspace in which it was first seen.
            let workspace = known?.workspace ?? chunk.workspace
            if known == nil {
                workspaces[workspace, default: Workspace()].documents.insert(chunk.document)
                changes.workspaces.insert(workspace)
            }
            documents[chunk.document, default: Document(workspace: workspace)]
                .chunks[chunk.key] = chunk
            changes.documents.insert(chunk.document)
            changes.added[chunk.document, default: []].append(chunk)
        case .chunkDeleted(let key, let id):
            guard documents[id]?.chunks.removeValue(forKey: key) != nil else { return }
            changes.documents.insert(id)
            changes.added[id]?.removeAll { $0.key == key }
            dropIfEmpty(id, &changes)
        }
    }

    private mutating func dropIfEmpty(_ id: UUID, _ changes: inout Changes) {
        guard let document = documents[id], document.chunks.isEmpty else { return }
        documents[id] = nil
        workspaces[document.workspace]?.documents.remove(id)
        changes.workspaces.insert(document.workspace)
        dropIfUnused(document.workspace)
    }

    private mutating func dropIfUnused(_ id: UUID) {
        guard let workspace = workspaces[id] else { return }
        if workspace.names.isEmpty, workspace.documents.isEmpty, !workspace.isDeleted {
            workspaces[id] = nil
        }
    }

    private mutating func forget(_ devices: Set<DeviceID>, _ changes: inout Changes) {
        for (id, document) in documents {
            let removed = document.chunks.keys.filter { $0.device.map(devices.contains) ?? false }
            guard !removed.isEmpty else { continue }
            for key in removed { documents[id]?.chunks[key] = nil }
            changes.documents.insert(id)
            dropIfEmpty(id, &changes)
        }
        for id in workspaces.keys {
            for device in devices {
                let name = workspaces[id]?.names.removeValue(forKey: device)
                let deletion = workspaces[id]?.deletedBy.remove(device)
                if name != nil || deletion != nil { changes.workspaces.insert(id) }
            }
            dropIfUnused(id)
        }
    }
}
