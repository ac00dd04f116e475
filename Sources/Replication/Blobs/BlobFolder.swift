public import Foundation
import Glibc

/// The files of a package that are not rows, such as pictures and attachments, in `Blobs/` by
/// relative path.
///
/// Blobs have no history; the last write replaces the file. Every operation opens the folders on
/// the path one by one, starting at the package's folder. So neither `..` nor a symbolic link can
/// lead out of the package (data rule 10).
public struct BlobFolder: Hashable, Sendable {
    /// A blob in a listing.
    public struct Entry: Hashable, Sendable {
        /// The path's components, separated by `/`.
        @Name public private(set) var path: String
        /// The size in bytes.
        public let byteCount: Int64
        /// The file's modification time, rounded down to microseconds.
        public let modified: Timestamp
    }

    /// The package that contains the blobs.
    public let package: StorePackage
    /// Whether the files are all files of the package, with paths that start at the package.
    let isWhole: Bool

    init(_ package: StorePackage, isWhole: Bool = false) {
        self.package = package
        self.isWhole = isWhole
    }

    /// Both spellings of the folder of blobs, starting with the spelling that the package uses. If
    /// both folders exist, both are read.
    var roots: [String] {
        if isWhole { return ["."] }
        return package.isLegacy ? ["blobs", "Blobs"] : ["Blobs", "blobs"]
    }

    /// Returns the blob at `path`, or `nil` if there is none.
    ///
    /// - Throws: ``ReplicationError``: `.unsafePath`, `.noPermission`.
    public func entry(_ path: String) throws(ReplicationError) -> Entry? {
        try find(path)?.entry
    }

    /// Returns the blob at `path` with its file, or `nil` if there is none.
    func find(_ path: String) throws(ReplicationError) -> (entry: Entry, file: String)? {
        let place = try BlobPath(path)
        for root in roots {
            guard let folder = try walk([root] + place.folders) else { continue }
            let full = absolute(root, path)
            guard let status = try FileStatus.of(place.name, in: folder, path: full) else {
                continue
            }
            if status.isSymbolicLink { throw ReplicationError(system: ELOOP, "open", full) }
            if status.isRegularFile { return (Entry(path: path, status), full) }
        }
        return nil
    }

    /// Returns the bytes of the blob at `path`.
    ///
    /// - Parameter byteCount: The maximum size to read into memory.
    /// - Throws: ``ReplicationError``: `.notFound`, `.unsafePath`, `.noPermission`, `.tooLarge` for
    ///   a blob beyond the limit, `.incomplete` if it changed during the read.
    /// - Complexity: O(*n*) in the blob's size, in time and in memory.
    public func data(
        at path: String, limit byteCount: Int64 = 1 << 30
    ) throws(ReplicationError) -> Data {
        do {
            return try withFile(of: path) { file, full in
                try file.contents(full, limit: byteCount)
            }
        } catch {
            throw ReplicationError(reading: error)
        }
    }

    /// Calls `body` with the bytes of the blob at `path`, in pieces of up to a mebibyte.
    ///
    /// - Throws: As ``data(at:limit:)``, but `.incomplete` only after the last piece; errors of
    ///   `body`.
    /// - Complexity: O(*n*) in the blob's size; memory for one piece.
    public func read(
        _ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withFile(of: path) { file, full in try file.forEachPiece(full, body) }
    }

    /// Calls `body` with the open file of the blob at `path`, and the file's path.
    ///
    /// - Throws: As ``data(at:limit:)``, without `.tooLarge`; errors of `body`.
    func withFile<Result>(
        of path: String, _ body: (borrowing Descriptor, String) throws -> Result
    ) throws -> Result {
        let place = try BlobPath(path)
        for root in roots {
            guard let folder = try walk([root] + place.folders) else { continue }
            let full = absolute(root, path)
            let file: Descriptor
            do {
                file = try folder.file(place.name, path: full)
            } catch {
                guard error.code == .notFound else { throw error }
                continue
            }
            return try body(file, full)
        }
        throw ReplicationError(.notFound, "there is no blob \(path.quoted)")
    }

    /// Deletes the blob at `path`. Its folders remain.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.unsafePath`, `.noPermission`; `.unconfirmed`
    ///   if the blob is deleted, but the disk didn't confirm it.
    public func delete(_ path: String) throws(ReplicationError) {
        let place = try BlobPath(path)
        var isDeleted = false
        var unconfirmed: ReplicationError?
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
            isDeleted = true
            do {
                try folder.synchronize(full)
            } catch {
                unconfirmed = ReplicationError(unconfirmedAt: full, "deleted", cause: error)
            }
        }
        guard isDeleted else {
            throw ReplicationError(.notFound, "there is no blob \(path.quoted)")
        }
        if let unconfirmed { throw unconfirmed }
    }
}

extension BlobFolder {
    func absolute(_ root: String, _ path: String) -> String { "\(package.path)/\(root)/\(path)" }

    /// Returns the last folder of the path `names`, or `nil` if a folder on the path is missing.
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

    /// The files of the package as blobs, with paths that start at the package. They are read and
    /// written with the same safety. Use it only for conflict copies of files that no data model
    /// owns.
    package var files: BlobFolder { BlobFolder(self, isWhole: true) }
}
