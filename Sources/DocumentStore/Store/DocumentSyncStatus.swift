public import Foundation
public import Replication
import Synchronization

/// The sync status of a document in this program, on disk and on other devices.
public struct DocumentSyncStatus: Hashable, Sendable {
    /// Whether the document has edits that aren't on disk yet.
    public var hasUnsavedEdits: Bool
    /// Changes that have not arrived, and damaged chunks. Empty if the document isn't open.
    public var problems: DocumentProblems
    /// The time of each device's newest chunk of the document. Chunks of stores that don't record
    /// devices or times are left out.
    public var newestWrites: [DeviceID: Timestamp]
    /// The devices whose files can't be read completely now. These files may contain further
    /// changes.
    public var unreadDevices: Set<DeviceID>

    /// Whether the open document has all changes from the files, and all of its edits are on disk.
    ///
    /// Doesn't indicate whether other devices have received the changes, which depends on the sync
    /// service.
    public var isInSync: Bool {
        !hasUnsavedEdits && problems.isEmpty && unreadDevices.isEmpty
    }
}

extension AutomergeStore {
    /// Returns the sync status of a document in this program, on disk and on other devices.
    ///
    /// The events ``AutomergeStoreEvent/saved(_:)``, ``AutomergeStoreEvent/notSaved(_:because:)``,
    /// ``AutomergeStoreEvent/documentChanged(_:by:)``, ``AutomergeStoreEvent/problemsChanged(_:)``
    /// and ``AutomergeStoreEvent/devices(_:)`` report changes of this status.
    ///
    /// - Complexity: O(*n*) in the number of the document's chunks.
    public func syncStatus(of document: UUID) -> DocumentSyncStatus {
        let problems = problems(of: document)
        let isEdited = edited.withLock { $0[document] != nil }
        return state.withLock { state in
            var newest: [DeviceID: Timestamp] = [:]
            for chunk in state.index.document(document)?.chunks.values ?? [:].values {
                guard let device = chunk.device, let timestamp = chunk.timestamp else { continue }
                newest[device] = max(newest[device] ?? timestamp, timestamp)
            }
            let unread = state.statuses.filter { $0.state != .ok && $0.state != .absent }
            return DocumentSyncStatus(
                hasUnsavedEdits: isEdited, problems: problems ?? DocumentProblems(),
                newestWrites: newest, unreadDevices: Set(unread.map(\.device)))
        }
    }
}
