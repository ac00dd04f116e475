import Foundation
import GRDB
package import Replication
package import TidelineCore

/// An error as it is printed: `tideline: WHAT FAILED: WHY`, and a way out where there is one.
package struct Failure: Error {
    package let kind: FailureKind
    package let what: String
    package let why: String
    package let wayOut: String?

    package init(_ kind: FailureKind, _ what: String, _ why: String, wayOut: String? = nil) {
        self.kind = kind
        self.what = what.isEmpty ? what.quoted : what
        self.why = Self.reason(why, about: what)
        self.wayOut = wayOut
    }

    /// A reason that need not name what stands before it: `it is empty`, not `a.db is empty`.
    private static func reason(_ reason: String, about what: String) -> String {
        for name in [what, what.quoted] where !name.isEmpty {
            // An error of the network may begin with the address that it is about.
            if reason.hasPrefix("\(name): ") { return String(reason.dropFirst(name.count + 2)) }
            if reason.hasPrefix("\(name) ") { return "it" + reason.dropFirst(name.count) }
        }
        return reason
    }

    /// Any error that a command let through, told in one line.
    ///
    /// - Parameter what: What failed, where the error does not know what it is about.
    package init(_ error: any Error, while what: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any ExplainedError:
            self.init(error.kind, error.subject ?? what, error.reason, wayOut: error.wayOut)
        case let error as DatabaseError: self.init(error, while: what)
        default: self.init(.inputOutput, what, String(describing: error))
        }
    }

    /// What keeps the store at a path from being shown.
    package init(_ failure: SessionFailure, of path: String) {
        self.init(failure.kind, path, failure.reason, wayOut: failure.wayOut)
    }

    /// The file that an operation of the system failed at.
    ///
    /// - Parameter number: `errno` as the call left it.
    package init(system number: Int32, _ path: String) {
        switch number {
        case ENOENT, ENOTDIR: self.init(.noInput, path, "no such file or folder")
        case EACCES, EPERM: self.init(.noPermission, path, "permission denied")
        case EISDIR: self.init(.badData, path, "a folder, not a file")
        default: self.init(.inputOutput, path, String(cString: strerror(number)).lowercased())
        }
    }

    /// SQLite's own error, where a statement failed and not the file.
    private init(_ error: DatabaseError, while what: String) {
        let kind: FailureKind =
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .badData
            case .SQLITE_CANTOPEN: .noInput
            case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: .noPermission
            case .SQLITE_ERROR, .SQLITE_MISUSE: .usage
            default: .inputOutput
            }
        let code = error.extendedResultCode.rawValue
        self.init(kind, what, "\(error.message ?? "SQLite failed") (SQLite \(code))")
    }

    /// The line about it, and the way out in a second one.
    package var lines: [String] {
        ["tideline: \(what): \(why)"] + (wayOut.map { ["  \($0)"] } ?? [])
    }

    /// What `body` returns; what it throws is told as a failure of `what`.
    package static func of<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Failure(error, while: what)
        }
    }

    /// A text that names no document, or nothing else that is named so.
    package static func noDocumentIdentifier(
        _ text: String, of what: String = "document"
    ) -> Failure {
        Failure(
            .usage, text.quoted, "not the identifier of a \(what)",
            wayOut: "It is a UUID, or the text behind automerge: in a URL.")
    }
}
