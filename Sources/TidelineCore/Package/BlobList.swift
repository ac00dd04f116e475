import Replication
import Synchronization

/// The blobs of a package, listed once and then kept by what is told of them: looking at each
/// takes a third of a second where there are 100,000.
final class BlobList: Sendable {
    /// What was found at one time, in byte order of the paths.
    struct Found: Sendable {
        /// Another where a blob came, went or changed.
        var revision: UInt64 = 0
        var entries: [BlobFolder.Entry] = []
    }

    private struct State {
        var found = Found()
        /// The paths to look at anew, as ``PackageChange/blobs`` has them.
        var stale: Set<Name> = [""]
        /// Whether what changes is told; else each answer is a new listing.
        var isFollowed = false
    }

    private let folder: BlobFolder
    private let state = Mutex(State())
    /// Held by who looks at files, so that two that ask look once.
    private let looking = Mutex(())
    /// Beyond this many paths all are listed.
    private static let mostPaths = 100

    init(_ folder: BlobFolder) { self.folder = folder }

    /// From now on ``note(_:)`` is told of all that changes.
    func follow() { state.withLock { $0.isFollowed = true } }

    /// Takes note of what changed; ``current()`` looks there.
    func note(_ paths: Set<Name>) { state.withLock { $0.stale.formUnion(paths) } }

    /// The blobs that there are.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be read.
    /// - Complexity: A look at what changed since the last time; O(*n*) in the number of blobs,
    ///   without a look at their files, where something did.
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

    /// Puts what is at a path, and in a folder of that name, in place of what was there.
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
    /// Where the blob of that path is, or would be.
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
