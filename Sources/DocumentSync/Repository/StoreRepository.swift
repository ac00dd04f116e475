public import Automerge
import Dispatch
public import DocumentStore
public import Foundation
public import Replication
import Synchronization

/// A repository of the documents in a store on disk.
///
/// A peer's changes are saved to disk before they are acknowledged. Documents that a peer creates
/// become separate workspaces if the store has workspaces.
///
/// The store is read and written on its own queue, so that slow disks don't block other tasks.
/// Recently used documents stay open.
public final class StoreRepository: DocumentRepository {
    let store: AutomergeStore
    let queue = DispatchQueue(label: "tideline-store-repository")
    /// The recently used documents.
    private let held = Mutex(RecentDocuments())
    /// The documents to save before their changes are acknowledged.
    let waiting = Mutex<[WaitingDocument]>([])
    /// The end and the duration of the last save.
    let lastKeeping = Mutex(Keeping())
    let unwrittenStates = Mutex(UnwrittenStates())
    let scheduler: Scheduler

    /// Creates a repository for a store that watches its files.
    ///
    /// - Parameter scheduler: Runs postponed work.
    public init(_ store: AutomergeStore, scheduler: Scheduler = .dispatch()) {
        self.store = store
        self.scheduler = scheduler
    }

    /// Returns the open document, or `nil` if the store doesn't have it or has too few of the
    /// document's chunks.
    func open(_ id: DocumentID) throws -> AutomergeStore.Document? {
        guard let uuid = id.uuid else { return nil }
        // The store is asked each time because a held document may have been deleted. The store
        // doesn't read held documents again.
        do {
            guard let opened = try store.openDocument(uuid) else { return nil }
            hold([opened])
            return opened
        } catch let error as DocumentStoreError where error.code == .notArrived {
            return nil
        }
    }

    public func documentIDs() async throws -> [DocumentID] {
        store.documentSummaries().map { DocumentID($0.id) }
    }

    public func document(_ id: DocumentID) async throws -> Document? {
        try await queue.run { try self.open(id)?.automerge }
    }

    public func savedDocument(_ id: DocumentID) async throws -> Document? {
        try await queue.run {
            guard let opened = try self.open(id) else { return nil }
            return try self.store.storedDocument(opened.id)
        }
    }

    public func prepare(_ ids: [DocumentID]) async {
        try? await queue.run {
            var uuids: [UUID] = []
            var byteCount = 0
            for uuid in ids.compactMap(\.uuid) {
                byteCount += self.store.documentSummary(uuid)?.byteCount ?? 0
                guard byteCount <= RecentDocuments.mostBytes / 2 else { break }
                uuids.append(uuid)
            }
            self.hold(self.store.openDocuments(uuids))
        }
    }

    func hold(_ documents: [AutomergeStore.Document]) {
        held.withLock { held in
            for document in documents { held.use(document) }
        }
    }

    public func receive(
        _ message: Data, for id: DocumentID, state: SyncState
    ) async throws -> Bool {
        try await queue.run {
            guard let opened = try self.open(id) else { return false }
            let before = opened.automerge.heads()
            try opened.automerge.receiveSyncMessage(state: state, message: message)
            return opened.automerge.heads() != before
        }
    }

    public func keepReceived(_ id: DocumentID) async throws {
        if let uuid = id.uuid { try await keep(uuid, content: nil) }
    }

    public func add(_ document: Document, as id: DocumentID) async throws {
        guard let uuid = id.uuid else {
            throw SyncError(
                .storeFailed, "\(id) is not an identifier of 16 bytes, which a store needs")
        }
        try await keep(uuid, content: document)
    }

    public func localChanges() -> AsyncStream<DocumentID> {
        let events = store.events()
        return AsyncStream { output in
            let reading = Task {
                for await event in events {
                    guard case .changed(let changes) = event else { continue }
                    for id in changes.documents { output.yield(DocumentID(id)) }
                }
                output.finish()
            }
            output.onTermination = { _ in reading.cancel() }
        }
    }
}
