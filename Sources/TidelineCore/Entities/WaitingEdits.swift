import EntityStore
import Foundation
import Replication
import Synchronization

/// Edits of entities that wait for another program's lock, and are neither written nor visible.
final class WaitingEdits: Sendable {
    struct Waiting: Sendable {
        let id: UUID
        let edit: EntityEdit
        let summary: String
        /// The stamps of the entities when the user confirmed the edit.
        let expectation: [Name: String]
    }

    private struct State {
        var waiting: [Waiting] = []
        var reason = ""
        var written: [UUID: EntityUndo] = [:]
        var isRetrying = false
        /// Whether the store is being closed. Edits that still wait are lost, but stay in the list.
        var isOver = false
    }

    private let state = Mutex(State())

    /// Adds an edit.
    ///
    /// - Returns: The identifier of the edit.
    func add(
        _ edit: EntityEdit, _ summary: String, expects expectation: [Name: String],
        because reason: String
    ) -> UUID {
        let id = UUID()
        state.withLock { state in
            state.waiting.append(
                Waiting(id: id, edit: edit, summary: summary, expectation: expectation))
            state.reason = reason
        }
        return id
    }

    /// The first waiting edit; `nil` if there is none or writing has stopped.
    var first: Waiting? { state.withLock { $0.isOver ? nil : $0.waiting.first } }

    /// Stops writing; waiting edits are lost.
    func end() { state.withLock { $0.isOver = true } }

    /// The waiting edits and the reason; `nil` if there are none.
    var unsaved: UnsavedChanges? {
        state.withLock { state in
            state.waiting.isEmpty
                ? nil
                : UnsavedChanges(subjects: state.waiting.map(\.summary), reason: state.reason)
        }
    }

    /// Removes an edit. `undo` is the undo data if the edit was written, and known to be on disk.
    func remove(_ id: UUID, written undo: EntityUndo?) {
        state.withLock { state in
            if state.isOver, undo == nil { return }
            state.waiting.removeAll { $0.id == id }
            state.written[id] = undo
        }
    }

    /// Removes all waiting edits.
    ///
    /// - Returns: Their summaries.
    func removeAll() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.map(\.summary)
        }
    }

    func undo(of id: UUID) -> EntityUndo? { state.withLock { $0.written[id] } }

    /// Returns whether the caller should retry the edits. If so, the result for other callers is
    /// `false` until ``endRetrying()`` is called.
    func beginRetrying() -> Bool {
        state.withLock { state in
            defer { state.isRetrying = true }
            return !state.isRetrying
        }
    }

    /// Ends retrying.
    ///
    /// - Returns: Whether no edits are waiting. Otherwise, the caller must continue to retry them.
    func endRetrying() -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty || state.isOver else { return false }
            state.isRetrying = false
            return true
        }
    }
}

extension EntityContext {
    /// Retries the waiting edits with increasing delays of up to half a minute.
    func retryWaiting() {
        guard waiting.beginRetrying() else { return }
        Task { [weak self] in
            var delay = Duration.milliseconds(500)
            while let self, !waiting.endRetrying() {
                try? await Task.sleep(for: delay)
                delay = await writeWaiting() ? .milliseconds(500) : min(delay * 2, .seconds(30))
            }
        }
    }

    /// Tries to write the waiting edits, oldest first.
    ///
    /// - Returns: Whether no more edits are waiting.
    func writeWaiting() async -> Bool {
        await turns.take {
            while let next = waiting.first {
                guard let store else { return false }
                do {
                    let undo = try await store.perform(
                        next.edit, ifStampsAre: next.expectation
                    ).undo
                    waiting.remove(next.id, written: undo)
                    if waiting.first == nil { report("all changes are saved") }
                } catch let error as ReplicationError where error.code == .busy {
                    return false
                } catch let error as ReplicationError where error.code == .unconfirmed {
                    // The edit is written, and an event of the store reports it.
                    waiting.remove(next.id, written: nil)
                } catch let error as EntityStoreError where error.code == .changedSinceRead {
                    waiting.remove(next.id, written: nil)
                    report("not written: \(next.summary): another device has changed it")
                } catch {
                    waiting.remove(next.id, written: nil)
                    report("not written: \(next.summary): \(error)")
                }
            }
            return true
        }
    }

    /// Withdraws the waiting edits.
    ///
    /// - Returns: The summaries of the withdrawn edits, without edits that were just written.
    func withdrawWaiting() async -> [String] {
        guard waiting.first != nil, let store else { return [] }
        // If the limit is zero, a running attempt stops waiting for the lock.
        let limit = store.lockWait.limit
        store.lockWait.limit = .zero
        defer { store.lockWait.limit = limit }
        return await turns.take { waiting.removeAll() }
    }
}

/// Runs asynchronous operations one at a time.
actor SerialRunner {
    private var isTaken = false
    private var queue: [CheckedContinuation<Void, Never>] = []

    func take<Result: Sendable>(
        _ body: @Sendable () async -> Result
    ) async -> Result {
        if isTaken {
            await withCheckedContinuation { queue.append($0) }
        }
        isTaken = true
        let result = await body()
        if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
        return result
    }
}
