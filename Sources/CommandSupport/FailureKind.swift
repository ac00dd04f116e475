package import Replication

/// The general kind of a failure. The raw values are exit codes of `sysexits.h`.
package enum FailureKind: Int32, Sendable {
    /// The requested item doesn't exist: a key, entity, server, or document.
    case noAnswer = 1
    /// The command or request is invalid.
    case usage = 64
    /// The data is damaged or has an unexpected format.
    case badData = 65
    /// The file or folder to read doesn't exist.
    case noInput = 66
    /// A file or folder could not be created.
    case cannotCreate = 73
    /// The operating system failed, or another process holds a lock on a file.
    case inputOutput = 74
    /// The write is in the file, but the disk didn't confirm it.
    case unconfirmed = 75
    /// The operating system or the store's format doesn't allow the operation.
    case noPermission = 77

    package init(_ category: ErrorCategory) {
        self =
            switch category {
            case .noSuchItem: .noAnswer
            case .invalidRequest: .usage
            case .badData: .badData
            case .noSuchFile: .noInput
            case .cannotCreate: .cannotCreate
            case .inputOutput: .inputOutput
            case .unconfirmed: .unconfirmed
            case .noPermission: .noPermission
            }
    }
}
