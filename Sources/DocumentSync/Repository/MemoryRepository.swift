public import Automerge
public import Foundation
import Synchronization

/// A repository of documents in memory, for programs that share documents without storing them, for
/// caches, and for tests.
public final class MemoryRepository: DocumentRepository {
    private struct State {
        var documents: [DocumentID: Document] = [:]
        var listeners: [Int: AsyncStream<DocumentID>.Continuation] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    /// Creates a repository that holds the documents.
    public init(_ documents: [DocumentID: Document] = [:]) {
        state.withLock { $0.documents = documents }
    }

    /// The document with the given identifier, or `nil` if there is none.
    public subscript(id: DocumentID) -> Document? { state.withLock { $0.documents[id] } }

    /// All identifiers, in ascending order.
    public var ids: [DocumentID] { state.withLock { $0.documents.keys.sorted() } }

    /// Creates an empty document with a new identifier. Call ``noteChange(_:)`` once it has
    /// content.
    public func makeDocument(_ id: DocumentID = DocumentID()) -> Document {
        let document = Document()
        state.withLock { $0.documents[id] = document }
        return document
    }

    /// Notifies exchanges that a document was edited.
    public func noteChange(_ id: DocumentID) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(id) }
    }

    public func documentIDs() async -> [DocumentID] { ids }
    public func document(_ id: DocumentID) async -> Document? { self[id] }

    public func receive(
        _ message: Data, for id: DocumentID, state: SyncState
    ) async throws -> Bool {
        guard let document = self[id] else { return false }
        let before = document.heads()
        try document.receiveSyncMessage(state: state, message: message)
        return document.heads() != before
    }

    public func add(_ document: Document, as id: DocumentID) async throws {
        let existing = state.withLock { state -> Document? in
            if let existing = state.documents[id] { return existing }
            state.documents[id] = document
            return nil
        }
        try existing?.merge(other: document)
    }

    public func localChanges() -> AsyncStream<DocumentID> {
        let (stream, continuation) = AsyncStream<DocumentID>.makeStream()
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}
