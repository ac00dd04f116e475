public import Replication
public import ServerCatalog

extension ServerCatalogError: ExplainedError {
    /// The kind of failure, for the exit code.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noInput
        case .noPermission, .readOnly: .noPermission
        case .cannotCreate: .cannotCreate
        case .busy, .inputOutput, .unreadableFile: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .badData
        }
    }
    /// The message.
    public var reason: String { message }
}
