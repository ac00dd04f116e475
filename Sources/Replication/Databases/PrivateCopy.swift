import Foundation
import Glibc

/// A private copy of a database file and its journals.
///
/// The folder of the copy is removed when the value is destroyed.
struct PrivateCopy: ~Copyable {
    private let folder: String
    /// The number of bytes written to the copy, without large holes.
    private(set) var storedByteCount: Int64 = 0
    /// The copied database.
    var path: String { "\(folder)/copy.db" }

    /// The maximum size to copy. A file that consists of holes may claim exabytes.
    private static let limit: Int64 = 16 << 30
    /// The maximum number of bytes to store. Holes aren't copied, so a copy costs only the stored
    /// bytes.
    private static let storedLimit: Int64 = 1 << 30

    /// Copies the files that `stamp` describes.
    ///
    /// - Parameter header: The first 100 bytes of the database.
    /// - Throws: ``ReplicationError``: `.incomplete` if a file changed during the copy,
    ///   `.tooLarge`.
    static func make(
        of source: String, _ stamp: FileStamp, header: [UInt8]
    ) throws(ReplicationError) -> PrivateCopy {
        guard stamp.totalByteCount <= limit else {
            throw ReplicationError(
                .tooLarge, "\(source) and its journal are too large to be copied")
        }
        let parent = URL(fileURLWithPath: NSTemporaryDirectory()).path
        var template = Array("\(parent)/tideline-read-XXXXXX".utf8CString)
        // mkdtemp creates the folder for this user only (0700).
        guard mkdtemp(&template) != nil else {
            throw ReplicationError(system: errno, "create a folder in", parent)
        }
        var copy = PrivateCopy(
            folder: String(
                decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        try copy.fill(from: source, stamp, header)
        return copy
    }

    private init(folder: String) { self.folder = folder }

    private mutating func fill(
        from source: String, _ stamp: FileStamp, _ header: [UInt8]
    ) throws(ReplicationError) {
        if let journal = stamp.rollbackJournal {
            try RollbackJournal.check(
                "\(source)-journal", byteCount: journal.byteCount, database: header)
            try copy("\(source)-journal", to: "\(path)-journal", journal.byteCount)
        }
        if let log = stamp.writeAheadLog {
            try WriteAheadLog.check("\(source)-wal", byteCount: log.byteCount, database: header)
            try copy("\(source)-wal", to: "\(path)-wal", log.byteCount)
        }
        try copy(source, to: path, stamp.byteCount)
        guard try FileStamp(ofFileAt: source) == stamp else {
            throw ReplicationError(.incomplete, "\(source) changed while it was being read")
        }
    }

    deinit {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink("\(path)\(suffix)") }
        rmdir(folder)
    }

    private mutating func copy(
        _ source: String, to target: String, _ byteCount: Int64
    ) throws(ReplicationError) {
        let output = try Descriptor(
            open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600), target)
        guard ftruncate(output.number, Int(byteCount)) == 0 else {
            throw ReplicationError(system: errno, "copy to", target)
        }
        var offset: Int64 = 0
        while offset < byteCount {
            let start = offset
            let (bytes, at) = try SharedDescriptors.look(at: source) {
                input throws(ReplicationError) in
                guard let data = input.firstData(from: start), data < byteCount else {
                    return ([UInt8](), start)
                }
                let count = Int(min(byteCount - data, 1_048_576))
                return (try input.read(count, at: data, source), data)
            }
            guard !bytes.isEmpty else { return }
            offset = at + Int64(bytes.count)
            storedByteCount += Int64(bytes.count)
            guard storedByteCount <= Self.storedLimit else {
                throw ReplicationError(
                    .tooLarge,
                    "\(source) has more than \(Self.storedLimit) bytes, the limit for copying")
            }
            try output.write(bytes, at: at, target)
        }
    }
}

extension FileStamp {
    /// The size of the file and its journals.
    var totalByteCount: Int64 {
        [rollbackJournal?.byteCount, writeAheadLog?.byteCount].reduce(byteCount) { sum, count in
            let (total, overflow) = sum.addingReportingOverflow(count ?? 0)
            return overflow ? .max : total
        }
    }
}
