import GRDB

extension LogTable {
    /// Returns whether the log at `log` contains every row of the log at `copy`, which means that
    /// the copy is the same version or an older one.
    package func isHeld(_ copy: String, in log: String) -> Bool {
        let end = try? ForeignDatabase.value(from: copy) { db -> LogCursor? in
            guard let identity = try LogIdentity.fetch(from: db) else { return nil }
            var progress = try LogCursor.start.progress(in: db, table: self, identity: identity)
            try progress.acceptAll(in: db)
            return progress.gap == nil ? progress.cursor : nil
        }
        guard let end else { return false }
        let isBehind = try? ForeignDatabase.value(from: log) { db in
            guard let identity = try LogIdentity.fetch(from: db) else { return true }
            return try end.progress(in: db, table: self, identity: identity).startsOver
        }
        return isBehind == false
    }
}
