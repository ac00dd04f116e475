public import Foundation

/// Edits a store without a screen, in the same way as the screen. Each edit is previewed. It is
/// written if its rows haven't changed after the preview, and recorded in the change journal. So
/// the screen and commands can undo each other's edits.
public final class StoreEditor: Sendable {
    /// The open store.
    public let session: any StoreSession
    /// The journal of edits to the store.
    public let journal: EditJournal

    /// Opens the store at `path` and waits until it is read.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - opener: The settings for opening.
    ///   - state: The user's state folder, which contains the journal.
    /// - Throws: ``CoreError`` or `ReplicationError` if the store doesn't exist; ``SessionFailure``
    ///   if it can't be read.
    public init(_ path: String, _ opener: StoreOpener, state: UserState) async throws {
        session = try opener.open(path)
        journal = state.journal(ofStoreAt: session.path)
        try await session.waitUntilLoaded()
    }

    /// Returns the source of a pane, named as in the journal.
    ///
    /// - Parameter name: The name of the pane.
    /// - Throws: ``CoreError`` with code `.noAnswer` if the store has no such pane.
    public func source(ofPane name: String) throws(CoreError) -> any RowSource {
        let panes = session.panes
        guard let index = panes.map(\.id).index(ofPaneNamed: name) else {
            throw CoreError(.noAnswer, "the store has no \(name)")
        }
        return panes[index].source
    }

    /// Writes previewed edits of a pane in order and records them as one entry of the journal.
    ///
    /// - Parameter subject: The entry that the edits undo or redo.
    /// - Returns: The combined edit; `nil` if there are no previews.
    /// - Throws: ``EditError`` for the first edit that fails. The edits before it stay written and
    ///   are recorded. `ReplicationError` if the edits are written, but the journal is not.
    public func apply(
        _ previews: [EditPreview], pane: String, _ direction: UndoHistory.Direction = .edit,
        subject: UUID? = nil
    ) async throws -> AppliedEdit? {
        let written = try await source(ofPane: pane).apply(previews)
        var whole = AppliedEdit(written.applied)
        if let edit = whole {
            whole?.isRecorded = try journal.append(
                JournalEntry(edit, direction: direction.kept, pane: pane, subject: subject))
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
    ///   if it no longer exists.
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
