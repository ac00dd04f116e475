package import GRDB
package import Replication

extension LogExamination {
    /// Looks at each row of a log of documents; not into their chunks.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable` for what is no such log;
    ///   `DatabaseError` where a page is damaged.
    /// - Complexity: O(*n*) in the number of rows.
    package init(documentLog db: Database) throws {
        let log = DocumentLog()
        try self.init(
            db, log.identity(in: db), table: log.table,
            isOdd: "typeof(operation) <> 'integer'")
    }

    /// Whether each chunk has its bytes, or was deleted.
    ///
    /// - Throws: `DatabaseError` where a page is damaged.
    package static func hasAllChunks(documentLog db: Database) throws -> Bool {
        try DocumentLog.isComplete(db)
    }
}
