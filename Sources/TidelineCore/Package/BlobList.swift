import Replication
import Synchronization

/// A cached list of a package's blobs, updated from change notifications. Listing 100,000 blobs
/// takes a third of a second.
final class BlobList: Sendable {
    /// A list of blobs, in byte order of their paths.
    struct Found: Sendable {
        /// Incremented whenever a blob is added, changed or deleted.
        var revision: UInt64 = 0
        var entries: [BlobFolder.Entry] = []
        /// The blobs with conflict copies, whether or not the blobs themselves exist.
        var conflicts: [Name: BlobConflict] = [:] {
            didSet { missing = Self.missing(in: conflicts) }
        }
        /// The conflicts without a blob, in byte order of their paths.
        private(set) var missing: [BlobConflict] = []

        init() {}

        init(_ survey: BlobFolder.Survey, revision: UInt64) {
            self.revision = revision
            entries = survey.entries
            conflicts = Dictionary(survey.conflicts.map { (Name($0.path), $0) }) { $1 }
            missing = Self.missing(in: conflicts)
        }

        private static func missing(in conflicts: [Name: BlobConflict]) -> [BlobConflict] {
            conflicts.values.filter { $0.versions[0].entry == nil }
                .sorted { Name($0.path) < Name($1.path) }
        }
    }

    private struct State {
        var found = Found()
        /// The paths to list again, in the form of ``PackageChange/blobs``.
        var stale: Set<Name> = [""]
        /// Whether ``note(_:)`` reports changes. If not, ``current()`` lists all blobs.
        var isFollowed = false
    }

    private let folder: BlobFolder
    private let state = Mutex(State())
    /// The lock is held while listing, so that concurrent callers list only once.
    private let looking = Mutex(())
    /// The number of changed paths beyond which all blobs are listed.
    private static let mostPaths = 100

    init(_ folder: BlobFolder) { self.folder = folder }

    /// Makes ``current()`` list only the paths passed to ``note(_:)``. Call when ``note(_:)`` gets
    /// all changes from now on.
    func follow() { state.withLock { $0.isFollowed = true } }

    /// Records changed paths, which the next ``current()`` lists.
    func note(_ paths: Set<Name>) { state.withLock { $0.stale.formUnion(paths) } }

    /// Returns the current blobs.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or unreadable.
    /// - Complexity: Reads the changed paths. If there are any, also O(*n*) in the number of blobs,
    ///   without accessing their files.
    func current() throws(ReplicationError) -> Found {
        try looking.withLock { _ throws(ReplicationError) -> Found in
            var (found, stale) = state.withLock { state in
                defer { state.stale = state.isFollowed ? [] : [""] }
                return (state.found, state.stale)
            }
            guard !stale.isEmpty else { return found }
            let before = found
            do throws(ReplicationError) {
                if stale.contains("") || stale.count > Self.mostPaths {
                    found = Found(try folder.survey(), revision: found.revision)
                } else {
                    for path in stale {
                        try update(path.text, &found.entries)
                        try updateConflicts(path, &found.conflicts)
                    }
                }
            } catch {
                state.withLock { $0.stale.formUnion(stale) }
                throw error
            }
            if found.entries != before.entries || found.conflicts != before.conflicts {
                found.revision += 1
            }
            state.withLock { $0.found = found }
            return found
        }
    }

    /// Updates the entry at a path or, if the path is a folder, the entries in it.
    private func update(
        _ path: String, _ entries: inout [BlobFolder.Entry]
    ) throws(ReplicationError) {
        let inside = "\(path)/"
        let there = try folder.entries(prefix: path)
        let first = entries.index(of: path)
        if first < entries.count, Name(entries[first].path) == Name(path) {
            entries.remove(at: first)
        }
        let start = entries.index(of: inside)
        // `0` is the byte after `/`, so the range ends after the last path that starts with
        // `inside`.
        entries.removeSubrange(start..<entries.index(of: "\(path)0"))
        entries.insert(contentsOf: there.filter { Name($0.path).hasPrefix(inside) }, at: start)
        if let blob = there.first(where: { Name($0.path) == Name(path) }) {
            entries.insert(blob, at: first)
        }
    }

    /// Updates the conflicts of the blob at a path, of its original if the path is a copy, and of
    /// the blobs in the folder at this path.
    private func updateConflicts(
        _ path: Name, _ conflicts: inout [Name: BlobConflict]
    ) throws(ReplicationError) {
        let inside = conflicts.keys.filter { $0.hasPrefix("\(path.text)/") }
        let bytes = path.text.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:))
        let name = start ?? bytes.startIndex
        let originals = SyncServiceFile.possibleOriginals(ofBlob: String(Substring(bytes[name...])))
        var changed = Set(inside)
        let folder = String(Substring(bytes[..<name]))
        changed.formUnion(originals.map { Name(folder + $0) })
        // A copy may be recognized only next to its original, which may have been added or deleted.
        changed.insert(path)
        for blob in changed { conflicts[blob] = try self.folder.conflict(at: blob.text) }
        guard self.folder.hasFolder(path.text) else { return }
        for conflict in try self.folder.survey(prefix: "\(path.text)/").conflicts {
            conflicts[Name(conflict.path)] = conflict
        }
    }
}
