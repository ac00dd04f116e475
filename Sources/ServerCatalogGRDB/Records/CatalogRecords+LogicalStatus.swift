public import GRDB
import ServerCatalog

extension CatalogRecords {
    /// A row of `logicalStatus`: what changes about a server from minute to minute.
    public struct LogicalStatus: FetchableRecord, TableRecord, Sendable {
        /// `logicalStatus`.
        public static let databaseTableName = "logicalStatus"

        /// The server whose status it is.
        public var logicalId: String
        /// Zero means maintenance.
        public var status: Int
        /// The service's measure of how near and free the server is; smaller is better.
        public var score: Double
        /// Per cent of the server's capacity in use.
        public var load: Int

        /// Reads columns by their names.
        ///
        /// - Throws: A `RowDecodingError` of GRDB's for a value of another type than its column.
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

        func add(to values: inout RowWriter.Values) {
            values.add(logicalId)
            values.add(status)
            values.add(score)
            values.add(load)
        }

        var domain: ServerCatalog.LogicalStatus {
            ServerCatalog.LogicalStatus(load: load, score: score, status: status)
        }
    }
}
