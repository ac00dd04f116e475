public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `logicalStatus`: what changes about a server from minute to minute.
    public struct LogicalStatus: FetchableRecord, PersistableRecord, Sendable {
        public static let databaseTableName = "logicalStatus"

        public var logicalId: String
        public var status: Int
        public var score: Double
        public var load: Int

        public init(row: Row) throws {
            logicalId = try row.decode(forColumn: "logicalId")
            status = try row.decode(forColumn: "status")
            score = try row.decode(forColumn: "score")
            load = try row.decode(forColumn: "load")
        }

        init(logicalId: String, _ status: ServerCatalog.LogicalStatus) {
            self.logicalId = logicalId
            self.status = status.status
            score = status.score
            load = status.load
        }

        static let columns = ["logicalId", "status", "score", "load"]

        var values: [(any DatabaseValueConvertible)?] { [logicalId, status, score, load] }

        public func encode(to container: inout PersistenceContainer) {
            for (column, value) in zip(Self.columns, values) { container[column] = value }
        }

        var domain: ServerCatalog.LogicalStatus {
            ServerCatalog.LogicalStatus(load: load, score: score, status: status)
        }
    }
}
