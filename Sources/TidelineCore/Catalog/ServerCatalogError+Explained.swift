public import Replication
public import ServerCatalog

extension ServerCatalogError: MessageError {
    /// The general kind of failure.
    public var category: ErrorCategory {
        switch code {
        case .notFound: .noSuchFile
        case .noPermission, .readOnly: .noPermission
        case .cannotCreate: .cannotCreate
        case .busy, .inputOutput, .unreadableFile: .inputOutput
        case .unconfirmed: .unconfirmed
        default: .badData
        }
    }
}
