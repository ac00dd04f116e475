public import Replication
public import ServerCatalog

extension ServerCatalogError: ExplainedError {
    /// What the code means to whoever asked.
    public var kind: FailureKind {
        switch code {
        case .notFound: .noInput
        case .noPermission, .readOnly: .noPermission
        case .cannotCreate: .cannotCreate
        case .busy, .inputOutput, .unreadableFile: .inputOutput
        default: .badData
        }
    }
    /// The message.
    public var reason: String { message }
}
