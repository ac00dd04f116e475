import Glibc

extension StorePackage {
    /// Deletes the databases of one kind, with their journals, from the folders of all devices.
    /// Then deletes the folders that are empty, up to the package's own.
    ///
    /// Databases of other kinds and files that don't belong to a package stay. A sync service that
    /// carries the package also deletes the databases on the other devices. A device that still has
    /// a store open keeps its content in memory, and starts a new log with its next write. So close
    /// the stores on the other devices first.
    ///
    /// - Parameter withBlobs: Whether to also delete the package's blobs.
    /// - Throws: ``ReplicationError``: `.busy` if a store of this program is open or another
    ///   process is writing, `.unsafePath`, `.noPermission`; after these errors, nothing is
    ///   deleted. `.unconfirmed` if the databases are deleted, but the disk didn't confirm it.
    public func destroy(_ kind: DatabaseKind, withBlobs: Bool = false) throws {
        guard !LogRegistration.exists(kind, in: self) else {
            throw ReplicationError(
                .busy, at: path, "a store of this program is open; close it first")
        }
        let folders = try devices()
        for folder in folders {
            guard let problem = folder.problem else { continue }
            throw ReplicationError(.noPermission, at: folder.path, problem)
        }
        let files = folders.filter { $0.has(kind) }.map { $0.path(of: kind) }
        try OwnFile.exclusively(files) {
            for file in files {
                for suffix in ["", "-journal", "-wal", "-shm"]
                where unlink(file + suffix) != 0 && errno != ENOENT {
                    throw ReplicationError(system: errno, "delete", file + suffix)
                }
            }
        }
        var unconfirmed: ReplicationError?
        for folder in folders {
            do {
                try Descriptor(folder: folder.path).synchronize(folder.path)
            } catch {
                unconfirmed = ReplicationError(unconfirmedAt: folder.path, "deleted", cause: error)
            }
            // If the folder contains other files, this fails and the folder stays.
            rmdir(folder.path)
        }
        let package = try Descriptor(folder: path)
        if withBlobs {
            for root in blobs.roots {
                try Self.deleteFolder(root, in: package, path: "\(path)/\(root)", depth: 0)
            }
        }
        for root in Self.deviceRoots { unlinkat(package.number, root, AT_REMOVEDIR) }
        rmdir(path)
        if let unconfirmed { throw unconfirmed }
    }

    /// Deletes a folder with its content. Symbolic links are deleted, but not followed.
    private static func deleteFolder(
        _ name: String, in parent: borrowing Descriptor, path: String, depth: Int
    ) throws(ReplicationError) {
        guard try FileStatus.of(name, in: parent, path: path)?.isFolder == true else { return }
        let folder = try parent.folder(name, path: path)
        for item in try folder.names(path) {
            let itemPath = "\(path)/\(item)"
            if try FileStatus.of(item, in: folder, path: itemPath)?.isFolder == true {
                if depth < BlobPath.deepest {
                    try deleteFolder(item, in: folder, path: itemPath, depth: depth + 1)
                }
            } else if unlinkat(folder.number, item, 0) != 0, errno != ENOENT {
                throw ReplicationError(system: errno, "delete", itemPath)
            }
        }
        unlinkat(parent.number, name, AT_REMOVEDIR)
    }
}
