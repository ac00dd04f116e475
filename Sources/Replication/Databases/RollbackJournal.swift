/// What has to be known of a rollback journal before SQLite may play it back.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_rollback_journal>
enum RollbackJournal {
    private static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    /// Whether SQLite would do anything with a journal when it opens the database beside it.
    ///
    /// It looks for a super-journal's name at the end whatever the beginning is, and plays back
    /// only what begins with the magic: that is written last, and zeroed when all is done.
    static func isActedOn(
        _ file: borrowing Descriptor, byteCount: Int64, _ path: String
    ) throws(ReplicationError) -> Bool {
        let beginning = try file.read(8, at: 0, path)
        guard let first = beginning.first, first != 0 else { return false }
        // Less than the magic may be the beginning of it, still arriving.
        if magic.starts(with: beginning) { return true }
        guard byteCount >= 16 else { return false }
        return try file.read(8, at: byteCount - 8, path) == magic
    }

    /// Refuses a journal that SQLite should not play back into the database beside it.
    ///
    /// One kind names a super-journal: SQLite opens the file that is named so, wherever it is, and
    /// may delete it afterwards. No transaction of one database has a super-journal, so one that
    /// came with a package was made to do harm.
    ///
    /// The other kind is of another moment than the database, as a sync service carries files one
    /// by one: played back, it would mix two states. The change counter in the journal's copy of
    /// page 1 is that of the database before the transaction, so the database has the same or, if
    /// the transaction came as far as that page, the next. Where the journal has no such copy, page
    /// 1 is as before the transaction, and counts as many pages as the journal's header does; but
    /// for the transaction that made the file, which had no page 1 to copy.
    ///
    /// - Parameter database: The first 100 bytes of the database.
    /// - Throws: ``ReplicationError``: `.unreadable` for the first kind, `.incomplete` for the other.
    static func check(
        _ path: String, byteCount: Int64, database: [UInt8]
    ) throws(ReplicationError) {
        let file = try Descriptor(file: path)
        if byteCount >= 16, try file.read(8, at: byteCount - 8, path) == magic {
            throw ReplicationError(
                .unreadable, "\(path) names another journal, which is not followed")
        }
        guard let counter = database.bigEndian(at: 24) else { return }
        let isOfThisMoment: Bool
        if let before = try changeCounter(in: file, byteCount: byteCount, path) {
            isOfThisMoment = counter == before || counter == before &+ 1
        } else {
            let pages = try file.read(28, at: 0, path).bigEndian(at: 16)
            let isCounted = counter == database.bigEndian(at: 92)
            // The transaction that made the file: before it there were no pages.
            let made = pages == 0 && counter <= 1
            isOfThisMoment =
                !isCounted || pages == nil || pages == database.bigEndian(at: 28) || made
        }
        guard isOfThisMoment else {
            throw ReplicationError(
                .incomplete, "\(path) belongs to another moment of the database beside it")
        }
    }

    /// The change counter in the journal's copy of page 1, if it has one.
    ///
    /// A journal is a header that fills a sector, then as many records as it states, each of a
    /// page's number, content and checksum, and so on from the next sector's start.
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
            // A count of all ones means up to the end; so does zero, before the first flush.
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
