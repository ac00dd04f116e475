import Foundation
import Synchronization

extension ServerRepository {
    /// An error in a call that can't throw, or a missing closure.
    public struct Problem: Sendable {
        /// The closure that was called.
        public let closure: String
        /// The error.
        public let error: ServerCatalogError
    }

    /// Sets the handler for problems in this process.
    ///
    /// Without a handler, problems are printed to standard error. The test support installs a
    /// handler that fails the running test.
    public static func setProblemHandler(_ handler: @escaping @Sendable (Problem) -> Void) {
        problemHandler.withLock { $0 = handler }
    }

    /// Returns the error for a missing closure, after reporting it to the problem handler.
    public static func missing(_ closure: String) -> ServerCatalogError {
        let error = ServerCatalogError(
            .notProvided, "ServerRepository.\(closure) was called, but not provided")
        report(Problem(closure: closure, error: error))
        return error
    }

    /// Returns the result of `body`, or `substitute` after reporting its error.
    static func reporting<Result>(
        _ closure: String, or substitute: Result, _ body: () throws -> Result
    ) -> Result {
        do {
            return try body()
        } catch let error as ServerCatalogError where error.code == .notProvided {
            return substitute  // already reported
        } catch {
            let wrapped =
                error as? ServerCatalogError
                ?? ServerCatalogError(
                    .inputOutput, "ServerRepository.\(closure) failed: \(error)", cause: error)
            report(Problem(closure: closure, error: wrapped))
            return substitute
        }
    }

    private static func report(_ problem: Problem) {
        problemHandler.withLock { $0 }(problem)
    }

    private static let problemHandler = Mutex<@Sendable (Problem) -> Void> { problem in
        FileHandle.standardError.write(Data("ServerCatalog: \(problem.error.message)\n".utf8))
    }
}
