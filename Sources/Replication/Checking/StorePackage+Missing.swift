import Foundation
import GRDB

extension StorePackage {
    /// Returns the databases in another copy of this store that contain data missing from this one,
    /// except logs of keys and values, which can be merged.
    ///
    /// - Returns: Their paths, in the order of devices. Databases that can't be read are included.
    /// - Throws: ``ReplicationError`` if a store can't be listed.
    package func databasesWithMore(
        in other: StorePackage
    ) throws -> [(path: String, kind: DatabaseKind)] {
        var found: [(path: String, kind: DatabaseKind)] = []
        for theirs in try other.devices() {
            let ours = try device(theirs.id)
            for kind in [DatabaseKind.entities, .documents, .catalog] where theirs.has(kind) {
                let (path, own) = (theirs.path(of: kind), ours.path(of: kind))
                let isHeld =
                    ours.has(kind)
                    && (FileManager.default.contentsEqual(atPath: path, andPath: own)
                        || kind != .catalog && Self.isHeld(path, in: own))
                if !isHeld { found.append((path, kind)) }
            }
        }
        return found
    }

    /// Whether a log contains everything in a copy that is equal or older.
    private static func isHeld(_ copy: String, in log: String) -> Bool {
        let table = LogTable(name: "log", mark: "timestamp")
        let end = try? ForeignDatabase.read(copy) { db -> LogCursor? in
            guard let identity = try LogIdentity.fetch(from: db) else { return nil }
            var progress = try LogCursor.start.progress(in: db, table: table, identity: identity)
            try progress.acceptAll(in: db)
            return progress.gap == nil ? progress.cursor : nil
        }
        guard case .read(let cursor?, _)? = end else { return false }
        let isBehind = try? ForeignDatabase.read(log) { db in
            guard let identity = try LogIdentity.fetch(from: db) else { return true }
            return try cursor.progress(in: db, table: table, identity: identity).isAnew
        }
        guard case .read(let isBehind, _)? = isBehind else { return false }
        return !isBehind
    }
}
