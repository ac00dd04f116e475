import Automerge
import Dispatch
import DocumentStore
import Foundation
import Replication
import Synchronization

/// Peers' changes are saved in groups. While many documents arrive, all waiting documents are saved
/// in one transaction. This transaction takes about as long as saving a single document.
extension StoreRepository {
    /// A document with unsaved changes, and the caller that waits until they are saved.
    struct WaitingDocument {
        let id: UUID
        /// The content to add to the store, or `nil` if the document is already in the store.
        let content: Document?
        let done: CheckedContinuation<Void, any Error>
    }

    /// The end and the duration of the last save.
    struct Keeping {
        var end: ContinuousClock.Instant?
        var time: Duration = .zero
    }

    /// If this many documents are waiting, saving starts without waiting for others.
    private static let groupCount = 64
    /// Documents that arrive within this time after the last group wait for others.
    private static let burst: Duration = .milliseconds(50)

    /// Saves a document, possibly together with others that arrive before the save starts. The
    /// document is on disk when this method returns.
    func keep(_ id: UUID, content: Document?) async throws {
        try await withCheckedThrowingContinuation { done in
            let count = waiting.withLock { waiting in
                waiting.append(WaitingDocument(id: id, content: content, done: done))
                return waiting.count
            }
            if count == 1 {
                queue.async { self.keepSoon() }
            } else if count == Self.groupCount {
                queue.async { self.keepWaiting() }
            }
        }
    }

    /// Saves a single document immediately. If many documents arrive, waits up to twice the
    /// duration of the last save, to collect more documents for the next save.
    private func keepSoon() {
        let last = lastKeeping.withLock { $0 }
        guard let end = last.end, .now - end < Self.burst else { return keepWaiting() }
        let pause = min(last.time * 2, .milliseconds(100))
        queue.asyncAfter(
            deadline: .now() + .microseconds(Int(pause / .microseconds(1)))
        ) { self.keepWaiting() }
    }

    private func keepWaiting() {
        let all = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !all.isEmpty else { return }
        let start = ContinuousClock.now
        let failures = write(all)
        lastKeeping.withLock { $0 = Keeping(end: .now, time: .now - start) }
        for one in all {
            if let failure = failures[one.id] {
                one.done.resume(throwing: Self.notSaved(failure))
            } else {
                one.done.resume()
            }
        }
    }

    /// Returns the error of a failed save. The unsaved changes remain in the document, which the
    /// store holds until they are saved.
    private static func notSaved(_ error: any Error) -> any Error {
        // A deleted document can't be created again.
        if let error = error as? DocumentStoreError, [.readOnly, .exists].contains(error.code) {
            return error
        }
        return SyncError(.notSaved, .reason(of: error), cause: error)
    }

    private func write(_ all: [WaitingDocument]) -> [UUID: any Error] {
        var failures: [UUID: any Error] = [:]
        var new: [UUID: Document] = [:]
        for one in all where one.content?.textEncoding == store.textEncoding {
            new[one.id] = one.content
        }
        var made: [AutomergeStore.Document] = []
        do {
            made = try store.newWorkspaces(new)
        } catch let error as ReplicationError where error.code == .busy {
            for id in new.keys { failures[id] = error }
        } catch {
            // The loop below saves each document on its own.
        }
        hold(made)
        var received = Set(all.filter { $0.content == nil }.map(\.id))
        for one in all {
            guard let content = one.content else { continue }
            if failures[one.id] != nil || made.contains(where: { $0.automerge === content }) {
                continue
            }
            do {
                if try open(DocumentID(one.id))?.automerge === content {
                    received.insert(one.id)
                } else {
                    try store.apply(content.save(), to: one.id)
                }
            } catch {
                failures[one.id] = error
            }
        }
        do {
            failures.merge(try store.save(Array(received))) { $1 }
        } catch {
            for id in received { failures[id] = error }
        }
        return failures
    }
}
