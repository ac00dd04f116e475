import Foundation
import Synchronization

extension ServerRepository {
    /// Something that went wrong in a call that has no way to throw it, or a missing closure.
    public struct Problem: Sendable {
        /// The closure that was called.
        public let closure: String
        /// What went wrong.
        public let error: ServerCatalogError
    }

    /// Decides what becomes of problems, in the whole process.
    ///
    /// Without a handler, a problem is a line on standard error. The test support sets one
    /// that fails the running test.
    public static func setProblemHandler(_ handler: @escaping @Sendable (Problem) -> Void) {
        problemHandler.withLock { $0 = handler }
    }

    /// The error for a closure that was not provided, after telling the problem handler.
    public static func missing(_ closure: String) -> ServerCatalogError {
        let error = ServerCatalogError(
            .notProvided, "ServerRepository.\(closure) was called, but not provided")
        report(Problem(closure: closure, error: error))
        return error
    }

    /// What `body` returns, or nothing and a problem where it throws.
    static func reporting<Element>(
        _ closure: String, _ body: () throws -> [Element]
    ) -> [Element] {
        do {
            return try body()
        } catch let error as ServerCatalogError where error.code == .notProvided {
            return []  // reported when it was made
        } catch {
            let wrapped =
                error as? ServerCatalogError
                ?? ServerCatalogError(
                    .inputOutput, "ServerRepository.\(closure) failed: \(error)", cause: error)
            report(Problem(closure: closure, error: wrapped))
            return []
        }
    }

    private static func report(_ problem: Problem) {
        problemHandler.withLock { $0 }(problem)
    }

    private static let problemHandler = Mutex<@Sendable (Problem) -> Void> { problem in
        FileHandle.standardError.write(Data("ServerCatalog: \(problem.error.message)\n".utf8))
    }
}
