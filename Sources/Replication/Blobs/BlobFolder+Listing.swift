extension BlobFolder {
    /// All blobs whose path begins with `prefix`, in byte order of their paths.
    ///
    /// Hidden files, unfinished transfers, symbolic links and anything that is no regular file are
    /// left out, and so is what is deeper than 64 folders or may not be looked at.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be read.
    public func entries(prefix: String = "") throws(ReplicationError) -> [Entry] {
        var found: [String: Entry] = [:]
        for root in ["blobs", "Blobs"] {
            let path = "\(package.path)/\(root)"
            let folder: Descriptor?
            do {
                folder = try walk([root])
            } catch {
                // A link in the place of the folder of blobs: there are no blobs behind it.
                if error.code == .unsafePath { continue }
                throw error
            }
            guard let folder else { continue }
            try collect(folder, path, relative: "", depth: 0, prefix, into: &found)
        }
        return found.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private func collect(
        _ folder: borrowing Descriptor, _ path: String, relative: String, depth: Int,
        _ prefix: String, into found: inout [String: Entry]
    ) throws(ReplicationError) {
        for name in try folder.names(path) where !name.hasPrefix(".") {
            let full = "\(path)/\(name)"
            let own = relative.isEmpty ? name : "\(relative)/\(name)"
            guard !SyncServiceFile.isTransfer(name),
                let status = try FileStatus.of(name, in: folder, path: full)
            else { continue }
            if status.isRegularFile, own.hasPrefix(prefix) {
                found[own] = Entry(path: own, status)
            } else if status.isFolder, depth < BlobPath.deepest,
                own.hasPrefix(prefix) || prefix.hasPrefix(own)
            {
                // One that vanished, or is closed to this user, does not hide the others.
                guard let inner = try? folder.folder(name, path: full) else { continue }
                try collect(
                    inner, full, relative: own, depth: depth + 1, prefix, into: &found)
            }
        }
    }
}
