import ServerCatalog
import Synchronization

/// Lets calls through to a database until it is closed.
///
/// SQLite has no answer to a call on a closed connection but undefined behaviour, so none gets
/// there: calls after closing throw, and calls that are under way come to their end before the
/// last of them closes the database.
final class CallGate: Sendable {
    private struct State {
        var isClosed = false
        var callCount = 0
    }

    private let state = Mutex(State())
    private let closeDatabase: @Sendable () throws -> Void

    init(closingBy closeDatabase: @escaping @Sendable () throws -> Void) {
        self.closeDatabase = closeDatabase
    }

    /// What `body` returns.
    ///
    /// - Throws: `ServerCatalogError` with code `.closed`, and the errors of `body`.
    func pass<Value>(_ body: () throws -> Value) throws -> Value {
        try state.withLock { state in
            guard !state.isClosed else {
                throw ServerCatalogError(.closed, "the catalog has been closed")
            }
            state.callCount += 1
        }
        defer {
            let isLast = state.withLock { state in
                state.callCount -= 1
                return state.isClosed && state.callCount == 0
            }
            if isLast { try? closeDatabase() }
        }
        return try body()
    }

    /// Refuses calls from now on, and closes the database once none is under way.
    func close() throws {
        let isIdle = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.callCount == 0
        }
        if isIdle { try closeDatabase() }
    }
}
