import Automerge
import Replication

/// A document with peers' changes that could not be saved.
struct UnsavedDocument {
    /// The task that retries saving.
    let trying: Task<Void, Never>
    /// A copy with only the saved changes, once a peer needs it.
    var saved: Document?
    /// The number of bytes received since saving failed.
    var bytes = 0
}

extension DocumentExchange {
    /// The maximum number and size of documents that are saved while a peer's next messages are
    /// processed.
    private static let keptAtOnce = (documents: 256, bytes: 8 << 20)

    /// Saves received changes of a document while the peer's next messages are processed. Nothing
    /// is sent about the document until it is saved.
    ///
    /// - Parameters:
    ///   - document: The received document, if the repository doesn't have it yet.
    ///   - isCreated: Whether the document is new to this side.
    func startKeeping(
        _ message: PeerMessage.DocumentMessage, _ summary: SyncMessageSummary,
        new document: Document? = nil, isCreated: Bool = false, from peer: ConnectedPeer
    ) {
        let id = message.document
        beginReceiving(id)
        let task = Task {
            do {
                try await tryingAgain(id) {
                    if let document {
                        try await keep(document, as: id)
                    } else {
                        try await repository.keepReceived(id)
                    }
                }
                await noteKept(id)
                if isCreated { note(.created(id, peer.id)) }
                await noteReceived(message, summary, from: peer)
            } catch {
                noteFailure(error, message, isNew: document != nil, from: peer)
            }
            endReceiving(id)
            peer.keeping[id] = nil
        }
        peer.keeping[id] = (task, max(message.data.count, document?.memoryEstimate ?? 0))
    }

    private func noteFailure(
        _ error: any Error, _ message: PeerMessage.DocumentMessage, isNew: Bool,
        from peer: ConnectedPeer
    ) {
        let failure = error as? SyncError ?? Self.failure(of: error)
        if failure.code == .notSaved {
            noteProblem(failure.message, about: message.document, of: peer)
            do throws(SyncError) {
                try countUnkept(message.data.count, of: message.document)
            } catch {
                peer.failure = peer.failure ?? error
                peer.connection.close(Self.lastMessage(error))
            }
            return
        }
        if isNew, unkept[message.document] == nil {
            forgetIncomplete(message.document)
            // A postponed message would request the same changes again.
            peer.shares[message.document]?.isPutOff = false
            peer.shares[message.document]?.owesUnavailable = true
            peer.enqueue(message.document)
        }
        fail(message.document, failure, with: peer)
    }

    /// Waits until no changes of the document are being saved. Also waits until only a few other
    /// documents are being saved.
    func makeRoom(for id: DocumentID, of peer: ConnectedPeer) async {
        while true {
            let isFull =
                peer.keeping.count >= Self.keptAtOnce.documents
                || peer.keeping.values.reduce(0) { $0 + $1.byteCount } > Self.keptAtOnce.bytes
            guard let busy = peer.keeping[id] ?? (isFull ? peer.keeping.first?.value : nil) else {
                return
            }
            await busy.task.value
        }
    }

    /// Waits until each change from a peer is saved or has failed to be saved.
    func finishKeeping(from peer: ConnectedPeer) async {
        while let busy = peer.keeping.first?.value { await busy.task.value }
    }

    private func keep(_ document: Document, as id: DocumentID) async throws {
        var kept: Set<ChangeHash> = []
        // Another peer may add changes during the save.
        repeat {
            kept = document.heads()
            try await repository.add(document, as: id)
        } while document.heads() != kept
        forgetIncomplete(id)
    }

    private func forgetIncomplete(_ id: DocumentID) {
        if let done = incomplete.removeValue(forKey: id) { incompleteBytes -= done.bytes }
    }

    /// Runs `body`, which changes or saves a document. If saving fails, saving is retried later.
    func tryingAgain<Result>(
        _ id: DocumentID, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as SyncError where error.code == .notSaved {
            if unkept[id] == nil, !isStopped {
                unkept[id] = UnsavedDocument(trying: tryAgain(id, after: error))
            }
            throw error
        }
    }

    /// Returns a copy of a document with only its saved changes, to send to a peer while other
    /// changes can't be saved.
    ///
    /// - Returns: `nil` if all changes are saved, or if nothing can be sent: none of the changes is
    ///   saved, or the peer has unsaved ones, which can't be acknowledged yet.
    func savedPart(
        of id: DocumentID, _ document: Document?, for state: SyncState
    ) async -> Document? {
        // The peer that sent the unsaved changes usually has all changes. It needs no copy.
        guard let unsaved = unkept[id], let document, document.heads() != Set(state.sharedHeads)
        else { return nil }
        if unsaved.saved == nil {
            let saved = try? await repository.savedDocument(id)
            unkept[id]?.saved = saved
        }
        guard let saved = unkept[id]?.saved, !saved.heads().isEmpty,
            state.sharedHeads.allSatisfy({ saved.change(hash: $0) != nil })
        else { return nil }
        return saved
    }

    /// Notes that all received changes of a document are saved.
    private func noteKept(_ id: DocumentID) async {
        guard let document = unkept.removeValue(forKey: id) else { return }
        document.trying.cancel()
        note(.saved(id))
        await notifyPeers(of: id)
    }

    /// Counts bytes that could not be saved.
    ///
    /// - Throws: `SyncError` with code `.tooLarge` if there are too many.
    func countUnkept(_ byteCount: Int, of id: DocumentID) throws(SyncError) {
        unkept[id]?.bytes += byteCount
        guard unkept.values.reduce(0, { $0 + $1.bytes }) <= limits.incompleteBytes else {
            throw SyncError(
                .tooLarge, "the changes that could not be saved take too many bytes")
        }
    }

    private func tryAgain(_ id: DocumentID, after first: SyncError) -> Task<Void, Never> {
        Task { [weak self, scheduler, pauses] in
            var error = first
            var failures = 1
            while !Task.isCancelled {
                let pause = pauses.pause(afterFailures: failures, random: .random(in: 0...1))
                self?.note(.notSaved(id, error, tryingAgainAfter: pause))
                await scheduler.sleep(for: pause)
                guard !Task.isCancelled, let failure = await self?.keepAgain(id) else { return }
                error = failure
                failures += 1
            }
        }
    }

    /// Tries to save a document again.
    ///
    /// - Returns: The error if saving failed again; otherwise `nil`.
    private func keepAgain(_ id: DocumentID) async -> SyncError? {
        do {
            try await whileReceiving(id) {
                if let begun = incomplete[id]?.document, !begun.heads().isEmpty {
                    try await keep(begun, as: id)
                } else {
                    try await repository.keepReceived(id)
                }
            }
        } catch {
            return Self.failure(of: error)
        }
        guard unkept.removeValue(forKey: id) != nil else { return nil }
        note(.saved(id))
        await notifyPeers(of: id)
        return nil
    }
}
