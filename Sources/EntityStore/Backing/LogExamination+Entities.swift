package import GRDB
package import Replication

extension LogExamination {
    /// Looks at each row of a log of entities.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, `.unreadable` for what is no such log;
    ///   `DatabaseError` where a page is damaged.
    /// - Complexity: O(*n*) in the number of rows.
    package init(entityLog db: Database) throws {
        try self.init(
            db, EntityLogSchema.identity(in: db), table: EntityLogSchema.table,
            isOdd: "typeof(operation) <> 'integer' OR typeof(entity) <> 'integer'")
    }
}
