import Replication

extension DatabaseKind {
    static let logs = DatabaseKind(named: "Logs")
    static let entities = DatabaseKind(named: "Entities")
    static let documents = DatabaseKind(named: "Documents")
    static let catalog = DatabaseKind(named: "Catalog")
}
