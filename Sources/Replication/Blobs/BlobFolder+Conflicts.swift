public import Foundation

/// A blob that exists in several versions, because it was changed in two places and a sync service
/// kept both.
public struct BlobConflict: Hashable, Sendable {
    /// One of the versions.
    public struct Version: Hashable, Sendable {
        /// The path of the version's file among the blobs.
        @Name public private(set) var path: String
        /// The size and modification time; `nil` if the file doesn't exist.
        public let entry: BlobFolder.Entry?
        /// The service that kept the version; `nil` for the blob itself. Also `nil` if several
        /// services use names of this form.
        public let service: SyncServiceFile.Service?
    }

    /// The path of the blob.
    @Name public private(set) var path: String
    /// The blob itself, whether or not it exists, and then the conflict copies in byte order of
    /// their paths.
    public let versions: [Version]
}

extension BlobFolder.Survey {
    /// The blobs with conflict copies, in byte order of their paths.
    public var conflicts: [BlobConflict] {
        var found: [Name: [SyncServiceFile]] = [:]
        for file in syncServiceFiles where file.role == .conflictCopy {
            guard let original = file.original else { continue }
            found[Name(original), default: []].append(file)
        }
        return found.sorted { $0.key < $1.key }.map { path, files in
            let blob = BlobConflict.Version(
                path: path.text, entry: entries.entry(path.text), service: nil)
            let others = files.map {
                BlobConflict.Version(
                    path: $0.name, entry: copies.entry($0.name), service: $0.service)
            }
            return BlobConflict(path: path.text, versions: [blob] + others)
        }
    }
}

extension BlobFolder {
    /// Returns the versions of the blob at `path`; `nil` if it has no conflict copies.
    ///
    /// - Throws: As ``entries(prefix:)``.
    /// - Complexity: As ``entries(prefix:)`` for the blob's path without its extension.
    public func conflict(at path: String) throws(ReplicationError) -> BlobConflict? {
        // Copies have the name of the blob, with a mark at its end or before its extension.
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let dot = path.utf8[folder...].lastIndex(of: UInt8(ascii: "."))
        return try survey(prefix: String(Substring(path.utf8[..<(dot ?? path.endIndex)])))
            .conflicts.first { Name($0.path) == Name(path) }
    }

    /// Ends a conflict: the blob gets the content of one version, and the other versions are
    /// deleted.
    ///
    /// - Parameter version: One of the conflict's versions that has a file.
    /// - Throws: ``ReplicationError``: `.notFound` if the version has no file, or if the versions
    ///   have changed since `conflict` was read; errors of ``put(at:modified:_:)`` and
    ///   ``delete(_:)``. Copies are deleted only after the content is on disk. A copy that changes
    ///   before its deletion is kept.
    public func resolve(
        _ conflict: BlobConflict, keeping version: BlobConflict.Version
    ) throws {
        try check(conflict)
        guard let entry = version.entry else {
            throw ReplicationError(.notFound, "there is no blob \(version.path.quoted) to keep")
        }
        if Name(version.path) != Name(conflict.path) {
            try put(at: conflict.path, modified: entry.modified) { write in
                try read(version.path, write)
            }
        }
        try deleteCopies(of: conflict)
    }

    /// Ends a conflict: the blob gets new content, and all conflict copies are deleted.
    ///
    /// - Throws: As ``resolve(_:keeping:)``.
    public func resolve(_ conflict: BlobConflict, with data: Data) throws {
        try check(conflict)
        try put(data, at: conflict.path)
        try deleteCopies(of: conflict)
    }

    /// Fails if the versions have changed.
    private func check(_ conflict: BlobConflict) throws(ReplicationError) {
        guard try self.conflict(at: conflict.path) == conflict else {
            throw changed(conflict.path)
        }
    }

    private func changed(_ blob: String) -> ReplicationError {
        ReplicationError(.notFound, "the versions of \(blob.quoted) have changed in the meantime")
    }

    private func deleteCopies(of conflict: BlobConflict) throws(ReplicationError) {
        for version in conflict.versions where Name(version.path) != Name(conflict.path) {
            // A service may already have deleted the version's file.
            guard let entry = try entry(version.path) else { continue }
            guard entry == version.entry else { throw changed(conflict.path) }
            do {
                try delete(version.path)
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
    }
}

extension [BlobFolder.Entry] {
    /// Returns the index of a path, or the index at which to insert it. The entries are in byte
    /// order of their paths.
    package func index(of path: String) -> Int {
        let name = Name(path)
        return indices.firstPosition { Name(self[$0].path) >= name }
    }

    /// Returns the entry with the given path. The entries are in byte order of their paths.
    package func entry(_ path: String) -> BlobFolder.Entry? {
        let index = index(of: path)
        return index < count && Name(self[index].path) == Name(path) ? self[index] : nil
    }
}
