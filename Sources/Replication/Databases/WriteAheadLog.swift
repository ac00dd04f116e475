/// The check of a write-ahead log before SQLite may use it.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
enum WriteAheadLog {
    /// The size of the header. A log without frames has no effect.
    private static let headerByteCount: Int64 = 32

    /// Refuses a write-ahead log that belongs to another state of its database. Sync services
    /// transfer the two files separately.
    ///
    /// SQLite turns on write-ahead mode in the database's header before it creates a log, and turns
    /// it off after it deletes the log. So a log next to a database in another mode doesn't belong
    /// to it. SQLite would use this log nevertheless, and replace newer pages of the database.
    ///
    /// - Parameter database: The first 100 bytes of the database.
    /// - Throws: ``ReplicationError``, `.incomplete`.
    static func check(
        _ path: String, byteCount: Int64, database: [UInt8]
    ) throws(ReplicationError) {
        let rollbackMode: UInt8 = 1
        guard byteCount > headerByteCount, database.count >= 100, database[18] == rollbackMode,
            database[19] == rollbackMode
        else { return }
        throw ReplicationError(.incomplete, "\(path) doesn't fit its database")
    }
}
