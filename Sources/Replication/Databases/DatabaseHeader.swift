/// The parts of a SQLite file's 100-byte header that are needed to check whether the file is
/// complete.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_database_header>
struct DatabaseHeader {
    /// The size of a page in bytes, from 512 to 65,536.
    let pageSize: Int
    /// The number of pages in the file, if the header's count is reliable.
    let pageCount: Int?

    /// The number of bytes to check before reporting that a file contains only zeros: the maximum
    /// size of its first page.
    static let zerosByteCount = 65_536

    /// Parses a header.
    ///
    /// - Parameter bytes: The start of the file: 100 bytes, or ``zerosByteCount`` if those are all
    ///   zeros.
    /// - Throws: ``ReplicationError``: `.incomplete` for an empty or short file, `.unreadable` if
    ///   the bytes aren't the header of a SQLite file.
    init(_ bytes: [UInt8], path: String) throws(ReplicationError) {
        guard bytes.count >= 100 else {
            throw ReplicationError(.incomplete, "\(path) ends inside its header")
        }
        guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            // Sync services that reserve a file's space first leave zeros until the bytes arrive.
            throw bytes.allSatisfy { $0 == 0 }
                ? ReplicationError(.incomplete, "\(path) contains only zeros so far")
                : ReplicationError(.unreadable, "\(path) is not an SQLite file")
        }
        let stored = bytes.bigEndian16(at: 16).map(Int.init) ?? 0
        let pageSize = stored == 1 ? 65_536 : stored
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0, (1...2).contains(bytes[18]),
            (1...2).contains(bytes[19]), bytes[21] == 64, bytes[22] == 32, bytes[23] == 32
        else {
            throw ReplicationError(.unreadable, "\(path) has a damaged SQLite header")
        }
        self.pageSize = pageSize
        // The count is valid only if the version of SQLite that wrote it also wrote the last
        // transaction.
        let isCounted = bytes.bigEndian(at: 24) == bytes.bigEndian(at: 92)
        pageCount =
            isCounted
            ? bytes.bigEndian(at: 28).map(Int.init).flatMap { $0 > 0 ? $0 : nil }
            : nil
    }

    /// The total size of the pages; `nil` if ``pageCount`` is `nil`.
    var byteCount: Int64? { pageCount.map { Int64($0) * Int64(pageSize) } }

    /// Checks that the file has all pages that the header counts.
    ///
    /// - Throws: ``ReplicationError``, `.incomplete` if the file is shorter.
    func check(byteCount: Int64, path: String) throws(ReplicationError) {
        guard let expected = self.byteCount else { return }
        guard byteCount >= expected else {
            throw ReplicationError(
                .incomplete,
                "\(path) is incomplete: \(byteCount.grouped) of \(expected.grouped) bytes")
        }
    }
}
