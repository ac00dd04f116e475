public import Automerge
import Dispatch
public import DocumentStore
public import Foundation
public import Replication
import Synchronization

/// The documents of a store on disk, for an exchange with peers.
///
/// What a peer sends is on disk before the peer is told that it is here. Documents that a peer brings
/// become workspaces of their own, where the store has workspaces.
///
/// The store is read and written on a queue of its own, so that waiting for a disk holds up nobody
/// else; the documents that were used last stay open.
public final class StoreRepository: DocumentRepository {
    let store: AutomergeStore
    let queue = DispatchQueue(label: "tideline-store-repository")
    /// The documents used last, the newest last. Touched on the queue alone.
    private nonisolated(unsafe) var held: [(id: UUID, document: AutomergeStore.Document)] = []
    let unwrittenStates = Mutex(UnwrittenStates())
    let scheduler: Scheduler
    private static let heldCount = 64

    /// A repository over a store that watches its files.
    ///
    /// - Parameter scheduler: Runs what is put off.
    public init(_ store: AutomergeStore, scheduler: Scheduler = .dispatch()) {
        self.store = store
        self.scheduler = scheduler
    }

    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { waiting in
            queue.async { waiting.resume(with: Swift.Result(catching: body)) }
        }
    }

    /// The open document; `nil` where the store does not have it, or only parts that open nothing.
    private func open(_ id: DocumentID) throws -> AutomergeStore.Document? {
        guard let uuid = id.uuid else { return nil }
        if let index = held.lastIndex(where: { $0.id == uuid }) {
            held.append(held.remove(at: index))
        }
        // Asked each time: what was held may have been deleted. What is held is not read again.
        let opened: AutomergeStore.Document?
        do {
            opened = try store.openDocument(uuid)
        } catch let error as DocumentStoreError where error.code == .notArrived {
            return nil
        }
        guard let opened else { return nil }
        if held.last?.document.automerge !== opened.automerge {
            held.removeAll { $0.id == uuid }
            held.append((uuid, opened))
            if held.count > Self.heldCount { held.removeFirst() }
        }
        return opened
    }

    /// What failed to be stored is in the document, which the store keeps until it is stored.
    private func storing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DocumentStoreError where error.code == .readOnly {
            throw error
        } catch {
            throw SyncError(.notSaved, SyncError.explanation(error), cause: error)
        }
    }

    public func documentIDs() async throws -> [DocumentID] {
        store.documents().map { DocumentID($0.id) }
    }

    public func document(_ id: DocumentID) async throws -> Document? {
        try await onQueue { try self.open(id)?.automerge }
    }

    public func receive(
        _ message: Data, for id: DocumentID, state: SyncState
    ) async throws -> Bool {
        try await onQueue {
            guard let opened = try self.open(id) else { return false }
            let before = opened.automerge.heads()
            try opened.automerge.receiveSyncMessage(state: state, message: message)
            let isOther = opened.automerge.heads() != before
            if isOther { try self.storing { try opened.save() } }
            return isOther
        }
    }

    public func keepReceived(_ id: DocumentID) async throws {
        try await onQueue {
            // One that was deleted meanwhile has nothing to keep.
            if let opened = try self.open(id) { try self.storing { try opened.save() } }
        }
    }

    public func add(_ document: Document, as id: DocumentID) async throws {
        guard let uuid = id.uuid else {
            throw SyncError(
                .storeFailed, "\(id) is not the identifier of 16 bytes that a store can keep")
        }
        try await onQueue {
            _ = try self.storing { try self.store.apply(document.save(), to: uuid) }
        }
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
