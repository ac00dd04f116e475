import Foundation
import Glibc

extension Descriptor {
    /// Returns all bytes of an open regular file.
    ///
    /// - Throws: ``ReplicationError``, `.tooLarge` beyond `limit` bytes, `.incomplete` if the file
    ///   changes during the read.
    func contents(_ path: String, limit: Int64) throws(ReplicationError) -> Data {
        let before = try status(path)
        guard before.byteCount <= limit, let count = Int(exactly: before.byteCount) else {
            throw ReplicationError(
                .tooLarge,
                "\(path) has \(before.byteCount.grouped) bytes, more than \(limit.grouped)")
        }
        var data = Data(count: count)
        let (filled, failure) = data.withUnsafeMutableBytes { fill($0) }
        guard failure == 0 else { throw ReplicationError(system: failure, "read", path) }
        try requireUnchanged(since: before, readCount: Int64(filled), path)
        return data
    }

    private func requireUnchanged(
        since before: FileStatus, readCount: Int64, _ path: String
    ) throws(ReplicationError) {
        let after = try status(path)
        guard readCount == before.byteCount, after.byteCount == before.byteCount,
            after.modified == before.modified
        else {
            throw ReplicationError(.incomplete, "\(path) changed while it was being read")
        }
    }

    /// Calls `body` with all bytes of an open regular file, in pieces of up to a mebibyte.
    ///
    /// - Throws: ``ReplicationError``, `.incomplete`, after the last piece if the file changed
    ///   during the read; errors of `body`.
    func forEachPiece(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let before = try status(path)
        var offset: Int64 = 0
        while offset < before.byteCount {
            let piece = try read(Int(min(before.byteCount - offset, 1 << 20)), at: offset, path)
            if piece.isEmpty { break }
            offset += Int64(piece.count)
            try piece.withUnsafeBytes(body)
        }
        try requireUnchanged(since: before, readCount: offset, path)
    }

    /// Returns the start of the first hole, or `nil` if the file system doesn't report holes.
    func firstHole() -> Int64? {
        // SEEK_HOLE is missing from the headers that Swift imports.
        let found = lseek(number, 0, 4)
        return found >= 0 ? Int64(found) : nil
    }

    /// Returns the offset of the first data from `offset` on, or `nil` if only holes follow. The
    /// result is at most the size of the file. Returns `offset` itself if the file system doesn't
    /// report holes.
    func firstData(from offset: Int64) -> Int64? {
        // SEEK_DATA is missing from the headers that Swift imports.
        let found = lseek(number, Int(offset), 3)
        if found >= 0 { return Int64(found) }
        return errno == ENXIO ? nil : offset
    }

    /// Sets the modification and access times of an open file.
    func setModified(_ instant: Timestamp, _ path: String) throws(ReplicationError) {
        let since1970 = instant.microseconds.addingReportingOverflow(
            Timestamp.microsecondsFrom1970)
        guard !since1970.overflow else {
            throw ReplicationError(
                .invalidTimestamp, "the time \(instant.iso8601) is out of range for files")
        }
        var second = since1970.partialValue / 1_000_000
        var rest = since1970.partialValue % 1_000_000
        if rest < 0 {
            rest += 1_000_000
            second -= 1
        }
        let time = timespec(tv_sec: Int(second), tv_nsec: Int(rest) * 1_000)
        guard futimens(number, [time, time]) == 0 else {
            throw ReplicationError(system: errno, "set the time of", path)
        }
    }
}

extension Timestamp {
    /// The difference between the Unix epoch and the epoch of timestamps.
    package static let microsecondsFrom1970: Int64 = 978_307_200_000_000

    init(nanosecondsSince1970 nanoseconds: Int64) {
        // Rounded down, so that reading a file's time returns the instant that was set.
        let quotient = nanoseconds / 1_000
        let floored = nanoseconds % 1_000 < 0 ? quotient - 1 : quotient
        self.init(microseconds: floored - Self.microsecondsFrom1970)
    }
}
