import Synchronization

/// Private copies of databases that have a journal beside them, kept for the next time they are
/// read: a journal that was left behind stays for days, and a copy costs what the file is long.
///
/// A kept copy is an open connection: its files have no names any more, so nothing is left behind
/// however the process ends. While it is in use it is not here; who reads the same file meanwhile
/// makes a copy of their own.
enum KeptCopies {
    private struct Kept {
        let path: String
        let stamp: FileStamp
        let connection: ForeignDatabase.Connection
    }

    /// So many are kept, with so many bytes stored together, the last used ones.
    private static let limit = 4
    private static let storedLimit: Int64 = 1 << 30

    private static let kept = Mutex<[Kept]>([])

    /// Hands out the copy of the file at `path` as it is by `stamp`, and drops an older one.
    static func take(_ path: String, _ stamp: FileStamp) -> ForeignDatabase.Connection? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.path.utf8.elementsEqual(path.utf8) })
            else { return nil }
            let found = kept.remove(at: index)
            // A stamp taken just after a change cannot tell that change from another.
            return found.stamp == stamp && !stamp.isFresh ? found.connection : nil
        }
    }

    /// Keeps a copy for the next reader.
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

    /// Drops the copy of a file whose state is in the file alone again.
    static func drop(_ path: String) {
        kept.withLock { kept in
            kept.removeAll { $0.path.utf8.elementsEqual(path.utf8) }
        }
    }
}
