import GRDB

extension ModelTable {
    func delete(_ objects: [Model], in session: WriteSession) throws {
        session.begin(deleting: objects)
        let stored = objects.filter { $0.isStored }
        try delete(ids: stored.map(\.id), in: session)
        // Objects without a row are only removed from the database in memory.
        for object in objects where !object.isStored && !object.isDeleted {
            session.onCommit { self.markDeleted(object) }
        }
    }

    func delete(ids: [Int64], in session: WriteSession) throws {
        let ids = session.begin(deleting: ids, of: self)
        guard !ids.isEmpty else { return }
        let objects = ids.compactMap(held)
        for object in objects { object.willDelete() }
        session.afterUnlock { for object in objects { object.didDelete() } }
        for batch in ids.batches {
            try database.followReferences(to: Array(batch), of: self, in: session)
            try deleteOwned(Array(batch), in: session)
            try database.deleteLinks(of: Array(batch), in: self, session: session)
            try session.db.run(
                once: "DELETE FROM \(quoted(layout.name)) WHERE id IN \(batch.sqlList)")
        }
        dropped(ids, in: session)
    }

    func dropped(_ ids: [Int64], in session: WriteSession) {
        if !followers.isEmpty { session.note(self) { $0.deleted.formUnion(ids) } }
        // Look up these objects before the commit, because a new object may have the same
        // identifier afterward.
        let objects = ids.compactMap(held)
        session.onCommit {
            self.bump()
            for object in objects { self.markDeleted(object) }
        }
    }

    func markDeleted(_ object: Model) {
        let followers: [ObjectFollower] = object.locked {
            object._$state.phase = .deleted
            object._$state.isListed = false
            object._$state.dirty = .empty
            object._$state.leaveCache(object)
            return object._$state.extras.map { Array($0.followers.values) } ?? []
        }
        listed.withLock { $0.remove(object) }
        for follower in followers { follower(ObjectChange(kind: .deleted, columns: [])) }
    }

    /// Deletes the rows that these rows own.
    private func deleteOwned(_ ids: [Int64], in session: WriteSession) throws {
        for column in layout.columns {
            guard let reference = column.reference, reference.isOwned else { continue }
            let owned = try session.db.ids(
                once: """
                    SELECT \(quoted(column.name)) FROM \(quoted(layout.name))
                    WHERE id IN \(ids.sqlList) AND \(quoted(column.name)) IS NOT NULL
                    """)
            let table = try database.table(for: reference.type)
            if table.file === file {
                try table.delete(ids: owned, in: session)
            } else {
                session.afterUnlock {
                    _ = try? table.file.write { try table.delete(ids: owned, in: $0) }
                }
            }
        }
    }

    /// Sets a reference column of rows to `NULL`.
    func forget(_ column: String, of ids: [Int64], in session: WriteSession) throws {
        try clear(column, of: ids, in: session.db)
        if !followers.isEmpty { session.note(self) { $0.updated.formUnion(ids) } }
        session.onCommit { self.bump() }
        session.afterUnlock { self.reread(ids) }
    }

    /// Reloads the objects in use after their rows were changed only in the file.
    func reread(_ ids: [Int64]) {
        let known = ids.filter { held($0) != nil }
        guard !known.isEmpty else { return }
        for id in known {
            if let object = held(id) { object.withState { $0.generation = 0 } }
        }
        _ = try? fetch(known)
    }
}
