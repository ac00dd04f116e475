import Foundation
import GRDB
package import Replication
import TidelineCore

/// The printed form of an error: `tideline: WHAT FAILED: WHY`, with an optional hint.
package struct Failure: Error {
    package let category: ErrorCategory
    package let what: String
    package let why: String
    package let suggestion: String?

    package init(
        _ category: ErrorCategory, _ what: String, _ why: String, suggestion: String? = nil
    ) {
        self.category = category
        self.what = what.isEmpty ? what.quoted : what
        self.why = Self.reason(why, about: what)
        self.suggestion = suggestion
    }

    /// Returns the reason without repeating its subject: `it is empty`, not `a.db is empty`.
    private static func reason(_ reason: String, about what: String) -> String {
        for name in [what, what.quoted] where !name.isEmpty {
            // A network error may start with the address.
            if reason.hasPrefix("\(name): ") { return String(reason.dropFirst(name.count + 2)) }
            if reason.hasPrefix("\(name) ") { return "it" + reason.dropFirst(name.count) }
        }
        return reason
    }

    /// Creates a failure from any error.
    ///
    /// - Parameter what: The operation that failed, if the error doesn't name it.
    package init(_ error: any Error, while what: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any ExplainedError:
            self.init(
                error.category, error.subject ?? what, error.reason,
                suggestion: error.suggestion?.words)
        case let error as DatabaseError: self.init(error, while: what)
        default:
            self =
                Self(ofFileOperation: error, while: what)
                ?? Self(.inputOutput, what, String(describing: error))
        }
    }

    /// Creates a failure of a file operation of Foundation; `nil` for an error without the error
    /// of a system call.
    private init?(ofFileOperation error: any Error, while what: String) {
        let details = (error as NSError).userInfo
        guard let system = (details[NSUnderlyingErrorKey] as? any Error).map({ $0 as NSError }),
            system.domain == NSPOSIXErrorDomain
        else { return nil }
        // If the disk is full, a copy fails at its destination.
        let path = ["NSDestinationFilePath", NSFilePathErrorKey]
            .compactMap { details[$0] as? String }.first
        self.init(system: Int32(truncatingIfNeeded: system.code), path ?? what)
    }

    /// Creates a failure of a system call on a file.
    ///
    /// - Parameter number: The value of `errno` after the call.
    package init(system number: Int32, _ path: String) {
        switch number {
        case ENOENT, ENOTDIR: self.init(.noSuchFile, path, "no such file or folder")
        case EACCES, EPERM: self.init(.noPermission, path, "permission denied")
        case EISDIR: self.init(.badData, path, "a folder, not a file")
        default: self.init(.inputOutput, path, String(cString: strerror(number)).lowercased())
        }
    }

    /// Creates a failure of an SQL statement.
    private init(_ error: DatabaseError, while what: String) {
        let category: ErrorCategory =
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .badData
            case .SQLITE_CANTOPEN: .noSuchFile
            case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: .noPermission
            case .SQLITE_ERROR, .SQLITE_MISUSE: .invalidRequest
            default: .inputOutput
            }
        let code = error.extendedResultCode.rawValue
        self.init(category, what, "\(error.message ?? "SQLite failed") (SQLite \(code))")
    }

    /// The message, and the hint in a second line.
    package var lines: [String] {
        ["tideline: \(what): \(why)"] + (suggestion.map { ["  \($0)"] } ?? [])
    }

    /// Runs `body` and converts its errors to failures of `what`.
    package static func of<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Failure(error, while: what)
        }
    }

    /// Runs `body` and converts its errors to failures of `what`.
    package static func of<Result>(
        _ what: String, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw Failure(error, while: what)
        }
    }

    /// Creates the failure for a text that isn't a valid identifier of a document.
    package static func noDocumentIdentifier(_ text: String) -> Failure {
        Failure(
            .invalidRequest, text.quoted, "not the identifier of a document",
            suggestion: "it is a UUID, or the text after automerge: in a URL")
    }
}
