import ArgumentParser
import EntityStore
import Foundation
import GRDB
import KeyValueStore
import Replication
import TidelineCore
import TidelineUI

/// The exit codes of `sysexits.h` that the command line promises.
enum ExitStatus: Int32 {
    case done = 0
    /// The question has no answer: no such key, entity, server, document.
    case noAnswer = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case cannotCreate = 73
    case inputOutput = 74
    case noPermission = 77
}

/// An error as it is printed: `tideline: WHAT FAILED: WHY`, and a way out where there is one.
struct Failure: Error {
    let status: ExitStatus
    let what: String
    let why: String
    let wayOut: String?

    init(_ status: ExitStatus, _ what: String, _ why: String, wayOut: String? = nil) {
        self.status = status
        self.what = what
        self.why = why
        self.wayOut = wayOut
    }

    var lines: [String] {
        ["tideline: \(what): \(why)"] + (wayOut.map { ["  \($0)"] } ?? [])
    }
}

extension Failure {
    /// Any error that a command let through, told in one line.
    init(_ error: any Error, while what: String) {
        switch error {
        case let failure as Failure: self = failure
        case let error as ReplicationError:
            self.init(Self.status(of: error), what, error.message)
        case let error as KeyValueError:
            self.init(Self.status(of: error), what, error.message)
        case let error as EntityStoreError:
            self.init(Self.status(of: error), what, error.message)
        case let error as PropertyListError: self.init(.badData, what, error.description)
        case let error as ThemeError: self.init(.usage, what, String(describing: error))
        case let error as CoreError:
            self.init(Self.status(of: error), what, error.message, wayOut: error.wayOut)
        case let error as FilterError: self.init(.usage, what, error.message)
        case let error as EditError: self.init(Self.status(of: error), what, error.message)
        case let error as DatabaseError: self.init(Self.status(of: error), what, Self.reason(error))
        case let error as CocoaError: self.init(Self.status(of: error), what, Self.reason(error))
        default: self.init(.inputOutput, what, String(describing: error))
        }
    }

    private static func status(of error: ReplicationError) -> ExitStatus {
        switch error.code {
        case .invalidDevice, .invalidTimestamp, .unsafePath: .usage
        case .notFound: .noInput
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        case .inputOutput: .inputOutput
        default: .badData
        }
    }

    private static func status(of error: KeyValueError) -> ExitStatus {
        switch error.code {
        case .notFound: .noAnswer
        case .readOnly: .noPermission
        case .invalidKey, .invalidValue, .cannotMerge: .usage
        case .timeOutOfRange: .badData
        default: .inputOutput
        }
    }

    private static func status(of error: EntityStoreError) -> ExitStatus {
        switch error.code {
        case .noSuchEntity: .noAnswer
        case .readOnly: .noPermission
        case .exists, .invalidName, .invalidValue, .notCodable: .usage
        case .invalidInterchange, .unreadable, .timeOutOfRange: .badData
        default: .inputOutput
        }
    }

    private static func status(of error: CoreError) -> ExitStatus {
        switch error.code {
        case .notFound: .noInput
        case .noAnswer: .noAnswer
        case .usage: .usage
        case .noPermission: .noPermission
        case .cannotCreate: .cannotCreate
        default: .badData
        }
    }

    private static func status(of error: EditError) -> ExitStatus {
        switch error.code {
        case .notFound: .noAnswer
        case .invalid, .unsupported: .usage
        case .readOnly: .noPermission
        default: .inputOutput
        }
    }

    private static func status(of error: DatabaseError) -> ExitStatus {
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .badData
        case .SQLITE_CANTOPEN: .noInput
        case .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH: .noPermission
        case .SQLITE_ERROR, .SQLITE_MISUSE: .usage
        default: .inputOutput
        }
    }

    private static func reason(_ error: DatabaseError) -> String {
        "\(error.message ?? "SQLite failed") (SQLite \(error.extendedResultCode.rawValue))"
    }

    private static func status(of error: CocoaError) -> ExitStatus {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: .noInput
        case .fileReadNoPermission, .fileWriteNoPermission: .noPermission
        case .fileReadCorruptFile: .badData
        default: .inputOutput
        }
    }

    private static func reason(_ error: CocoaError) -> String {
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "no such file or folder"
        case .fileReadNoPermission, .fileWriteNoPermission: "permission denied"
        default: error.localizedDescription
        }
    }
}
