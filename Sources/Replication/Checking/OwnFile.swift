import Foundation
package import GRDB
import Glibc

/// A database file of this device's own that is mended: nobody else may use it meanwhile, and what
/// is replaced is kept beside it.
package enum OwnFile {
    /// From SQLite's first lock byte to its last: os.h, PENDING_BYTE, RESERVED_BYTE and the readers'.
    private static let lockStart = 0x4000_0000
    private static let lockLength = 512

    /// Whether another process has begun to write the database at `path`.
    ///
    /// - Throws: ``ReplicationError`` for a file that cannot be opened.
    package static func isBeingWritten(_ path: String) throws(ReplicationError) -> Bool {
        try HeldFiles.look(at: path) { file throws(ReplicationError) in
            var lock = range(Int16(F_RDLCK))
            // F_OFD_GETLK: this process's own locks count too.
            return fcntl(file.number, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }
    }

    private static func range(_ type: Int16) -> flock {
        var lock = flock()
        lock.l_type = type
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = lockStart
        lock.l_len = lockLength
        return lock
    }

    /// Whether this process's user may write the file, and make journals beside it.
    package static func isWritable(_ path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return access(path, W_OK) == 0 && access(folder, W_OK) == 0
    }

    /// Puts a file that `make` writes in the place of the one at `path`, which is kept with its
    /// journals under ``keptName(_:)``. Nobody can use the file meanwhile.
    ///
    /// - Parameter make: Writes the file whose path it is given, closed when it returns.
    /// - Returns: The path of the file that was kept, and those of the journals kept with it.
    /// - Throws: ``ReplicationError``, `.busy` where another process uses the file; what `make`
    ///   throws. Nothing is changed then.
    package static func replace(
        _ path: String, _ make: (String) throws -> Void
    ) throws -> (kept: String, journals: [String]) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try exclusively(path) {
            let new = "\(folder)/\(UnfinishedBlob.newName())"
            defer { for suffix in ["", "-journal"] { unlink(new + suffix) } }
            try make(new)
            var status = stat()
            if lstat(path, &status) == 0 { chmod(new, status.st_mode & 0o7777) }
            try Descriptor(file: new).synchronize(new)
            let kept = try keptName(path)
            // A second name leaves no moment without the file; not all file systems have them.
            if link(path, kept) != 0, rename(path, kept) != 0 {
                throw ReplicationError(system: errno, "keep", path)
            }
            var journals: [String] = []
            for suffix in ["-journal", "-wal", "-shm"] {
                guard let status = try FileStatus.ofLink(at: path + suffix) else { continue }
                if status.byteCount > 0, suffix != "-shm" {
                    if rename(path + suffix, kept + suffix) == 0 { journals.append(kept + suffix) }
                } else {
                    unlink(path + suffix)
                }
            }
            guard rename(new, path) == 0 else {
                let reason = errno
                // Where both names are of one file, this does nothing, and one of them goes.
                rename(kept, path)
                unlink(kept)
                throw ReplicationError(system: reason, "write", path)
            }
            try Descriptor(folder: folder).confirmChange(of: path)
            return (kept, journals)
        }
    }

    /// Gives what stands at `path` a name under which nothing reads it.
    ///
    /// - Returns: The path where it is now.
    package static func putAside(_ path: String) throws(ReplicationError) -> String {
        let kept = try keptName(path)
        guard rename(path, kept) == 0 else {
            throw ReplicationError(system: errno, "rename", path)
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Descriptor(folder: folder).confirmChange(of: path)
        return kept
    }

    /// Opens the file for writing as every write does, so that SQLite takes back what was broken
    /// off.
    ///
    /// - Throws: ``ReplicationError``, `.busy` where another process uses it.
    package static func settle(_ path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(1)
        let file = try LocalFile(path, configuration: configuration)
        do {
            try file.database.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    _ = try db.execute(sql: "SELECT count(*) FROM sqlite_master")
                    return .commit
                }
            }
            try file.database.close()
        } catch let error as DatabaseError {
            throw error.explained(path)
        }
    }

    /// Copies the pages of the database at `path`, and what its journals say of them, to `target`.
    ///
    /// - Throws: As ``ForeignDatabase/read(_:unless:limits:_:)``.
    package static func copyPages(of path: String, to target: String) throws {
        let queue = try DatabaseQueue(path: target, configuration: plain)
        _ = try ForeignDatabase.read(path) { db in
            try queue.writeWithoutTransaction { try db.backup(to: $0) }
        }
        try queue.close()
    }

    /// Writes the tables of the database at `source` to a new file, with their indexes made anew.
    ///
    /// - Parameter source: A file that nobody else uses.
    /// - Throws: ``ReplicationError`` where a row cannot be read: all of it is written or nothing.
    package static func rewrite(_ source: String, to target: String) throws {
        do {
            let queue = try DatabaseQueue(path: source, configuration: plain)
            try queue.writeWithoutTransaction { db in
                try db.refuseTriggers()
                try db.execute(sql: "VACUUM INTO ?", arguments: [target])
            }
            try queue.close()
        } catch let error as DatabaseError {
            throw ReplicationError(
                .unreadable, "not all of its rows can be read: \(error.message ?? "damaged")",
                cause: error)
        }
    }

    /// Fills a new database that nobody knows of yet.
    ///
    /// - Parameter creationSQL: What is to be set before the first table.
    package static func fill<Value>(
        _ path: String, creationSQL: String, _ body: (Database) throws -> Value
    ) throws -> Value {
        let queue = try DatabaseQueue(path: path, configuration: plain)
        try queue.writeWithoutTransaction { try $0.execute(sql: creationSQL) }
        let value = try queue.write(body)
        try queue.close()
        return value
    }

    /// A name beside `path` that no reader takes for data, and that nothing has yet.
    package static func keptName(_ path: String) throws(ReplicationError) -> String {
        for number in 1..<10_000 {
            let name = number == 1 ? "\(path).old" : "\(path).old-\(number)"
            if try FileStatus.ofLink(at: name) == nil { return name }
        }
        throw ReplicationError(.cannotCreate, at: path, "no name is left beside it")
    }

    /// Whether a file is one that was kept when it was replaced.
    package static func isKept(_ name: String) -> Bool {
        DatabaseKind.allCases.contains { kind in
            [kind.fileName, kind.legacyFileName].contains { file in
                guard let rest = file.flatMap({ name.between($0, "") }) else { return false }
                return rest.hasPrefix(".old") || rest.hasPrefix("-journal.old")
                    || rest.hasPrefix("-wal.old")
            }
        }
    }

    private static var plain: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            // What is being made is not in use before it is whole.
            try db.execute(
                sql: """
                    PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
                    PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0
                    """)
        }
        return configuration
    }

    private static func exclusively<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws -> Value {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, at: path, "not a regular file")
        }
        var lock = range(Int16(F_WRLCK))
        // F_OFD_SETLK: held by the descriptor. A file system without locks lets all through.
        guard fcntl(file.number, 37, &lock) == 0 || (errno != EAGAIN && errno != EACCES) else {
            throw ReplicationError(.busy, at: path, "another process uses it")
        }
        let value = try body()
        // The lock goes with the descriptor.
        lock.l_type = Int16(F_UNLCK)
        _ = fcntl(file.number, 37, &lock)
        return value
    }
}
