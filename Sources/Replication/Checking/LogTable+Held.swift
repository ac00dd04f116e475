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
        let isHeld = try? ForeignDatabase.value(from: log) { db in
            guard let identity = try LogIdentity.fetch(from: db),
                try !end.progress(in: db, table: self, identity: identity).startsOver
            else { return false }
            // An earlier row of the log can be missing, which the last row doesn't show.
            var progress = try LogCursor.start.progress(in: db, table: self, identity: identity)
            try progress.acceptAll(in: db)
            return progress.cursor.lastID >= end.lastID
        }
        return isHeld == true
    }
}
