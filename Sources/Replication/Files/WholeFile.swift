package import Foundation
import Glibc

/// Files that are read and written as a whole, by paths of people: symbolic links are followed.
package enum WholeFile {
    /// The bytes of the regular file at `path`. Anything else is refused without waiting for it.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for a folder or
    ///   the like, `.tooLarge` beyond `limit` bytes, `.incomplete` for a file that changes while it
    ///   is read, and for a long one with gaps where nothing was ever written.
    package static func read(_ path: String, limit: Int64) throws(ReplicationError) -> Data {
        let file = try regularFile(path)
        let byteCount = try file.status(path).byteCount
        // Services reserve a file's size first; memory would be taken for what is not there.
        if byteCount > sparseLimit, byteCount <= limit, let hole = file.firstHole(),
            hole < byteCount
        {
            throw ReplicationError(.incomplete, "\(path) has gaps where bytes are still to come")
        }
        return try file.contents(path, limit: limit)
    }

    /// Longer files are read only where all of them is stored.
    private static let sparseLimit: Int64 = 16 << 20

    /// The first `count` bytes of the regular file at `path`, fewer of a shorter one.
    ///
    /// - Throws: As ``read(_:limit:)``.
    package static func beginning(
        of path: String, count: Int
    ) throws(ReplicationError) -> [UInt8] {
        // It may be a database that is open: only this may open and close it then.
        try HeldFiles.look(at: URL(filePath: path).resolvingSymlinksInPath().path) {
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
    /// Anything else is refused without waiting for it.
    ///
    /// - Throws: As ``read(_:limit:)``, `.incomplete` after the last piece; what `body` throws.
    static func forEachPiece(
        ofRegularFile path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try regularFile(path).forEachPiece(path, body)
    }

    /// Calls `body` with the bytes at `path`, in pieces of up to a mebibyte: those of a regular
    /// file, or what a pipe or terminal gives to its end, for which this waits.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, `.unreadable` for a folder;
    ///   what `body` throws.
    package static func forEachPiece(
        of path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try forEachPiece(of: try Descriptor(open(path, O_RDONLY | O_CLOEXEC), path), path, body)
    }

    /// The same of standard input.
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

    /// Writes a file in one step: whoever looks sees what was there before, or all of `bytes`.
    ///
    /// - Throws: As ``write(to:_:)``.
    package static func write(_ bytes: Data, to path: String) throws(ReplicationError) {
        do {
            try write(to: path) { write in try bytes.withUnsafeBytes(write) }
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw ReplicationError(.inputOutput, "cannot write \(path): \(error)", cause: error)
        }
    }

    /// Writes a file in one step, from the pieces that `body` hands to the function that it is
    /// given: whoever looks sees what was there before, or all of them.
    ///
    /// A file that is there keeps its permissions. A pipe or a character device is written into and
    /// stays what it is.
    ///
    /// - Throws: ``ReplicationError``: `.cannotCreate` where a folder, a disk or the like is there,
    ///   where nobody reads from the pipe, and for a folder that is missing; `.noPermission`,
    ///   `.inputOutput`; what `body` throws. No part of a file is left behind then. `.unconfirmed`
    ///   for a file that is written, though the disk did not confirm it.
    package static func write(
        to path: String, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        var mode: mode_t?
        var status = stat()
        if stat(path, &status) == 0 {
            let kind = FileStatus(status)
            if kind.isPipe || kind.isCharacterDevice { return try write(into: path, body) }
            guard kind.isRegularFile else {
                throw ReplicationError(
                    .cannotCreate, at: path, "something other than a file is there")
            }
            mode = status.st_mode & 0o7777
        }
        // A symbolic link stays one: what it leads to is replaced.
        let path = URL(filePath: path).resolvingSymlinksInPath().path
        let temporary = "\(path).tideline-\(UInt32.random(in: 0 ... .max))"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
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
        // A folder that can be written but not read cannot be flushed.
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if let folder = try? Descriptor(folder: folder) { try folder.confirmChange(of: path) }
    }

    /// Writes into what is there and is not a file, without waiting for somebody to read.
    private static func write(
        into path: String, _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let number = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        if number < 0, errno == ENXIO {
            throw ReplicationError(.cannotCreate, "Nobody reads from the pipe \(path)")
        }
        let file = try Descriptor(number, path)
        let kind = try file.status(path)
        // Replaced since it was looked at.
        guard kind.isPipe || kind.isCharacterDevice else {
            throw ReplicationError(.cannotCreate, "Something other than a file is at \(path)")
        }
        // The reader may take its time.
        _ = fcntl(file.number, F_SETFL, 0)
        try body { try file.write($0, path) }
    }
}

extension WholeFile {
    /// What the file at `path` holds, which is `bytes` where there was none, or an empty one.
    ///
    /// Of several processes that ask at once one writes, and all get what it wrote.
    ///
    /// - Throws: ``ReplicationError``, as ``read(_:limit:)`` and ``write(_:to:)``.
    package static func settle(
        _ bytes: Data, at path: String, limit: Int64
    ) throws(ReplicationError) -> Data {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = try Descriptor(open(path, flags, 0o666), path)
        guard try file.status(path).isRegularFile else {
            throw ReplicationError(.unreadable, "\(path) is not a regular file")
        }
        // A file system without locks leaves what is there already, which is nearly always it.
        while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
        let known = try file.contents(path, limit: limit)
        guard known.isEmpty else { return known }
        try file.write(bytes, path)
        try file.synchronize(path)
        return bytes
    }
}
