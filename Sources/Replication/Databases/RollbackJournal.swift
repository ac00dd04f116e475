/// What has to be known of a rollback journal before SQLite may play it back.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
enum RollbackJournal {
    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    /// Refuses a journal that names a super-journal.
    ///
    /// SQLite opens the file that is named so, wherever it is, and may delete it after playing the
    /// journal back. No transaction of one database has a super-journal, so one that came with a
    /// package was made to do harm.
    ///
    /// - Throws: ``ReplicationError``, `.unreadable`.
    static func check(_ path: String, byteCount: Int64) throws(ReplicationError) {
        guard byteCount >= 16 else { return }
        let end = try Descriptor(file: path).read(8, at: byteCount - 8, path)
        guard end != magic else {
            throw ReplicationError(
                .unreadable, "\(path) names another journal, which is not followed")
        }
    }
}
