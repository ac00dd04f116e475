import Foundation
import Replication
import Synchronization

/// A part whose store is opened, read completely, and then followed.
///
/// A data model provides the steps. The protocol runs them in order, reports failures, and can
/// retry if opening the store failed.
protocol FollowedPart: StandalonePart {
    /// A change that the store reports.
    associatedtype Change: Sendable

    var lifecycle: StoreLifecycle<Store> { get }

    /// Opens the store.
    func open() async throws -> Store
    /// Returns the changes of the store from now on; `nil` if the part doesn't follow them.
    func changes(of store: Store) -> AsyncStream<Change>?
    /// Reads the store. Changes that it reports in the meantime are handled afterward.
    func read(_ store: Store) async throws
    /// Reports that the store was read.
    func finishLoading(_ store: Store)
    func handle(_ change: Change, of store: Store) async
    /// Checks every file of the store now.
    func sync(_ store: Store) async throws
}

extension FollowedPart {
    /// Opens, reads and follows the store in the background.
    func load(emit: @escaping @Sendable (SessionEvent) -> Void) {
        lifecycle.start(emit) { [weak self] in
            guard let self else { throw CancellationError() }
            let store = try await open()
            let changes = changes(of: store)
            try await read(store)
            lifecycle.phase = .live
            finishLoading(store)
            if let changes { follow(changes, of: store) }
            return store
        }
    }

    private func follow(_ changes: AsyncStream<Change>, of store: Store) {
        lifecycle.follow { [weak self] in
            for await change in changes { await self?.handle(change, of: store) }
        }
    }

    public func loadedStore() async throws -> Store {
        guard let loading = lifecycle.loading else { return try await open() }
        return try await loading.value
    }

    /// Checks every file now, or opens the store if that failed before.
    public func reload() async throws {
        if let emit = lifecycle.restart() { load(emit: emit) }
        try await sync(try await loadedStore())
    }
}

/// The state of a store that a part opens and follows: its phase, and the tasks that read it.
final class StoreLifecycle<Store: Sendable>: Sendable {
    private let stage: String
    private let state: Mutex<State>

    private struct State {
        var phase: SessionStatus.Phase
        var loading: Task<Store, any Error>?
        var following: Task<Void, Never>?
        var emit: (@Sendable (SessionEvent) -> Void)?
    }

    /// Creates the state of a store that isn't open yet.
    ///
    /// - Parameter stage: The description of loading, for the header.
    init(stage: String) {
        self.stage = stage
        state = Mutex(State(phase: .loading(stage: stage, fraction: nil)))
    }

    var phase: SessionStatus.Phase {
        get { state.withLock { $0.phase } }
        set { state.withLock { $0.phase = newValue } }
    }

    /// The task that opens and reads the store; `nil` before it has started.
    var loading: Task<Store, any Error>? { state.withLock { $0.loading } }

    /// Sends an event to the session, if the part has been started.
    func emit(_ event: SessionEvent) { state.withLock { $0.emit }?(event) }

    /// Starts to open and read the store. A failure is reported.
    func start(
        _ emit: @escaping @Sendable (SessionEvent) -> Void,
        _ load: @escaping @Sendable () async throws -> Store
    ) {
        state.withLock { state in
            state.emit = emit
            state.loading = Task {
                do {
                    return try await load()
                } catch {
                    phase = .failed(SessionFailure(error))
                    emit(.notLoaded(error))
                    throw error
                }
            }
        }
    }

    /// Starts to handle the changes of the store.
    func follow(_ handleChanges: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            state.following?.cancel()
            state.following = Task { await handleChanges() }
        }
    }

    /// Prepares another attempt to open the store if opening has failed.
    ///
    /// - Returns: The receiver of events; `nil` if opening hasn't failed.
    func restart() -> (@Sendable (SessionEvent) -> Void)? {
        state.withLock { state in
            guard case .failed = state.phase, let emit = state.emit else { return nil }
            state.phase = .loading(stage: stage, fraction: nil)
            return emit
        }
    }

    /// Reports that the store is missing, or that it is back.
    func setMissing(_ isMissing: Bool, date: Date = Date()) {
        phase = isMissing ? .missing : .live
        emit(.store(isMissing: isMissing, date: date))
    }

    /// Stops loading and following.
    func cancel() {
        state.withLock { state in
            state.loading?.cancel()
            state.following?.cancel()
        }
    }
}
