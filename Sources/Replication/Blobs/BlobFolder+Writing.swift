public import Foundation
import Glibc

extension BlobFolder {
    /// Writes a blob, creating its folders, and replaces an existing blob.
    ///
    /// Readers see either the old blob or the new one, never a part of it. It is on disk when this
    /// method returns. The file of an existing blob keeps its permissions.
    ///
    /// - Parameter modified: The modification time of the blob, or `nil` for the current time.
    /// - Throws: ``ReplicationError``: `.unsafePath`, also for paths that listings leave out
    ///   because they are more than 64 folders deep or have a name that sync services or editors
    ///   use; `.incomplete` if a sync service has not downloaded the existing blob;
    ///   `.noPermission`, `.cannotCreate` if a folder or a file is in the way, `.inputOutput`;
    ///   `.unconfirmed` if the blob is written, but the disk didn't confirm it.
    public func put(
        _ data: Data, at path: String, modified: Timestamp? = nil
    ) throws(ReplicationError) {
        do {
            try put(at: path, modified: modified) { write in try data.withUnsafeBytes(write) }
        } catch let error as ReplicationError {
            throw error
        } catch {
            throw ReplicationError(.inputOutput, "can't write the blob: \(error)", cause: error)
        }
    }

    /// Writes a blob piece by piece, with the guarantees of ``put(_:at:modified:)``. `body` passes
    /// each piece to its argument. If `body` throws, nothing changes.
    ///
    /// - Throws: As ``put(_:at:modified:)``; errors of `body`.
    /// - Complexity: O(*n*) in the number of bytes; memory for one piece.
    public func put(
        at path: String, modified: Timestamp? = nil,
        _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        try put(at: path, modified: modified, willWrite: { _ in }, body)
    }

    /// Works like ``put(at:modified:_:)``.
    ///
    /// - Parameters:
    ///   - allowsCopies: Whether the name can be that of a conflict copy.
    ///   - willWrite: Receives the path of the temporary file before it is created.
    package func put(
        at path: String, modified: Timestamp? = nil, allowsCopies: Bool = false,
        willWrite: (String) -> Void,
        _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let place = try BlobPath(path)
        guard place.folders.count <= BlobPath.deepest else {
            throw ReplicationError(
                .unsafePath,
                "\(path.prefix(200).quoted) is more than \(BlobPath.deepest) folders deep"
            )
        }
        let root = try rootForWriting()
        let full = absolute(root, path)
        try checkIsShown(place, path, in: root, allowsCopies: allowsCopies)
        let folder = try makeFolders([root] + place.folders)
        let old = try FileStatus.of(place.name, in: folder, path: full)
        if let old {
            if old.isSymbolicLink { throw ReplicationError(system: ELOOP, "write", full) }
            guard old.isRegularFile else {
                throw ReplicationError(.cannotCreate, "\(full) is not a file")
            }
        }
        try UnfinishedFile.removeOld(in: folder, full)
        let temporary = UnfinishedFile.newName()
        willWrite(absolute(root, (place.folders + [temporary]).joined(separator: "/")))
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let permissions = old?.permissions ?? 0o666
        let file = try Descriptor(openat(folder.number, temporary, flags, permissions), full)
        do {
            // New files lack the permissions that the process's mask forbids.
            if old != nil, fchmod(file.number, permissions) != 0 {
                throw ReplicationError(system: errno, "write", full)
            }
            try body { try file.write($0, full) }
            if let modified { try file.setModified(modified, full) }
            try file.synchronize(full)
            guard renameat(folder.number, temporary, folder.number, place.name) == 0 else {
                throw ReplicationError(system: errno, "write", full)
            }
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
        try folder.confirmChange(of: full)
    }

    /// Refuses a name that listings leave out, and a blob that a sync service has not downloaded.
    private func checkIsShown(
        _ place: BlobPath, _ path: String, in root: String, allowsCopies: Bool
    ) throws(ReplicationError) {
        let folder = try walk([root] + place.folders)
        let siblings = Set(try folder?.names(path).map { Name($0) } ?? [])
        let file = SyncServiceFile.amongBlobs(place.name) { siblings.contains(Name($0)) }
        if let file, !allowsCopies || file.role != .conflictCopy {
            throw ReplicationError(.unsafePath, "\(path.quoted) is named like \(file.explanation)")
        }
        guard !siblings.contains(Name(place.name)) else { return }
        // The name of a placeholder contains the name of the file.
        for sibling in siblings where sibling.text.contains(place.name) {
            guard let file = SyncServiceFile(name: sibling.text), file.role == .placeholder,
                let original = file.original, Name(original) == Name(place.name)
            else { continue }
            throw ReplicationError(
                .incomplete, at: absolute(root, path),
                "\(file.name.quoted) is \(file.explanation), and writing would replace it")
        }
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
