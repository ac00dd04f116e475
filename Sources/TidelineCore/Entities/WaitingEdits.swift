import EntityStore
import Foundation
import Replication
import Synchronization

/// Edits of entities that wait for the lock of another program: none of them is written, or seen.
final class WaitingEdits: Sendable {
    struct Waiting: Sendable {
        let id: UUID
        let edit: EntityEdit
        let summary: String
        /// What the entities looked like when a person confirmed the edit.
        let expectation: [Name: String]
    }

    private struct State {
        var waiting: [Waiting] = []
        var reason = ""
        var written: [UUID: EntityUndo] = [:]
        var isRetrying = false
        /// Whether the store is being closed: what still waits is lost, and stays named.
        var isOver = false
    }

    private let state = Mutex(State())

    /// - Returns: The name of the edit.
    func add(
        _ edit: EntityEdit, _ summary: String, expects expectation: [Name: String],
        _ error: any Error
    ) -> UUID {
        let id = UUID()
        state.withLock { state in
            state.waiting.append(
                Waiting(id: id, edit: edit, summary: summary, expectation: expectation))
            state.reason = String(describing: error)
        }
        return id
    }

    /// `nil` also once nothing is written any more.
    var first: Waiting? { state.withLock { $0.isOver ? nil : $0.waiting.first } }

    /// Has nothing written any more: what waits is lost.
    func end() { state.withLock { $0.isOver = true } }

    /// What waits, and why; `nil` for nothing.
    var unsaved: UnsavedChanges? {
        state.withLock { state in
            state.waiting.isEmpty
                ? nil
                : UnsavedChanges(subjects: state.waiting.map(\.summary), reason: state.reason)
        }
    }

    /// Takes an edit out that was written, with what takes it back; `nil`: it cannot be written.
    func remove(_ id: UUID, written undo: EntityUndo?) {
        state.withLock { state in
            if state.isOver, undo == nil { return }
            state.waiting.removeAll { $0.id == id }
            state.written[id] = undo
        }
    }

    /// Takes everything out that waits.
    ///
    /// - Returns: What that was.
    func removeAll() -> [String] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting.map(\.summary)
        }
    }

    func undo(of id: UUID) -> EntityUndo? { state.withLock { $0.written[id] } }

    /// Whether the caller is to retry; until ``endRetrying()`` nobody else is.
    func beginRetrying() -> Bool {
        state.withLock { state in
            defer { state.isRetrying = true }
            return !state.isRetrying
        }
    }

    /// - Returns: Whether nothing waits: else there is more to retry.
    func endRetrying() -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty || state.isOver else { return false }
            state.isRetrying = false
            return true
        }
    }
}

extension EntityContext {
    /// Tries again to write what waits, after ever longer whiles up to half a minute.
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

    /// Tries to write what waits, oldest first.
    ///
    /// - Returns: Whether nothing waits any more.
    func writeWaiting() async -> Bool {
        await turns.take {
            while let next = waiting.first {
                guard let store else { return false }
                do {
                    let undo = try await store.perform(
                        next.edit, ifStampsAre: next.expectation
                    ).undo
                    waiting.remove(next.id, written: undo)
                    if waiting.first == nil { tell("nothing waits to be written") }
                } catch let error as ReplicationError where error.code == .busy {
                    return false
                } catch let error as EntityStoreError where error.code == .changedMeanwhile {
                    waiting.remove(next.id, written: nil)
                    tell("not written: \(next.summary): another device was faster")
                } catch {
                    waiting.remove(next.id, written: nil)
                    tell("not written: \(next.summary): \(error)")
                }
            }
            return true
        }
    }

    /// Takes back what waits: it will not be written.
    ///
    /// - Returns: What that was; not what was written just now.
    func withdrawWaiting() async -> [String] {
        guard waiting.first != nil, let store else { return [] }
        // An attempt that is under way gives up, or succeeds.
        let limit = store.lockPatience.limit
        store.lockPatience.limit = .zero
        defer { store.lockPatience.limit = limit }
        return await turns.take { waiting.removeAll() }
    }
}

/// Lets one at a time do something that takes a while.
actor Turns {
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
