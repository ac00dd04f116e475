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
    /// Runs `body`, which changes a document and keeps it, and has what cannot be kept tried again.
    func whileKeeping<Result>(
        _ id: DocumentID, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            if let document = unkept.removeValue(forKey: id) {
                document.trying.cancel()
                note(.saved(id))
                await tellPeers(of: id)
            }
            return result
        } catch let error as SyncError where error.code == .notSaved {
            if unkept[id] == nil, !isStopped {
                unkept[id] = UnkeptDocument(trying: tryingAgain(id, after: error))
            }
            throw error
        }
    }

    /// - Throws: `SyncError`, `.tooLarge`, where too much waits to be kept.
    func countUnkept(_ byteCount: Int, of id: DocumentID) throws(SyncError) {
        unkept[id]?.bytes += byteCount
        guard unkept.values.reduce(0, { $0 + $1.bytes }) <= limits.incompleteBytes else {
            throw SyncError(
                .tooLarge, "what could not be saved has too many bytes together")
        }
    }

    private func tryingAgain(_ id: DocumentID, after first: SyncError) -> Task<Void, Never> {
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
