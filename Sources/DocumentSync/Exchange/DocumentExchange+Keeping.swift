import Automerge
import Foundation
import Replication

/// A document with changes of peers that could not be kept.
struct UnkeptDocument {
    /// Tries again and again.
    let trying: Task<Void, Never>
    /// How many bytes came since.
    var bytes = 0
}

extension DocumentExchange {
    /// So many documents, and so many bytes, may wait to be kept while a peer's next messages are
    /// taken in.
    private static let keptAtOnce = (documents: 256, bytes: 8 << 20)

    /// Keeps what came of a document while further messages of its peer are taken in; nothing is
    /// said of it until it is kept.
    ///
    /// - Parameters:
    ///   - document: Where the repository does not have it.
    ///   - isCreated: Whether nobody knew of it here.
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
            do throws(SyncError) {
                try countUnkept(message.data.count, of: message.document)
            } catch {
                peer.failure = peer.failure ?? error
                peer.connection.close(Self.lastMessage(error))
            }
            return
        }
        if isNew, unkept[message.document] == nil { forgetIncomplete(message.document) }
        note(.failed(message.document, failure))
    }

    /// Waits until nothing of a document is being kept, and few others are.
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

    /// Waits until everything that came from a peer is kept, or is known not to be.
    func finishKeeping(from peer: ConnectedPeer) async {
        while let busy = peer.keeping.first?.value { await busy.task.value }
    }

    private func keep(_ document: Document, as id: DocumentID) async throws {
        var kept: Set<ChangeHash> = []
        // Another peer may add to it while it is written.
        repeat {
            kept = document.heads()
            try await repository.add(document, as: id)
        } while document.heads() != kept
        forgetIncomplete(id)
    }

    private func forgetIncomplete(_ id: DocumentID) {
        if let done = incomplete.removeValue(forKey: id) { incompleteBytes -= done.bytes }
    }

    /// Runs `body`, which changes a document or keeps it, and has what cannot be kept tried again.
    func tryingAgain<Result>(
        _ id: DocumentID, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as SyncError where error.code == .notSaved {
            if unkept[id] == nil, !isStopped {
                unkept[id] = UnkeptDocument(trying: tryAgain(id, after: error))
            }
            throw error
        }
    }

    /// Everything that was received of a document is kept now.
    private func noteKept(_ id: DocumentID) async {
        guard let document = unkept.removeValue(forKey: id) else { return }
        document.trying.cancel()
        note(.saved(id))
        await tellPeers(of: id)
    }

    /// - Throws: `SyncError`, `.tooLarge`, where too much waits to be kept.
    func countUnkept(_ byteCount: Int, of id: DocumentID) throws(SyncError) {
        unkept[id]?.bytes += byteCount
        guard unkept.values.reduce(0, { $0 + $1.bytes }) <= limits.incompleteBytes else {
            throw SyncError(
                .tooLarge, "what could not be saved takes too many bytes")
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

    /// - Returns: Why it failed again; `nil` where it did not.
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
        await tellPeers(of: id)
        return nil
    }
}
