package import Replication

extension ErrorCategory {
    /// The exit code of a command that fails for this reason: a code of `sysexits.h`, or 1 if the
    /// requested item doesn't exist.
    package var exitCode: Int32 {
        switch self {
        case .noSuchItem: 1
        case .invalidRequest: 64
        case .badData: 65
        case .noSuchFile: 66
        case .cannotCreate: 73
        case .inputOutput: 74
        case .unconfirmed: 75
        case .noPermission: 77
        }
    }
}
