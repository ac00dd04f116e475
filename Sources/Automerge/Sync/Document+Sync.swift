public import Foundation

/// Synchronization with a peer. The two sides exchange messages until neither has more to send.
extension Document {
    /// Returns the next message to the peer of `state`.
    ///
    /// - Returns: `nil` if both peers are in sync, or if an answer from the peer is pending.
    public func generateSyncMessage(state: SyncState) -> Data? {
        state.withSession { session in
            withEngine { engine in
                engine.nextMessage(&session).map { Data($0.encoded()) }
            }
        }
    }

    /// Returns the next message. If an answer from the peer is pending and changes are missing, the
    /// message requests them again. Call this method only after the peer has sent another message.
    /// Messages arrive in order, so the pending answer was lost.
    package func generateSyncMessageAskingAgain(state: SyncState) -> Data? {
        state.withSession { session in
            withEngine { engine in
                engine.nextMessageAskingAgain(&session).map { Data($0.encoded()) }
            }
        }
    }

    /// Receives a message from the peer of `state`.
    ///
    /// - Throws: `ReceiveSyncError` for bytes that aren't a message or changes that can't be
    ///   applied. `state` is unchanged in this case.
    public func receiveSyncMessage(state: SyncState, message: Data) throws {
        _ = try receive(state: state, message: message, wantsPatches: false)
    }

    /// Records in `state` which changes the peer has and needs. Ignores the changes in the message.
    /// Use this method for documents that the peer may only read.
    ///
    /// - Throws: The errors of ``receiveSyncMessage(state:message:)``.
    package func receiveSyncMessageWithoutChanges(state: SyncState, message: Data) throws {
        _ = try receive(state: state, message: message, wantsPatches: false, takesChanges: false)
    }

    /// Receives a message and returns the resulting changes to the document as patches.
    ///
    /// - Throws: The errors of ``receiveSyncMessage(state:message:)``.
    public func receiveSyncMessageWithPatches(
        state: SyncState, message: Data
    ) throws -> [Patch] {
        try receive(state: state, message: message, wantsPatches: true)
    }

    /// Returns the number of changes that the peer of `state` may lack. Also returns the peer's
    /// heads that this document lacks, in ascending order.
    ///
    /// - Complexity: O(*n*) in the number of changes.
    package func pendingChanges(
        state: SyncState
    ) -> (unacknowledgedCount: Int, missingHeads: [ChangeHash]) {
        state.withSession { session in
            withEngine { engine in engine.pendingChanges(session) }
        }
    }

    private func receive(
        state: SyncState, message: Data, wantsPatches: Bool, takesChanges: Bool = true
    ) throws(ReceiveSyncError) -> [Patch] {
        var parsed: SyncMessage
        do throws(FormatError) {
            parsed = try SyncMessage(Array(message))
        } catch {
            throw ReceiveSyncError(.malformed, error.message)
        }
        if !takesChanges { parsed.changes = [] }
        do throws(DocError) {
            return try state.withSession { (session) throws(DocError) in
                var changed = session
                let patches = try withEngine { (engine) throws(FormatError) in
                    if wantsPatches {
                        return try engine.patches { (engine) throws(FormatError) in
                            try engine.receive(parsed, &changed)
                        }
                    }
                    try engine.receive(parsed, &changed)
                    return []
                }
                session = changed
                return patches
            }
        } catch {
            throw ReceiveSyncError(.invalidChanges, error.message, cause: error)
        }
    }
}
