/// The kinds of databases in a device's folder.
public enum DatabaseKind: String, CaseIterable, Sendable {
    case logs, entities, documents, catalog

    /// The file's name in a package. Before November 2016, PARStore used ``legacyFileName``.
    public var fileName: String {
        switch self {
        case .logs: "Logs.db"
        case .entities: "Entities.db"
        case .documents: "Documents.db"
        case .catalog: "Catalog.db"
        }
    }

    /// The older spelling that is also accepted, if any.
    public var legacyFileName: String? { self == .logs ? "logs.db" : nil }

    /// Creates the kind of database that has this file name.
    public init?(fileName: String) {
        let found = Self.allCases.first {
            $0.fileName == fileName || $0.legacyFileName == fileName
        }
        guard let found else { return nil }
        self = found
    }
}
