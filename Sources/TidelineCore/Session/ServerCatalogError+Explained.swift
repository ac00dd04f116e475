public import Replication
public import ServerCatalog

extension ServerCatalogError: ExplainedError {
    public var kind: FailureKind {
        switch code {
        case .notFound: .noInput
        case .noPermission, .readOnly: .noPermission
        case .cannotCreate: .cannotCreate
        case .busy, .inputOutput, .unreadableFile: .inputOutput
        default: .badData
        }
    }
    public var reason: String { message }
}
