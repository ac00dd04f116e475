/// The first 100 bytes of a SQLite file, as far as they tell whether the file is all there.
///
/// Source: <https://www.sqlite.org/fileformat2.html#the_database_header>
struct DatabaseHeader {
    /// 512 to 65,536.
    let pageSize: Int
    /// How many pages the file has, where the header's count can be relied on.
    let pageCount: Int?

    /// As much of a file is looked at before it is said to contain only zeros: its first page,
    /// whatever its size.
    static let zerosByteCount = 65_536

    /// - Parameter bytes: The beginning of the file: 100 bytes, or where those are zeros as many as
    ///   ``zerosByteCount``.
    /// - Throws: ``ReplicationError``: `.incomplete` for an empty or short file, `.unreadable` for
    ///   bytes that no SQLite file begins with.
    init(_ bytes: [UInt8], path: String) throws(ReplicationError) {
        guard bytes.count >= 100 else {
            throw ReplicationError(.incomplete, "\(path) ends inside its header")
        }
        guard bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            // Services that reserve the space first leave zeros until the bytes arrive.
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
        // The count is valid only if the version that wrote it also wrote the last transaction.
        let isCounted = bytes.bigEndian(at: 24) == bytes.bigEndian(at: 92)
        pageCount =
            isCounted
            ? bytes.bigEndian(at: 28).map(Int.init).flatMap { $0 > 0 ? $0 : nil }
            : nil
    }

    /// How many bytes the pages have together, where they are counted.
    var byteCount: Int64? { pageCount.map { Int64($0) * Int64(pageSize) } }

    /// - Throws: ``ReplicationError``, `.incomplete` if the file is shorter than its pages.
    func check(byteCount: Int64, path: String) throws(ReplicationError) {
        guard let expected = self.byteCount else { return }
        guard byteCount >= expected else {
            throw ReplicationError(
                .incomplete, "\(path) has \(byteCount) of \(expected) bytes so far")
        }
    }
}
