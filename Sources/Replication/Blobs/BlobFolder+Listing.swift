extension BlobFolder {
    /// Whether the folder of blobs itself is there.
    package var isThere: Bool { roots.contains { ((try? walk([$0])) ?? nil) != nil } }

    /// Whether a folder is at that path, with blobs in it or without.
    package func hasFolder(_ path: String) -> Bool {
        guard let place = try? BlobPath(path) else { return false }
        for root in roots {
            do {
                if try walk([root] + place.folders + [place.name]) != nil { return true }
            } catch {
                // What cannot be looked into is not a folder of this package's.
                continue
            }
        }
        return false
    }

    /// All blobs whose path begins with `prefix`, in byte order of their paths.
    ///
    /// Hidden files, unfinished transfers, conflict copies, symbolic links and anything that is not
    /// a regular file are left out, and so is what is deeper than 64 folders or may not be looked
    /// at.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be read.
    /// - Complexity: A look at each file that the prefix leads to, and sorting; for the others in
    ///   the folders on the way, their names.
    public func entries(prefix: String = "") throws(ReplicationError) -> [Entry] {
        try listing(prefix: prefix).entries
    }

    /// The names in the folder of blobs that are not UTF-8, as text that shows their bytes
    /// (`trip/caf\xE9.jpg`). No blob can have such a name, as no other device could ask for it.
    ///
    /// - Throws: As ``entries(prefix:)``.
    /// - Complexity: A look at each blob.
    public func undecodableNames() throws(ReplicationError) -> [String] {
        try listing(prefix: "").undecodable
    }

    /// The files that sync services and editors left among the blobs: conflict copies, placeholders,
    /// transfers, locks. Each has its path and, where the name tells, that of the blob that it
    /// belongs to. In byte order of the paths.
    ///
    /// They aren't blobs: ``entries(prefix:)`` leaves them out, and ``put(_:at:modified:)`` creates
    /// none. Conflict copies can be read and deleted by their paths.
    ///
    /// - Throws: As ``entries(prefix:)``.
    public func syncServiceFiles() throws(ReplicationError) -> [SyncServiceFile] {
        try survey().syncServiceFiles
    }

    /// Everything in the folder of blobs, from one look at it.
    public struct Survey: Sendable {
        /// The blobs, in byte order of their paths.
        public let entries: [Entry]
        /// The names that are not UTF-8, as text that shows their bytes.
        public let undecodableNames: [String]
        /// What sync services and editors left there, in byte order of the paths.
        public let syncServiceFiles: [SyncServiceFile]
        /// The names that other systems refuse or take for another name.
        public let nameProblems: [NameProblem]
    }

    /// Looks at everything in the folder of blobs.
    ///
    /// - Throws: As ``entries(prefix:)``.
    public func survey() throws(ReplicationError) -> Survey {
        let listing = try listing(prefix: "")
        return Survey(
            entries: listing.entries, undecodableNames: listing.undecodable,
            syncServiceFiles: listing.files.sorted { Name($0.name) < Name($1.name) },
            nameProblems: listing.problems)
    }

    private struct Listing {
        var found: [Name: Entry] = [:]
        var undecodable: [String] = []
        var files: [SyncServiceFile] = []
        var problems: [NameProblem] = []

        var entries: [Entry] { found.sorted { $0.key < $1.key }.map(\.value) }
    }

    private func listing(prefix: String) throws(ReplicationError) -> Listing {
        var listing = Listing()
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
            let left = SyncServiceFile.besideBlobs(name) { all.contains(Name($0)) }
            guard left != nil || name.utf8.first != UInt8(ascii: "."),
                let status = try FileStatus.of(name, in: folder, path: full)
            else { continue }
            if let left, status.isRegularFile || left.role != .conflictCopy {
                if status.isRegularFile { listing.files.append(left.inside(relative)) }
                continue
            }
            if status.isRegularFile || status.isFolder { shown.append(name) }
            if status.isRegularFile {
                if own.hasPrefix(prefix) { listing.found[own] = Entry(path: own.text, status) }
            } else if status.isFolder, depth < BlobPath.deepest {
                // One that vanished, or is closed to this user, does not hide the others.
                guard let inner = try? folder.folder(name, path: full) else { continue }
                try collect(
                    inner, full, relative: own.text, depth: depth + 1, prefix, into: &listing)
            }
        }
        listing.problems += NameProblem.problems(
            of: shown, in: path.dropFirst(package.path.count + 1))
    }
}

extension SyncServiceFile {
    /// The same with the path of the folder that it is in before both names.
    fileprivate func inside(_ folder: String) -> SyncServiceFile {
        guard !folder.isEmpty else { return self }
        return SyncServiceFile(
            name: "\(folder)/\(name)", role: role, original: original.map { "\(folder)/\($0)" },
            service: service)
    }
}
