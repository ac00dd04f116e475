import Foundation
package import GRDB
import Glibc

/// Functions that repair a database file of this device. No other process can use the file during
/// the repair. The file from before the repair is kept next to the new file.
package enum OwnFile {
    /// Returns whether another process has started to write the database at `path`.
    ///
    /// - Throws: ``ReplicationError`` if the file can't be opened.
    package static func isBeingWritten(_ path: String) throws(ReplicationError) -> Bool {
        try SharedDescriptors.look(at: path) { file throws(ReplicationError) in
            var lock = flock(ofSQLite: F_RDLCK)
            // Also reports locks of this process.
            return fcntl(file.number, DescriptorLock.get, &lock) == 0
                && lock.l_type != Int16(F_UNLCK)
        }
    }

    /// Returns whether this process's user can write the file and create journals next to it.
    package static func isWritable(_ path: String) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return access(path, W_OK) == 0 && access(folder, W_OK) == 0
    }

    /// Returns whether the file system of an item is mounted read-only, regardless of permissions.
    package static func isOnReadOnlyDisk(_ path: String) -> Bool {
        access(path, W_OK) != 0 && errno == EROFS
    }

    /// Replaces the file at `path` with a file that `make` writes. The old file and its journals
    /// are kept under ``keptName(_:)``. No other process can use the file until this method
    /// returns.
    ///
    /// - Parameter make: Writes a file to the given path and closes it before returning.
    /// - Returns: The path of the kept file, and the paths of the journals that are kept with it.
    /// - Throws: ``ReplicationError``, `.busy` if another process uses the file; errors of `make`.
    ///   After an error, the old file is unchanged.
    package static func replace(
        _ path: String, _ make: (String) throws -> Void
    ) throws -> (kept: String, journals: [String]) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try exclusively(path) {
            let new = "\(folder)/\(UnfinishedFile.newName())"
            defer { for suffix in ["", "-journal"] { unlink(new + suffix) } }
            try make(new)
            var status = stat()
            if lstat(path, &status) == 0 { chmod(new, status.st_mode & 0o7777) }
            try Descriptor(file: new).synchronize(new)
            let kept = try keptName(path)
            // With a hard link, the file is never missing. Not all file systems support them.
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
                // If both names are hard links of one file, renaming does nothing and the kept name
                // must be removed.
                rename(kept, path)
                unlink(kept)
                throw ReplicationError(system: reason, "write", path)
            }
            try Descriptor(folder: folder).confirmChange(of: path)
            return (kept, journals)
        }
    }

    /// Renames the item at `path`, so that no process reads it.
    ///
    /// - Returns: The new path.
    package static func putAside(_ path: String) throws(ReplicationError) -> String {
        let kept = try keptName(path)
        guard rename(path, kept) == 0 else {
            throw ReplicationError(system: errno, "rename", path)
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Descriptor(folder: folder).confirmChange(of: path)
        return kept
    }

    /// Opens the file for writing, so that SQLite rolls back an interrupted transaction.
    ///
    /// - Throws: ``ReplicationError``, `.busy` if another process uses the file.
    package static func rollBackJournal(_ path: String) throws {
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

    /// Copies the pages of the database at `path`, with the effects of its journals, to `target`.
    ///
    /// - Throws: As ``ForeignDatabase/read(_:unless:limits:_:)``.
    package static func copyPages(of path: String, to target: String) throws {
        let queue = try DatabaseQueue(path: target, configuration: plain)
        _ = try ForeignDatabase.read(path) { db in
            try queue.writeWithoutTransaction { try db.backup(to: $0) }
        }
        try queue.close()
    }

    /// Writes the tables of the database at `source` to a new file and rebuilds their indexes.
    ///
    /// - Parameter source: A file that no other process uses.
    /// - Throws: ``ReplicationError`` if a row can't be read. After an error, no partial file
    ///   remains.
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

    /// Creates and fills a database that no other process uses yet.
    ///
    /// - Parameter creationSQL: The settings to apply before the first table is created.
    package static func fill<Value>(
        _ path: String, creationSQL: String, _ body: (Database) throws -> Value
    ) throws -> Value {
        let queue = try DatabaseQueue(path: path, configuration: plain)
        try queue.writeWithoutTransaction { try $0.execute(sql: creationSQL) }
        let value = try queue.write(body)
        try queue.close()
        return value
    }

    /// Returns an unused name next to `path` that no reader treats as data.
    package static func keptName(_ path: String) throws(ReplicationError) -> String {
        for number in 1..<10_000 {
            let name = number == 1 ? "\(path).old" : "\(path).old-\(number)"
            if try FileStatus.ofLink(at: name) == nil { return name }
        }
        throw ReplicationError(.cannotCreate, at: path, "there is no unused name for the old file")
    }

    /// Returns whether `name` is the name of a file that was kept when another file replaced it.
    package static func isKept(_ name: String) -> Bool {
        guard let stem = DatabaseKind.stem(of: name), let rest = name.between("\(stem).db", "")
        else { return false }
        return [".old", "-journal.old", "-wal.old"].contains(where: rest.hasPrefix)
    }

    private static var plain: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            // The file isn't used before it is complete, so durability doesn't matter.
            try db.execute(
                sql: """
                    PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;
                    PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 0
                    """)
        }
        return configuration
    }

    /// Runs `body` while no other process can use the files at `paths`.
    ///
    /// - Throws: ``ReplicationError``, `.busy` if another process or this one uses a file; errors
    ///   of `body`.
    static func exclusively<Value>(
        _ paths: some Collection<String>, _ body: () throws -> Value
    ) throws -> Value {
        guard let path = paths.first else { return try body() }
        // Closing another descriptor of the file would release the locks of its connection.
        guard try !SharedDescriptors.holds(path) else {
            throw ReplicationError(.busy, at: path, "this program has the file open")
        }
        return try exclusively(path) { try exclusively(paths.dropFirst(), body) }
    }

    private static func exclusively<Value>(
        _ path: String, _ body: () throws -> Value
    ) throws -> Value {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, at: path, "not a regular file")
        }
        var lock = flock(ofSQLite: F_WRLCK)
        // On a file system without locks, the check is skipped.
        guard
            fcntl(file.number, DescriptorLock.set, &lock) == 0
                || (errno != EAGAIN && errno != EACCES)
        else {
            throw ReplicationError(.busy, at: path, "another process uses it")
        }
        let value = try body()
        // The lock is released with the descriptor.
        lock.l_type = Int16(F_UNLCK)
        _ = fcntl(file.number, DescriptorLock.set, &lock)
        return value
    }
}
