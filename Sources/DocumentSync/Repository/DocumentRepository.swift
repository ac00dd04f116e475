public import Automerge
public import Foundation

/// What synchronizing needs of a store of documents.
///
/// Each call may come from any task, several at once. What is thrown is told as an event; the
/// connection goes on with its other documents.
public protocol DocumentRepository: Sendable {
    /// The documents that there are.
    func documentIDs() async throws -> [DocumentID]

    /// A document as it is now; `nil` where the store does not have it.
    ///
    /// It is only read, and asked for anew each time: a store may let go of it meanwhile.
    func document(_ id: DocumentID) async throws -> Document?

    /// Gets documents ready that are asked for soon, if that saves time.
    func prepare(_ ids: [DocumentID]) async

    /// Takes a peer's sync message into a document that there is.
    ///
    /// What came need not be kept yet: ``keepReceived(_:)`` is called next. One that keeps it here
    /// need not do anything there.
    ///
    /// - Returns: Whether the document is another one now.
    /// - Throws: `SyncError`, `.notSaved`, where the changes are in the document and could not be
    ///   kept: ``keepReceived(_:)`` is called until that succeeds.
    func receive(_ message: Data, for id: DocumentID, state: SyncState) async throws -> Bool

    /// Keeps what ``receive(_:for:state:)`` took in.
    ///
    /// The peer may be told that its changes are here as soon as this returns: they are on disk
    /// then, where the store has a disk. Several documents are kept at once: one transaction may do
    /// for all of them.
    ///
    /// - Throws: `SyncError`, `.notSaved`, where it is worth being tried again.
    func keepReceived(_ id: DocumentID) async throws

    /// Keeps a document under an identifier, or adds its changes to what is kept under it.
    ///
    /// - Throws: `SyncError`, `.notSaved`, where it is worth being tried again.
    func add(_ document: Document, as id: DocumentID) async throws

    /// The documents that change by other means than ``receive(_:for:state:)`` and
    /// ``add(_:as:)``, or come to be, as that happens.
    func localChanges() -> AsyncStream<DocumentID>

    /// What was last shared with a store that is synchronized with again and again; `nil` where
    /// nothing is known of it.
    func syncState(of id: DocumentID, with storageID: String) async throws -> Data?

    /// Keeps what is shared with another store now, where this one keeps such things.
    func keepSyncState(_ state: Data, of id: DocumentID, with storageID: String) async throws
}

extension DocumentRepository {
    /// Does nothing.
    public func prepare(_ ids: [DocumentID]) async {}
    /// Does nothing: what was received was kept then.
    public func keepReceived(_ id: DocumentID) async throws {}
    /// `nil`: nothing is kept, and each connection begins by comparing.
    public func syncState(of id: DocumentID, with storageID: String) async throws -> Data? { nil }
    /// Does nothing.
    public func keepSyncState(
        _ state: Data, of id: DocumentID, with storageID: String
    ) async throws {}
}
