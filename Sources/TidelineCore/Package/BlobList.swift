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
    }

    private struct State {
        var found = Found()
        /// The paths to list again, in the form of ``PackageChange/blobs``.
        var stale: Set<Name> = [""]
        /// Whether changes are notified. If not, each call lists all blobs.
        var isFollowed = false
    }

    private let folder: BlobFolder
    private let state = Mutex(State())
    /// Held while listing, so that concurrent callers list once.
    private let looking = Mutex(())
    /// The number of changed paths beyond which all blobs are listed.
    private static let mostPaths = 100

    init(_ folder: BlobFolder) { self.folder = folder }

    /// Declares that ``note(_:)`` is called for all changes from now on.
    func follow() { state.withLock { $0.isFollowed = true } }

    /// Records changed paths, which the next ``current()`` lists.
    func note(_ paths: Set<Name>) { state.withLock { $0.stale.formUnion(paths) } }

    /// Returns the current blobs.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or unreadable.
    /// - Complexity: Reads the changed paths; if there are any, O(*n*) in the number of blobs,
    ///   without accessing their files.
    func current() throws(ReplicationError) -> Found {
        try looking.withLock { _ throws(ReplicationError) -> Found in
            var (found, stale) = state.withLock { state in
                defer { state.stale = state.isFollowed ? [] : [""] }
                return (state.found, state.stale)
            }
            guard !stale.isEmpty else { return found }
            let before = found.entries
            do throws(ReplicationError) {
                if stale.contains("") || stale.count > Self.mostPaths {
                    found.entries = try folder.entries()
                } else {
                    for path in stale { try update(path.text, &found.entries) }
                }
            } catch {
                state.withLock { $0.stale.formUnion(stale) }
                throw error
            }
            if found.entries != before { found.revision += 1 }
            state.withLock { $0.found = found }
            return found
        }
    }

    /// Updates the entries at a path, and in a folder of that name.
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
        // "0" is the byte after "/": the first that is in no folder of that name.
        entries.removeSubrange(start..<entries.index(of: "\(path)0"))
        entries.insert(contentsOf: there.filter { Name($0.path).hasPrefix(inside) }, at: start)
        if let blob = there.first(where: { Name($0.path) == Name(path) }) {
            entries.insert(blob, at: first)
        }
    }
}

extension [BlobFolder.Entry] {
    /// Returns the index of a path, or the index at which to insert it.
    func index(of path: String) -> Int {
        let name = Name(path)
        var range = indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if Name(self[middle].path) < name {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }
}
