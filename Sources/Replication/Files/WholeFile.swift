package import Foundation
import Glibc

/// Functions that read and write whole files by paths that users provide: symbolic links are
/// followed.
package enum WholeFile {
    /// Returns the bytes of the regular file at `path`. Refuses anything else without blocking.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for a folder or
    ///   special file, `.tooLarge` beyond `limit` bytes, `.incomplete` for a file that changes
    ///   during the read or that is longer than 16 MiB and has holes.
    package static func read(_ path: String, limit: Int64) throws(ReplicationError) -> Data {
        let file = try regularFile(path)
        let byteCount = try file.status(path).byteCount
        // Sync services reserve a file's size first. Reading would allocate memory for bytes that
        // haven't arrived.
        if byteCount > sparseLimit, byteCount <= limit, let hole = file.firstHole(),
            hole < byteCount
        {
            throw ReplicationError(.incomplete, "\(path) has gaps for bytes that have not arrived")
        }
        return try file.contents(path, limit: limit)
    }

    /// The size in bytes above which files with holes are refused.
    private static let sparseLimit: Int64 = 16 << 20

    /// Returns the first `count` bytes of the regular file at `path`, or fewer if it is shorter.
    ///
    /// - Throws: As ``read(_:limit:)``.
    package static func beginning(
        of path: String, count: Int
    ) throws(ReplicationError) -> [UInt8] {
        // The file may be an open database, which only `SharedDescriptors` may open and close
        // safely.
        try SharedDescriptors.look(at: URL(filePath: path).resolvingSymlinksInPath().path) {
            file throws(ReplicationError) in try file.read(count, at: 0, path)
        }
    }

    private static func regularFile(_ path: String) throws(ReplicationError) -> Descriptor {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let number = open(path, flags)
        if number < 0, errno == ENOTDIR {
            throw ReplicationError(.notFound, at: path, "no such file or folder")
        }
        let file = try Descriptor(number, path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, at: path, "not a regular file")
        }
        return file
    }

    /// Calls `body` with the bytes of the regular file at `path`, in pieces of up to a mebibyte.
    /// Refuses anything else without blocking.
    ///
    /// - Throws: As ``read(_:limit:)``, but `.incomplete` only after the last piece; errors of
    ///   `body`.
    static func forEachPiece(
        ofRegularFile path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try regularFile(path).forEachPiece(path, body)
    }

    /// Calls `body` with the bytes at `path`, in pieces of up to a mebibyte. The path may name a
    /// regular file, a pipe, or a terminal. A pipe or terminal is read until its end.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for a folder;
    ///   errors of `body`.
    package static func forEachPiece(
        of path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try forEachPiece(of: try Descriptor(open(path, O_RDONLY | O_CLOEXEC), path), path, body)
    }

    /// Works like ``forEachPiece(of:_:)``, for standard input.
    package static func forEachPieceOfStandardInput(
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try forEachPiece(of: Descriptor(borrowed: STDIN_FILENO), "standard input", body)
    }

    private static func forEachPiece(
        of file: borrowing Descriptor, _ path: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = Glibc.read(file.number, &piece, piece.count)
            if count > 0 {
                try piece.withUnsafeBytes {
                    try body(UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
            } else if count == 0 {
                return
            } else if errno == EISDIR {
                throw ReplicationError(.unreadable, at: path, "a folder, not a file")
            } else if errno != EINTR {
                throw ReplicationError(system: errno, "read", path)
            }
        }
    }

    /// Writes a file atomically: readers see either the previous content or all of `bytes`.
    ///
    /// - Parameter isPrivate: Whether only the owner can read the file.
    /// - Throws: As ``write(to:isPrivate:_:)``.
    package static func write(
        _ bytes: Data, to path: String, isPrivate: Bool = false
    ) throws(ReplicationError) {
        do {
            try write(to: path, isPrivate: isPrivate) { write in
                try bytes.withUnsafeBytes(write)
            }
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw ReplicationError(.inputOutput, "can't write \(path): \(error)", cause: error)
        }
    }

    /// Writes a file atomically from the pieces that `body` passes to its argument: readers see
    /// either the previous content or all pieces.
    ///
    /// An existing file keeps its permissions. A pipe or a character device is written to directly.
    ///
    /// - Parameter isPrivate: Whether only the owner can read the file.
    /// - Throws: ``ReplicationError``: `.cannotCreate` if a folder or block device is in the way,
    ///   if no process reads from the pipe, or if the folder is missing; `.noPermission`,
    ///   `.inputOutput`; errors of `body`. After these errors, there is no partial file.
    ///   `.unconfirmed` if the file is written, but the disk didn't confirm it.
    package static func write(
        to path: String, isPrivate: Bool = false,
        _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var mode: mode_t?
        var status = stat()
        if stat(path, &status) == 0 {
            let kind = FileStatus(status)
            if kind.isPipe || kind.isCharacterDevice { return try write(into: path, body) }
            guard kind.isRegularFile else {
                throw ReplicationError(
                    .cannotCreate, at: path, "the path exists and is not a file")
            }
            if !isPrivate { mode = status.st_mode & 0o7777 }
        }
        // A symbolic link is kept; its target is replaced.
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        let temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let number = open(
            temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isPrivate ? 0o600 : 0o666)
        guard number >= 0 else { throw ReplicationError(creating: path, errno) }
        let file = try Descriptor(number, path)
        do {
            try body { try file.write($0, path) }
            if let mode, fchmod(file.number, mode) != 0 {
                throw ReplicationError(system: errno, "write", path)
            }
            try file.synchronize(path)
            guard rename(temporary, path) == 0 else {
                throw ReplicationError(system: errno, "write", path)
            }
        } catch {
            unlink(temporary)
            throw error
        }
        // A folder with write but no read permission can't be flushed.
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if let folder = try? Descriptor(folder: folder) { try folder.confirmChange(of: path) }
    }

    /// Writes to an existing pipe or device, without waiting for a reader.
    private static func write(
        into path: String, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let number = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        if number < 0, errno == ENXIO {
            throw ReplicationError(.cannotCreate, "no program reads from the pipe \(path)")
        }
        let file = try Descriptor(number, path)
        let kind = try file.status(path)
        // The item was replaced since it was checked.
        guard kind.isPipe || kind.isCharacterDevice else {
            throw ReplicationError(.cannotCreate, "\(path) exists and is not a file")
        }
        // From here on, block while the reader is slow.
        _ = fcntl(file.number, F_SETFL, 0)
        try body { try file.write($0, path) }
    }
}

extension WholeFile {
    /// Returns the content of the file at `path`. If the file is missing or empty, writes `bytes`
    /// to it first. Only the owner can read a new file.
    ///
    /// If several processes call this concurrently, one writes, and all return the bytes that it
    /// wrote.
    ///
    /// - Throws: ``ReplicationError``, as ``read(_:limit:)`` and ``write(_:to:)``.
    package static func readOrCreate(
        _ bytes: Data, at path: String, limit: Int64
    ) throws(ReplicationError) -> Data {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags, 0o600), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is not a regular file")
        }
        // If the file system has no locks, continue without one: the file nearly always has content
        // already, which is returned.
        while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
        let known = try file.contents(path, limit: limit)
        guard known.isEmpty else { return known }
        try file.write(bytes, path)
        try file.synchronize(path)
        return bytes
    }
}
