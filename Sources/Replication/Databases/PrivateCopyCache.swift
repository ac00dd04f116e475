import Synchronization

/// A cache of private copies of databases that have a journal next to them. A leftover journal can
/// stay for days, and copying takes time proportional to the file's size.
///
/// A cached copy is an open connection to unlinked files, so no files remain, even if the process
/// is killed. A copy in use is not in the cache; a concurrent reader of the same file makes its own
/// copy.
enum PrivateCopyCache {
    private struct Kept {
        let path: String
        let stamp: FileStamp
        let connection: ForeignDatabase.Connection
    }

    /// The maximum number of copies in the cache, and their maximum size in total. If a limit is
    /// exceeded, the least recently used copies are dropped.
    private static let limit = 4
    private static let storedLimit: Int64 = 1 << 30

    private static let kept = Mutex<[Kept]>([])

    /// Takes the copy of the file at `path` that matches `stamp` out of the cache. Drops a copy of
    /// another state.
    static func take(_ path: String, _ stamp: FileStamp) -> ForeignDatabase.Connection? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.path.utf8.elementsEqual(path.utf8) })
            else { return nil }
            let found = kept.remove(at: index)
            // A stamp that was taken just after a change can't show whether the file changed again.
            return found.stamp == stamp && !stamp.isFresh ? found.connection : nil
        }
    }

    /// Adds a copy to the cache.
    static func put(
        _ connection: ForeignDatabase.Connection, of path: String, _ stamp: FileStamp
    ) {
        kept.withLock { kept in
            kept.removeAll { $0.path.utf8.elementsEqual(path.utf8) }
            kept.append(Kept(path: path, stamp: stamp, connection: connection))
            while kept.count > limit
                || kept.reduce(0, { $0 + $1.connection.storedByteCount }) > storedLimit
            {
                kept.removeFirst()
            }
        }
    }

    /// Drops the copy of a file that no longer has a journal.
    static func drop(_ path: String) {
        kept.withLock { kept in
            kept.removeAll { $0.path.utf8.elementsEqual(path.utf8) }
        }
    }
}
