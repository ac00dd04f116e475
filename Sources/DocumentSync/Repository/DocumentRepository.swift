public import Automerge
public import Foundation

/// The operations of a document store that an exchange needs.
///
/// Any task may call these methods, also concurrently. Errors are reported as events, and the
/// connection continues with its other documents.
public protocol DocumentRepository: Sendable {
    /// Returns the identifiers of all documents.
    func documentIDs() async throws -> [DocumentID]

    /// Returns the current document, or `nil` if the store doesn't have it.
    ///
    /// Callers only read the document. They call this method before each use, because a store may
    /// close the document in the meantime.
    func document(_ id: DocumentID) async throws -> Document?

    /// Returns a copy of a document with only its saved changes. Peers receive this copy while other
    /// changes can't be saved. If it is `nil`, peers receive nothing of the document until then.
    func savedDocument(_ id: DocumentID) async throws -> Document?

    /// Prepares documents that will be requested soon, if this saves time.
    func prepare(_ ids: [DocumentID]) async

    /// Applies a peer's sync message to an existing document.
    ///
    /// The changes need not be saved yet, because ``keepReceived(_:)`` is called next. If this
    /// method saves them, ``keepReceived(_:)`` can do nothing.
    ///
    /// - Returns: Whether the document changed.
    /// - Throws: `SyncError` with code `.notSaved` if the document contains the changes but they
    ///   could not be saved. ``keepReceived(_:)`` is then called until it succeeds.
    func receive(_ message: Data, for id: DocumentID, state: SyncState) async throws -> Bool

    /// Saves the changes that ``receive(_:for:state:)`` applied.
    ///
    /// As soon as this method returns, the changes may be acknowledged to the peer. So if the store
    /// has a disk, they must be on disk. Calls for several documents may overlap, so one
    /// transaction can save all of them.
    ///
    /// - Throws: `SyncError` with code `.notSaved` if saving should be retried.
    func keepReceived(_ id: DocumentID) async throws

    /// Saves a document with the given identifier, or adds its changes to the existing document.
    ///
    /// - Throws: `SyncError` with code `.notSaved` if saving should be retried.
    func add(_ document: Document, as id: DocumentID) async throws

    /// Returns the identifiers of documents when they are created or changed, except by
    /// ``receive(_:for:state:)`` and ``add(_:as:)``.
    func localChanges() -> AsyncStream<DocumentID>

    /// Returns the stored sync state of a document with another store, or `nil` if there is none.
    func syncState(of id: DocumentID, with storageID: String) async throws -> Data?

    /// Stores the sync state of a document with another store, if this repository stores sync
    /// states.
    func keepSyncState(_ state: Data, of id: DocumentID, with storageID: String) async throws
}

extension DocumentRepository {
    /// Returns `nil`.
    public func savedDocument(_ id: DocumentID) async throws -> Document? { nil }
    /// Does nothing.
    public func prepare(_ ids: [DocumentID]) async {}
    /// Does nothing, because received changes are already saved.
    public func keepReceived(_ id: DocumentID) async throws {}
    /// Returns `nil`. No states are stored, and each connection starts with a comparison.
    public func syncState(of id: DocumentID, with storageID: String) async throws -> Data? { nil }
    /// Does nothing.
    public func keepSyncState(
        _ state: Data, of id: DocumentID, with storageID: String
    ) async throws {}
}
