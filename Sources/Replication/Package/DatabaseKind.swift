/// Which of the databases that a device may have in its folder.
public enum DatabaseKind: String, CaseIterable, Sendable {
    case logs, entities, documents, catalog

    /// The file's name in a package; PARStore had ``legacyFileName`` before November 2016.
    public var fileName: String {
        switch self {
        case .logs: "Logs.db"
        case .entities: "Entities.db"
        case .documents: "Documents.db"
        case .catalog: "Catalog.db"
        }
    }

    /// The older spelling that is accepted as well, where there is one.
    public var legacyFileName: String? { self == .logs ? "logs.db" : nil }

    /// The kind of database that has this file name.
    public init?(fileName: String) {
        let found = Self.allCases.first {
            $0.fileName == fileName || $0.legacyFileName == fileName
        }
        guard let found else { return nil }
        self = found
    }
}
