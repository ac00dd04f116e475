public import Automerge
public import Foundation
import Replication
import Synchronization

/// A repository of documents in memory, for programs that share documents without storing them, for
/// caches, and for tests.
public final class MemoryRepository: DocumentRepository {
    private let documents: Mutex<[DocumentID: Document]>
    private let changes = EventHub<DocumentID>()

    /// Creates a repository that holds the documents.
    public init(_ documents: [DocumentID: Document] = [:]) { self.documents = Mutex(documents) }

    /// The document with the given identifier, or `nil` if there is none.
    public subscript(id: DocumentID) -> Document? { documents.withLock { $0[id] } }

    /// All identifiers, in ascending order.
    public var ids: [DocumentID] { documents.withLock { $0.keys.sorted() } }

    /// Creates an empty document with a new identifier. Call ``noteChange(_:)`` once it has
    /// content.
    public func makeDocument(_ id: DocumentID = DocumentID()) -> Document {
        let document = Document()
        documents.withLock { $0[id] = document }
        return document
    }

    /// Notifies exchanges that a document was edited.
    public func noteChange(_ id: DocumentID) { changes.post(id) }

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
        let existing = documents.withLock { documents -> Document? in
            if let existing = documents[id] { return existing }
            documents[id] = document
            return nil
        }
        try existing?.merge(other: document)
    }

    public func localChanges() -> AsyncStream<DocumentID> { changes.events() }
}
