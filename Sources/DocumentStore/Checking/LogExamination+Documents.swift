package import GRDB
package import Replication

extension LogExamination {
    /// Examines each row of a document log, without reading the chunks.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable` for other files; `DatabaseError`
    ///   if a page is damaged.
    /// - Complexity: O(*n*) in the number of rows.
    package init(documentLog db: Database) throws {
        let log = DocumentLog()
        try self.init(
            db, log.identity(in: db), table: log.table,
            isOdd: "typeof(operation) <> 'integer'")
    }

    /// Returns whether every chunk either has its bytes or was deleted.
    ///
    /// - Throws: `DatabaseError` if a page is damaged.
    package static func hasAllChunks(documentLog db: Database) throws -> Bool {
        try DocumentLog.isComplete(db)
    }
}
