import Automerge
import Dispatch
import DocumentStore
import Foundation
import Replication
import Synchronization

/// What peers send is written in groups: while many documents come, those that wait share a
/// transaction, which costs about what one of them would alone.
extension StoreRepository {
    /// A document whose changes are to be on disk, and who waits for that.
    struct WaitingDocument {
        let id: UUID
        /// What is added to the store; `nil` for what was received by a document of the store.
        let content: Document?
        let done: CheckedContinuation<Void, any Error>
    }

    /// When documents were written last, and how long that took.
    struct Keeping {
        var end: ContinuousClock.Instant?
        var time: Duration = .zero
    }

    /// No more than these wait for company.
    private static let groupCount = 64
    /// Whoever comes within this time after the last group waits for others.
    private static let burst: Duration = .milliseconds(50)

    /// Writes a document, perhaps together with others that come meanwhile; it is on disk when this
    /// returns.
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

    /// Writes at once what comes alone. In a burst, up to twice the time that the last writing took
    /// goes to taking in what is to be written next.
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

    /// What failed to be stored is in the document, which the store keeps until it is stored.
    private static func notSaved(_ error: any Error) -> any Error {
        if let error = error as? DocumentStoreError, error.code == .readOnly { return error }
        return SyncError(.notSaved, SyncError.explanation(error), cause: error)
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
            // Each is tried by itself.
        }
        hold(made)
        var received = Set(all.filter { $0.content == nil }.map(\.id))
        for one in all {
            guard let content = one.content else { continue }
            if failures[one.id] != nil || made.contains(where: { $0.automerge === content }) {
                continue
            }
            do {
                if try store.openDocument(one.id)?.automerge === content {
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
