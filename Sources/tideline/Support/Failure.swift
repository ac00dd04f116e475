import ArgumentParser
import Foundation
import GRDB
import Replication

/// An error as it is printed: `tideline: WHAT FAILED: WHY`, and a way out where there is one.
struct Failure: Error {
    let kind: FailureKind
    let what: String
    let why: String
    let wayOut: String?

    init(_ kind: FailureKind, _ what: String, _ why: String, wayOut: String? = nil) {
        self.kind = kind
        self.what = what
        self.why = why
        self.wayOut = wayOut
    }

    /// Any error that a command let through, told in one line.
    ///
    /// - Parameter what: What failed, where the error does not know what it is about.
    init(_ error: any Error, while what: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as any ExplainedError:
            self.init(error.kind, error.subject ?? what, error.reason, wayOut: error.wayOut)
        case let error as DatabaseError: self.init(error, while: what)
        default: self.init(.inputOutput, what, String(describing: error))
        }
    }

    /// The file that an operation of the system failed at.
    ///
    /// - Parameter number: `errno` as the call left it.
    init(system number: Int32, _ path: String) {
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

    var lines: [String] {
        ["tideline: \(what): \(why)"] + (wayOut.map { ["  \($0)"] } ?? [])
    }

    /// What `body` returns; what it throws is told as a failure of `what`.
    static func of<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw Failure(error, while: what)
        }
    }
}
