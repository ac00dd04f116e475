public import Foundation
import Glibc

/// The files of a package that are no rows: pictures, attachments, in `Blobs/` by relative path.
///
/// They have no history; the last writer's file stands. Every operation walks the path from the
/// package's folder one open folder at a time, so that neither `..` nor a symbolic link on the way
/// leads anywhere else (data rule 10).
public struct BlobFolder: Hashable, Sendable {
    /// One blob as a listing shows it.
    public struct Entry: Hashable, Sendable {
        /// Components separated by `/`.
        @Name public private(set) var path: String
        public let byteCount: Int64
        public let modified: Timestamp
    }

    public let package: StorePackage

    init(_ package: StorePackage) { self.package = package }

    /// Both spellings, the package's own first. Where both stand, both are read.
    private var roots: [String] { package.isLegacy ? ["blobs", "Blobs"] : ["Blobs", "blobs"] }

    /// The blob at `path`, or `nil` where there is none.
    ///
    /// - Throws: ``ReplicationError``: `.unsafePath`, `.noPermission`.
    public func entry(_ path: String) throws(ReplicationError) -> Entry? {
        let place = try BlobPath(path)
        for root in roots {
            guard let folder = try walk([root] + place.folders) else { continue }
            let full = absolute(root, path)
            guard let status = try FileStatus.of(place.name, in: folder, path: full) else {
                continue
            }
            if status.isSymbolicLink { throw ReplicationError(system: ELOOP, "open", full) }
            if status.isRegularFile { return Entry(path: path, status) }
        }
        return nil
    }

    /// The bytes of the blob at `path`.
    ///
    /// - Parameter limit: The greatest size to read into memory.
    /// - Throws: ``ReplicationError``: `.notFound`, `.unsafePath`, `.noPermission`, `.tooLarge` for a
    ///   blob beyond the limit, `.incomplete` for one that changed meanwhile.
    public func data(
        at path: String, limit byteCount: Int64 = 1 << 30
    ) throws(ReplicationError) -> Data {
        let place = try BlobPath(path)
        for root in roots {
            guard let folder = try walk([root] + place.folders) else { continue }
            let full = absolute(root, path)
            do {
                return try folder.file(place.name, path: full).contents(full, limit: byteCount)
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        throw ReplicationError(.notFound, "There is no blob \(path.debugDescription)")
    }

    /// Writes a blob, in place of one that is there; its folders are created.
    ///
    /// Readers see the old one or the new one, never a part of it; when this returns, it is on disk.
    ///
    /// - Parameter modified: The modification time to give it; now, where `nil`.
    /// - Throws: ``ReplicationError``: `.unsafePath`, `.noPermission`, `.cannotCreate` where a folder
    ///   or a file stands in the way, `.inputOutput`.
    public func put(
        _ data: Data, at path: String, modified: Timestamp? = nil
    ) throws(ReplicationError) {
        let place = try BlobPath(path)
        let root = try rootForWriting()
        let full = absolute(root, path)
        let folder = try makeFolders([root] + place.folders)
        if let status = try FileStatus.of(place.name, in: folder, path: full) {
            if status.isSymbolicLink { throw ReplicationError(system: ELOOP, "write", full) }
            guard status.isRegularFile else {
                throw ReplicationError(.cannotCreate, "\(full) is not a file")
            }
        }
        let temporary = ".tideline-\(UUID().uuidString).tmp"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try Descriptor(openat(folder.number, temporary, flags, 0o666), full)
        do throws(ReplicationError) {
            try file.write(data, full)
            if let modified { try file.setModified(modified, full) }
            try file.synchronize(full)
            guard renameat(folder.number, temporary, folder.number, place.name) == 0 else {
                throw ReplicationError(system: errno, "write", full)
            }
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
        try folder.synchronize(full)
    }

    /// Deletes the blob at `path`; folders stay.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.unsafePath`, `.noPermission`.
    public func delete(_ path: String) throws(ReplicationError) {
        let place = try BlobPath(path)
        var isDeleted = false
        for root in roots {
            guard let folder = try walk([root] + place.folders) else { continue }
            let full = absolute(root, path)
            guard let status = try FileStatus.of(place.name, in: folder, path: full) else {
                continue
            }
            if status.isSymbolicLink { throw ReplicationError(system: ELOOP, "delete", full) }
            guard status.isRegularFile else { continue }
            guard unlinkat(folder.number, place.name, 0) == 0 || errno == ENOENT else {
                throw ReplicationError(system: errno, "delete", full)
            }
            try folder.synchronize(full)
            isDeleted = true
        }
        guard isDeleted else {
            throw ReplicationError(.notFound, "There is no blob \(path.debugDescription)")
        }
    }
}

extension BlobFolder {
    func absolute(_ root: String, _ path: String) -> String { "\(package.path)/\(root)/\(path)" }

    /// The folder at the end of `names`, or `nil` where one of them is missing.
    func walk(_ names: [String]) throws(ReplicationError) -> Descriptor? {
        var path = package.path
        var folder = try Descriptor(folder: path)
        for name in names {
            path += "/\(name)"
            guard let status = try FileStatus.of(name, in: folder, path: path) else { return nil }
            guard status.isFolder || status.isSymbolicLink else { return nil }
            folder = try folder.folder(name, path: path)
        }
        return folder
    }

    private func rootForWriting() throws(ReplicationError) -> String {
        for root in roots where try walk([root]) != nil { return root }
        return roots[0]
    }

    private func makeFolders(_ names: [String]) throws(ReplicationError) -> Descriptor {
        var path = package.path
        var folder = try Descriptor(folder: path)
        for name in names {
            let parent = path
            path += "/\(name)"
            if mkdirat(folder.number, name, 0o777) == 0 {
                try folder.synchronize(parent)
            } else if errno != EEXIST {
                throw ReplicationError(system: errno, "create", path)
            }
            do {
                folder = try folder.folder(name, path: path)
            } catch {
                throw error.code == .inputOutput
                    ? ReplicationError(.cannotCreate, "\(path) is not a folder", cause: error.cause)
                    : error
            }
        }
        return folder
    }
}

extension BlobFolder.Entry {
    init(path: String, _ status: FileStatus) {
        self.init(
            path: path, byteCount: status.byteCount,
            modified: Timestamp(nanosecondsSince1970: status.modified))
    }
}

extension StorePackage {
    /// The package's blobs.
    public var blobs: BlobFolder { BlobFolder(self) }
}
