import Dispatch
import Foundation
import Synchronization

/// The state of a store that a part opens and follows: its phase, and the tasks that read it.
final class StoreLifecycle<Store: Sendable>: Sendable {
    private let stage: String
    private let subject: String
    private let pause: Duration
    /// The time that another program may take to complete a file that can't be read yet.
    let patience: Duration
    private let queue = DispatchQueue(label: "tideline-part", qos: .userInitiated)
    private let state = Mutex(State())

    private struct State {
        /// Whether the store has been read at least once.
        var isRead = false
        var isMissing = false
        /// The reason why the last attempt to open or read the store failed.
        var failure: SessionFailure?
        /// Whether loading has ended with an error.
        var isStopped = false
        /// Whether the watcher has reported changes that aren't handled yet.
        var isOutdated = false
        var loading: Task<Store, any Error>?
        var following: Task<Void, Never>?
        var watcher: (any Sendable)?
        /// The receiver of events; `nil` before the part is started and after it is closed.
        var emit: (@Sendable (SessionEvent) -> Void)?
    }

    /// Creates the state of a store that isn't open yet.
    ///
    /// - Parameters:
    ///   - stage: The description of loading, for the header.
    ///   - subject: The word for the store in events.
    ///   - pause: The time to wait after a change, because programs write a file in several steps.
    init(
        stage: String, subject: String = "store", pause: Duration = .zero,
        patience: Duration = .zero
    ) {
        self.stage = stage
        self.subject = subject
        self.pause = pause
        self.patience = patience
    }

    var phase: SessionStatus.Phase {
        state.withLock { state in
            if state.isMissing { return .missing }
            if state.isRead { return .live }
            if let failure = state.failure { return .failed(failure) }
            return .loading(stage: stage, fraction: nil)
        }
    }

    /// The reason why the last attempt to open or read the store failed; `nil` if it succeeded.
    var failure: SessionFailure? { state.withLock { $0.failure } }

    /// The task that opens and reads the store; `nil` before it has started.
    var loading: Task<Store, any Error>? { state.withLock { $0.loading } }

    /// Sends an event to the session while the part is open.
    func emit(_ event: SessionEvent) { state.withLock { $0.emit }?(event) }

    /// Sends an event with the current time to the session while the part is open.
    func emit(_ kind: SessionEvent.Kind, _ summary: String = "") {
        emit(SessionEvent(kind, date: Date(), summary: summary))
    }

    /// Sets the receiver of events, and starts watching. Calls `handle` after each change.
    func start(
        _ emit: @escaping @Sendable (SessionEvent) -> Void,
        watching startWatcher: (@escaping @Sendable () -> Void) -> (any Sendable)?,
        _ handle: @escaping @Sendable () async -> Void
    ) {
        state.withLock { $0.emit = emit }
        let watcher = startWatcher { [weak self, pause] in
            let isFirst = self?.state.withLock { state in
                defer { state.isOutdated = true }
                return !state.isOutdated
            }
            guard isFirst == true else { return }
            Task { [weak self] in
                try? await Task.sleep(for: pause)
                self?.state.withLock { $0.isOutdated = false }
                await handle()
            }
        }
        state.withLock { $0.watcher = watcher }
    }

    /// Starts to open and read the store. A failure is reported.
    func load(_ body: @escaping @Sendable () async throws -> Store) {
        let task = Task { [self] in
            do {
                return try await body()
            } catch {
                state.withLock { state in
                    state.failure = SessionFailure(error)
                    state.isStopped = true
                }
                emit(.notLoaded(error))
                throw error
            }
        }
        state.withLock { $0.loading = task }
    }

    /// Prepares another attempt to open the store.
    ///
    /// - Returns: Whether the last attempt has failed.
    func restart() -> Bool {
        state.withLock { state in
            guard state.isStopped, state.emit != nil else { return false }
            state.isStopped = false
            state.failure = nil
            return true
        }
    }

    func follow(_ handleChanges: @escaping @Sendable () async -> Void) {
        state.withLock { $0.following = $0.emit == nil ? nil : Task { await handleChanges() } }
    }

    /// Records that the store was read. If the store was missing, reports that it has returned.
    func noteRead() {
        let wasMissing = state.withLock { state in
            defer {
                (state.isRead, state.isMissing) = (true, false)
                state.failure = nil
            }
            return state.isMissing
        }
        if wasMissing { emit(.store(subject, isMissing: false)) }
    }

    /// Records that the store can't be read. A store that was read before stays live.
    ///
    /// - Returns: Whether the previous attempt succeeded, or failed for another reason.
    func noteFailure(_ failure: SessionFailure) -> Bool {
        state.withLock { state in
            defer { state.failure = failure }
            return state.failure != failure
        }
    }

    func setMissing(_ isMissing: Bool, date: Date = Date()) {
        state.withLock { $0.isMissing = isMissing }
        emit(.store(subject, isMissing: isMissing, date: date))
    }

    /// Runs `body` on a queue where it may access files, one call at a time.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Stops loading, following and watching. No more events are sent.
    func cancel() {
        state.withLock { state in
            state.loading?.cancel()
            state.following?.cancel()
            state.watcher = nil
            state.emit = nil
        }
    }
}
