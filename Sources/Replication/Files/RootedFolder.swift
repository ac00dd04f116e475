package import Foundation
import Glibc

/// A folder below which no symbolic links are followed.
package struct RootedFolder: Sendable {
    /// An item in the folder.
    package struct Entry: Sendable {
        package enum Kind: Sendable {
            case file, folder, link, pipe, other
        }

        package let name: String
        package let kind: Kind
        package let byteCount: Int64
        package let modified: Timestamp
        /// The time of the last change of its content or status by this machine's clock, in seconds
        /// since 1970.
        package let changed: Int64

        package var isFolder: Bool { kind == .folder }

        init(_ name: String, _ status: FileStatus) {
            self.name = name
            kind = status.kind
            byteCount = status.byteCount
            modified = Timestamp(nanosecondsSince1970: status.modified)
            changed = Int64(status.changed)
        }
    }

    /// The path of the folder. It may contain symbolic links.
    package let path: String

    /// Creates a value without accessing the folder.
    package init(_ path: String) { self.path = path }

    /// Creates the folder and its missing parents.
    ///
    /// - Throws: ``ReplicationError``, `.cannotCreate`, `.noPermission`.
    package func make() throws(ReplicationError) {
        guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
        let (number, above) = (errno, (path as NSString).deletingLastPathComponent)
        guard number == ENOENT, !above.isEmpty, above != path else {
            throw ReplicationError(creating: path, number)
        }
        try RootedFolder(above).make()
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw ReplicationError(creating: path, errno)
        }
    }

    /// Returns the folders and regular files in the folder `steps` below this one, in byte order of
    /// names.
    ///
    /// - Throws: ``ReplicationError``, `.notFound`, `.noPermission`, `.unsafePath`.
    package func entries(_ steps: [String] = []) throws(ReplicationError) -> [Entry] {
        let path = self.path(steps)
        let folder = try folder(steps, creating: false)
        var entries: [Entry] = []
        for name in try folder.names(path) {
            if let entry = try Self.entry(name, in: folder, path) { entries.append(entry) }
        }
        return entries
    }

    /// Returns the folder or regular file of this name in the folder `steps` below this one.
    ///
    /// - Throws: ``ReplicationError``, as ``entries(_:)``.
    /// - Complexity: O(1), regardless of the number of entries in the folder.
    package func entry(
        named name: String, in steps: [String] = []
    ) throws(ReplicationError) -> Entry? {
        guard Self.isSafe(name) else { return nil }
        return try Self.entry(name, in: folder(steps, creating: false), path(steps))
    }

    private static func entry(
        _ name: String, in folder: borrowing Descriptor, _ path: String
    ) throws(ReplicationError) -> Entry? {
        guard let status = try FileStatus.of(name, in: folder, path: "\(path)/\(name)"),
            status.isFolder || status.isRegularFile
        else { return nil }
        return Entry(name, status)
    }

    /// Returns the bytes of a regular file.
    ///
    /// - Throws: ``ReplicationError``, as ``entries(_:)``; `.tooLarge`; `.incomplete` for a file
    ///   that changes during the read.
    package func read(
        _ name: String, in steps: [String], limit: Int64
    ) throws(ReplicationError) -> Data {
        let path = self.path(steps)
        let folder = try folder(steps, creating: false)
        return try folder.file(name, path: "\(path)/\(name)")
            .contents("\(path)/\(name)", limit: limit)
    }

    /// Writes a file atomically. The file's name must identify its content. Old temporary files of
    /// killed writers are removed.
    ///
    /// - Parameters:
    ///   - place: The number of steps to the folder for the temporary file, from the start of
    ///     `steps`.
    ///   - isFlushed: Whether the file is on disk when this returns.
    /// - Throws: ``ReplicationError``: `.unconfirmed` if the file is written, but the disk didn't
    ///   confirm it. After any other error, nothing is left behind.
    package func write(
        _ data: Data, as name: String, in steps: [String], by place: Int, isFlushed: Bool = true
    ) throws(ReplicationError) {
        let path = self.path(steps)
        let target = try folder(steps, creating: true)
        let other = try folder(Array(steps.prefix(place)), creating: true)
        // Failing to remove such a file doesn't prevent the write.
        try? UnfinishedFile.removeOld(in: other, path)
        let temporary = ".tideline-\(UInt32.random(in: 0 ... .max))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try Descriptor(
            openat(other.number, temporary, flags, 0o666), "\(path)/\(temporary)")
        do throws(ReplicationError) {
            try file.write(data, "\(path)/\(name)")
            if isFlushed { try file.synchronize("\(path)/\(name)") }
            guard renameat(other.number, temporary, target.number, name) == 0 else {
                throw ReplicationError(system: errno, "write", "\(path)/\(name)")
            }
        } catch {
            unlinkat(other.number, temporary, 0)
            throw error
        }
        if isFlushed { try target.confirmChange(of: "\(path)/\(name)") }
    }

    /// Deletes a regular file. A missing file is not an error.
    ///
    /// - Parameter byteCount: The expected size. A file of another size is kept.
    /// - Throws: ``ReplicationError``.
    package func remove(
        _ name: String, in steps: [String], ifOf byteCount: Int64? = nil
    ) throws(ReplicationError) {
        let path = "\(self.path(steps))/\(name)"
        do throws(ReplicationError) {
            let folder = try folder(steps, creating: false)
            guard let status = try FileStatus.of(name, in: folder, path: path),
                status.isRegularFile, byteCount == nil || status.byteCount == byteCount
            else { return }
            guard unlinkat(folder.number, name, 0) == 0 else {
                throw ReplicationError(system: errno, "delete", path)
            }
        } catch {
            if error.code != .notFound { throw error }
        }
    }

    func path(_ steps: [String]) -> String { ([path] + steps).joined(separator: "/") }

    func folder(
        _ steps: [String], creating: Bool
    ) throws(ReplicationError) -> Descriptor {
        var path = path
        var folder = try Descriptor(folder: path)
        for step in steps {
            guard Self.isSafe(step) else {
                throw ReplicationError(
                    .unsafePath, "\(step.quoted) leads out of \(self.path)")
            }
            path += "/\(step)"
            if creating, mkdirat(folder.number, step, 0o777) == 0 {
                try folder.synchronize(path)
            }
            folder = try folder.folder(step, path: path)
        }
        return folder
    }

    private static func isSafe(_ step: String) -> Bool {
        !step.isEmpty && step != "." && step != ".." && !step.utf8.contains(UInt8(ascii: "/"))
            && !step.utf8.contains(0)
    }
}
