public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `logicalStatus`: the properties of a server that change every minute.
    public struct LogicalStatus: Decodable, FetchableRecord, TableRecord, Sendable {
        /// `logicalStatus`.
        public static let databaseTableName = "logicalStatus"

        /// The server with this status.
        public var logicalId: String
        /// The service's status; zero means maintenance.
        public var status: Int
        /// The service's measure of distance and load. Smaller is better.
        public var score: Double
        /// The percentage of the server's capacity in use.
        public var load: Int

        init(logicalId: String, _ status: ServerCatalog.LogicalStatus) {
            self.logicalId = logicalId
            self.status = status.status
            score = status.score
            load = status.load
        }

        static let columns = ["logicalId", "status", "score", "load"]

        func add(to values: inout RowWriter.Values) {
            values.add(logicalId)
            values.add(status)
            values.add(score)
            values.add(load)
        }
    }
}
