/// The checks of a rollback journal before SQLite may play it back.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
enum RollbackJournal {
    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    /// Returns whether SQLite would use a journal when it opens the database.
    ///
    /// SQLite looks for the name of a super-journal at the end of the journal, regardless of how
    /// the journal starts. It plays back only a journal that starts with the magic bytes, which are
    /// written last and zeroed on commit.
    static func isActedOn(
        _ file: borrowing Descriptor, byteCount: Int64, _ path: String
    ) throws(ReplicationError) -> Bool {
        let beginning = try file.read(8, at: 0, path)
        guard let first = beginning.first, first != 0 else { return false }
        // A sync service might not have written the rest of the magic bytes yet.
        if magic.starts(with: beginning) { return true }
        guard byteCount >= 16 else { return false }
        return try file.read(8, at: byteCount - 8, path) == magic
    }

    /// Refuses two kinds of journals that SQLite should not play back into the database.
    ///
    /// The first kind names a super-journal. SQLite opens the named file at any path, and may
    /// delete it afterward. Transactions on a single database have no super-journal, so a
    /// super-journal that came with a package is malicious.
    ///
    /// The second kind belongs to another state of the database, because sync services carry files
    /// separately. Playing it back would mix two states. The journal's copy of page 1 has the
    /// change counter that the database had before the transaction. The database therefore has the
    /// same counter or, if the transaction already wrote that page, the next one. If the journal
    /// has no copy of page 1, the transaction hasn't changed that page. The page count in page 1
    /// must then match the journal's header. The transaction that created the file is an exception,
    /// because it had no page 1 to copy.
    ///
    /// - Parameter database: The first 100 bytes of the database.
    /// - Throws: ``ReplicationError``: `.unreadable` for the first kind, `.incomplete` for the
    ///   second.
    static func check(
        _ path: String, byteCount: Int64, database: [UInt8]
    ) throws(ReplicationError) {
        let file = try Descriptor(file: path)
        if byteCount >= 16, try file.read(8, at: byteCount - 8, path) == magic {
            throw ReplicationError(
                .unreadable, "\(path) names a super-journal, which is not followed")
        }
        guard let counter = database.bigEndian(at: 24) else { return }
        let isCurrent: Bool
        if let before = try changeCounter(in: file, byteCount: byteCount, path) {
            isCurrent = counter == before || counter == before &+ 1
        } else {
            let pages = try file.read(28, at: 0, path).bigEndian(at: 16)
            let isCounted = counter == database.bigEndian(at: 92)
            // Before the transaction that created the file, there were no pages.
            let made = pages == 0 && counter <= 1
            isCurrent =
                !isCounted || pages == nil || pages == database.bigEndian(at: 28) || made
        }
        guard isCurrent else {
            throw ReplicationError(
                .incomplete, "\(path) doesn't fit its database")
        }
    }

    /// Returns the change counter in the journal's copy of page 1, if it has one.
    ///
    /// A journal consists of sections. Each section starts at a sector boundary with a header that
    /// fills a sector. The header states how many records follow. A record has a page's number,
    /// content, and checksum.
    private static func changeCounter(
        in file: borrowing Descriptor, byteCount: Int64, _ path: String
    ) throws(ReplicationError) -> UInt32? {
        var start: Int64 = 0
        var records = 0
        while start + 28 <= byteCount, records < 1_000_000 {
            let header = try file.read(28, at: start, path)
            guard header.starts(with: magic), let count = header.bigEndian(at: 8),
                let sector = header.bigEndian(at: 20).map(Int64.init),
                let page = header.bigEndian(at: 24).map(Int64.init),
                (32...65_536).contains(sector), sector & (sector - 1) == 0,
                (512...65_536).contains(page), page & (page - 1) == 0
            else { return nil }
            var offset = start + sector
            // The count is unknown if all its bits are 1, or if it is zero because nothing was
            // flushed yet. The records then continue to the end of the file.
            var left = count == 0 || count == .max ? Int64.max : Int64(count)
            while left > 0, offset + page + 8 <= byteCount, records < 1_000_000 {
                let number = try file.read(4, at: offset, path).bigEndian(at: 0)
                if number == 1 {
                    return try file.read(4, at: offset + 4 + 24, path).bigEndian(at: 0)
                }
                offset += page + 8
                left -= 1
                records += 1
            }
            start = (offset + sector - 1) / sector * sector
        }
        return nil
    }
}
