public import Foundation

/// Synchronizing with a peer, by messages that go back and forth until neither has more to say.
extension Document {
    /// The next message to the peer that `state` is about.
    ///
    /// - Returns: `nil` where both have the same, or an answer is due.
    public func generateSyncMessage(state: SyncState) -> Data? {
        state.withSession { session in
            withEngine { engine in
                engine.nextMessage(&session).map { Data($0.encoded()) }
            }
        }
    }

    /// The next message, also while an answer is due if changes are missing. Call it only after a
    /// message of the peer came, which the answer would have preceded.
    package func generateSyncMessageAskingAgain(state: SyncState) -> Data? {
        state.withSession { session in
            withEngine { engine in
                engine.nextMessageAskingAgain(&session).map { Data($0.encoded()) }
            }
        }
    }

    /// Takes in a message of the peer that `state` is about.
    ///
    /// - Throws: `ReceiveSyncError` for bytes that are not a message, or changes that cannot be
    ///   applied; `state` is as before then.
    public func receiveSyncMessage(state: SyncState, message: Data) throws {
        _ = try receive(state: state, message: message, wantsPatches: false)
    }

    /// Learns from a message what the peer has and needs, and leaves its changes alone: for a
    /// document that the peer may only read.
    ///
    /// - Throws: As ``receiveSyncMessage(state:message:)``.
    package func receiveSyncMessageWithoutChanges(state: SyncState, message: Data) throws {
        _ = try receive(state: state, message: message, wantsPatches: false, takesChanges: false)
    }

    /// Takes in a message and returns what that did to the document.
    ///
    /// - Throws: As ``receiveSyncMessage(state:message:)``.
    public func receiveSyncMessageWithPatches(
        state: SyncState, message: Data
    ) throws -> [Patch] {
        try receive(state: state, message: message, wantsPatches: true)
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
        let result: Result<[Patch], DocError> = state.withSession { session in
            do throws(DocError) {
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
                return .success(patches)
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let patches): return patches
        case .failure(let error):
            throw ReceiveSyncError(.invalidChanges, error.message, cause: error)
        }
    }
}
