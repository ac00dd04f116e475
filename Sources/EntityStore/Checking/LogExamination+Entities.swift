package import GRDB
package import Replication

extension LogExamination {
    /// Examines each row of an entity log.
    ///
    /// - Throws: `ReplicationError`: `.newerFormat`, or `.unreadable` for another kind of file;
    ///   `DatabaseError` if a page is damaged.
    /// - Complexity: O(*n*) in the number of rows.
    package init(entityLog db: Database) throws {
        try self.init(
            db, EntityLogSchema.identity(in: db), table: EntityLogSchema.table,
            isOdd: "typeof(operation) <> 'integer' OR typeof(entity) <> 'integer'")
        let lost = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) AS count, sum(value IS ?) AS certain FROM log
                WHERE operation = ? AND timestamp < ?
                """,
            arguments: [
                EntityLogSchema.certain, EntityLogSchema.lostRow, Timestamp.earliest.microseconds,
            ])
        lostCount = lost?.integer("certain") ?? 0
        perhapsLostCount = (lost?.integer("count") ?? 0) - lostCount
        leftOutCount -= lostCount + perhapsLostCount
        guard let identity, gap == nil, invalidCount == 0 else { return }
        // Readers check more of a row and stop at a row that they can't ingest.
        var head = EntityHead(form: form, notes: EntityNotes())
        var progress = try head.cursor.progress(
            in: db, table: EntityLogSchema.table, identity: identity)
        _ = try EntityLogReader.read(db, of: identity.device, behind: &progress, &head)
        guard head.stop != nil else { return }
        invalidCount = 1
        firstInvalid = progress.cursor.lastID + 1
    }
}
