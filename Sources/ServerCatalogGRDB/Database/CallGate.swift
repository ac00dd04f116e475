import ServerCatalog
import Synchronization

/// A gate that passes calls to a database until it is closed.
///
/// SQLite's behavior is undefined for calls on a closed connection, so such calls must be
/// prevented. Calls after closing throw. If calls are in progress during closing, the last call to
/// end closes the database.
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

    /// Returns the result of `body`.
    ///
    /// - Throws: `ServerCatalogError` with code `.closed`, and the errors of `body`.
    func pass<Value>(_ body: () throws -> Value) throws -> Value {
        try state.withLock { state in
            guard !state.isClosed else {
                throw ServerCatalogError(.closed, "the catalog is closed")
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

    /// Rejects further calls, and closes the database once no call is in progress.
    func close() throws {
        let isIdle = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            return state.callCount == 0
        }
        if isIdle { try closeDatabase() }
    }
}
