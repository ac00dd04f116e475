public import Foundation

/// Edits a store without a screen, in the same way as the screen. An edit is written only if its
/// rows haven't changed since it was planned. It is recorded in the change journal, so that the
/// screen and commands can undo each other's edits.
///
/// An editor opens the data models that the edits are about, so that a damaged file of another data
/// model doesn't prevent an edit. The caller decides which edits are recorded.
public final class StoreEditor: Sendable {
    /// The open store.
    public let session: any StoreSession
    /// The journal of the device's edits to the store.
    public let journal: EditJournal

    /// Creates an editor of a store that is open and read.
    ///
    /// - Parameter state: The user's state folder, which contains the journal.
    public init(_ session: any StoreSession, state: UserState) {
        self.session = session
        journal = state.journal(ofStoreAt: session.path, by: session.status.ownDevice)
    }

    /// Opens the store at `path` and waits until it is read.
    ///
    /// - Parameter state: The user's state folder, which contains the journal.
    /// - Throws: ``CoreError`` or `ReplicationError` if the store doesn't exist; ``SessionFailure``
    ///   if it can't be read.
    public convenience init(_ path: String, _ opener: StoreOpener, state: UserState) async throws {
        self.init(try opener.open(path), state: state)
        try await session.waitUntilLoaded()
    }

    /// Returns the source of a pane, named as in the journal.
    ///
    /// - Throws: ``CoreError`` with code `.noAnswer` if the store has no such pane.
    public func source(ofPane name: String) throws(CoreError) -> any RowSource {
        let panes = session.panes
        guard let index = panes.map(\.id).index(ofPaneNamed: name) else {
            throw CoreError(.noAnswer, "the store has no \(name)")
        }
        return panes[index].source
    }

    /// Returns the name of the pane that undoes an entry of the journal.
    public func paneName(undoing entry: UndoHistory.Entry) -> String {
        let panes = session.panes.map(\.id)
        return panes.index(undoing: entry).map { panes[$0].text } ?? entry.pane
    }

    /// Writes previewed edits of a pane in order and records them as one entry of the journal.
    ///
    /// - Parameter subject: The entry that the edits undo or redo.
    /// - Returns: The combined edit; `nil` if there are no previews.
    /// - Throws: ``EditError`` for the first edit that fails. The edits before it are recorded.
    public func apply(
        _ previews: [EditPreview], pane: String, _ direction: UndoHistory.Direction = .edit,
        subject: UUID? = nil
    ) async throws -> AppliedEdit? {
        let written = try await source(ofPane: pane).apply(previews)
        let whole = AppliedEdit(written.applied).map {
            journal.record($0, pane: pane, direction, subject: subject)
        }
        if let failure = written.failure { throw failure }
        return whole
    }

    /// Closes the store.
    ///
    /// - Returns: The edits that waited for another program and could not be written.
    public func close() async -> UnsavedChanges? {
        await session.close()
        return session.status.unsaved
    }
}

extension StoreSession {
    /// Waits until everything has been read.
    ///
    /// - Throws: ``SessionFailure`` if the store can't be read; ``CoreError`` with code `.notFound`
    ///   if the store no longer exists.
    public func waitUntilLoaded() async throws {
        // Subscribe before checking the status, so that no change in between is missed.
        let events = events()
        if try isLoaded { return }
        for await _ in events where try isLoaded { return }
    }

    private var isLoaded: Bool {
        get throws {
            switch status.phase {
            case .loading: return false
            case .live: return true
            case .failed(let failure): throw failure
            case .missing: throw CoreError(.notFound, "\(path) no longer exists")
            }
        }
    }
}
