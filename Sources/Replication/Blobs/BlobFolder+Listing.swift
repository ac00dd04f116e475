extension BlobFolder {
    /// Whether the folder of blobs itself exists.
    package var exists: Bool { roots.contains { ((try? walk([$0])) ?? nil) != nil } }

    /// Returns whether a folder exists at that path, empty or not.
    package func hasFolder(_ path: String) -> Bool {
        guard let place = try? BlobPath(path) else { return false }
        for root in roots {
            do {
                if try walk([root] + place.folders + [place.name]) != nil { return true }
            } catch {
                // A folder that can't be opened doesn't belong to this package.
                continue
            }
        }
        return false
    }

    /// Returns all blobs whose path starts with `prefix`, in byte order of their paths.
    ///
    /// Leaves out hidden files, unfinished transfers, conflict copies, and everything that is not a
    /// regular file, such as symbolic links. Also leaves out items more than 64 folders deep and
    /// folders without read permission.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or can't be read.
    /// - Complexity: One `stat` for each file that the prefix matches, plus sorting. For other
    ///   files in the same folders, only the names are read.
    public func entries(prefix: String = "") throws(ReplicationError) -> [Entry] {
        try listing(prefix: prefix).entries
    }

    /// Returns the non-UTF-8 names in the folder of blobs, as text with escaped bytes
    /// (`trip/caf\xE9.jpg`). No blob can have such a name, because no other device could request
    /// it.
    ///
    /// - Throws: As ``entries(prefix:)``.
    /// - Complexity: One `stat` per blob.
    public func undecodableNames() throws(ReplicationError) -> [String] {
        try listing(prefix: "").undecodable
    }

    /// A folder whose blobs a survey leaves out.
    package struct UnreadFolder: Sendable {
        /// The path of the folder among the blobs; empty for the folder of blobs itself.
        @Name package private(set) var path: String
        /// Why the folder isn't read: no permission, too deep, or a symbolic link in place of the
        /// folder of blobs.
        package let reason: ReplicationError

        /// Returns whether a blob at `blob` would be inside the folder.
        package func contains(_ blob: String) -> Bool {
            path.isEmpty || Name(blob).hasPrefix("\(path)/")
        }
    }

    /// The contents of the folder of blobs, from a single scan.
    public struct Survey: Sendable {
        /// The blobs, in byte order of their paths.
        public let entries: [Entry]
        /// The names that are not UTF-8, as text with escaped bytes.
        public let undecodableNames: [String]
        /// The files that sync services and editors left among the blobs, in byte order of their
        /// paths. Each has its path and, if its name shows which blob it belongs to, the path of
        /// that blob. The files aren't blobs, but conflict copies can be read and deleted by their
        /// paths.
        public let syncServiceFiles: [SyncServiceFile]
        /// The names that other systems refuse or confuse with another name.
        public let nameProblems: [NameProblem]
        /// The folders whose blobs are left out.
        package let unreadFolders: [UnreadFolder]
        /// The conflict copies among the sync services' files, in byte order of their paths.
        let copies: [Entry]
    }

    /// Scans the folder of blobs once.
    ///
    /// - Parameter prefix: Leaves out files whose paths don't start with it.
    /// - Throws: As ``entries(prefix:)``.
    public func survey(prefix: String = "") throws(ReplicationError) -> Survey {
        let listing = try listing(prefix: prefix)
        return Survey(
            entries: listing.entries, undecodableNames: listing.undecodable,
            syncServiceFiles: listing.files.sorted { Name($0.name) < Name($1.name) },
            nameProblems: listing.problems, unreadFolders: listing.unread,
            copies: listing.copies.sorted { Name($0.path) < Name($1.path) })
    }

    private struct Listing {
        var found: [Name: Entry] = [:]
        var undecodable: [String] = []
        var files: [SyncServiceFile] = []
        var copies: [Entry] = []
        var problems: [NameProblem] = []
        var unread: [UnreadFolder] = []

        var entries: [Entry] { found.sorted { $0.key < $1.key }.map(\.value) }
    }

    private func listing(prefix: String) throws(ReplicationError) -> Listing {
        var listing = Listing()
        // If both folders have a blob with the same path, reading uses the first folder's blob. In
        // reverse order, this blob replaces the other one in the listing.
        for root in roots.reversed() {
            let path = "\(package.path)/\(root)"
            let folder: Descriptor?
            do {
                folder = try walk([root])
            } catch {
                // A symbolic link replaces the folder of blobs. Nothing behind it counts as a blob.
                guard error.code == .unsafePath else { throw error }
                listing.unread.append(UnreadFolder(path: "", reason: error))
                continue
            }
            guard let folder else { continue }
            try collect(folder, path, relative: "", depth: 0, prefix, into: &listing)
        }
        return listing
    }

    private func collect(
        _ folder: borrowing Descriptor, _ path: String, relative: String, depth: Int,
        _ prefix: String, into listing: inout Listing
    ) throws(ReplicationError) {
        let names = try folder.entries(path)
        listing.undecodable += names.escaped.map { relative.isEmpty ? $0 : "\(relative)/\($0)" }
        let all = Set(names.names.map { Name($0) })
        var shown: [String] = []
        for name in names.names {
            let full = "\(path)/\(name)"
            let own = Name(relative.isEmpty ? name : "\(relative)/\(name)")
            let leadsThere = own.hasPrefix(prefix) || Name(prefix).hasPrefix("\(own.text)/")
            guard leadsThere else { continue }
            let left = SyncServiceFile.amongBlobs(name) { all.contains(Name($0)) }
            guard left != nil || name.utf8.first != UInt8(ascii: "."),
                let status = try FileStatus.of(name, in: folder, path: full)
            else { continue }
            if let left, status.isRegularFile || left.role != .conflictCopy {
                if status.isRegularFile {
                    listing.files.append(left.inside(relative))
                    if left.role == .conflictCopy {
                        listing.copies.append(Entry(path: own.text, status))
                    }
                }
                continue
            }
            if status.isRegularFile || status.isFolder { shown.append(name) }
            if status.isRegularFile {
                if own.hasPrefix(prefix) { listing.found[own] = Entry(path: own.text, status) }
            } else if status.isFolder {
                let inner: Descriptor
                do throws(ReplicationError) {
                    guard depth < BlobPath.deepest else {
                        throw ReplicationError(
                            .unsafePath, at: full, "more than \(BlobPath.deepest) folders deep")
                    }
                    inner = try folder.folder(name, path: full)
                } catch {
                    // A folder that this user can't read doesn't hide the others.
                    if error.code != .notFound {
                        listing.unread.append(UnreadFolder(path: own.text, reason: error))
                    }
                    continue
                }
                try collect(
                    inner, full, relative: own.text, depth: depth + 1, prefix, into: &listing)
            }
        }
        listing.problems += NameProblem.problems(
            of: shown, in: path.dropFirst(package.path.count + 1))
    }
}

extension SyncServiceFile {
    /// Returns this file, with the path of its folder in front of both names.
    fileprivate func inside(_ folder: String) -> SyncServiceFile {
        guard !folder.isEmpty else { return self }
        return SyncServiceFile(
            name: "\(folder)/\(name)", role: role, original: original.map { "\(folder)/\($0)" },
            service: service)
    }
}
