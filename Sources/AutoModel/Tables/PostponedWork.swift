import Dispatch

/// The postponed deletions of a table. `isScheduled` also covers postponed saves.
struct PostponedWork<Model: AutoObject> {
    var deleting: [ObjectIdentifier: Model] = [:]
    var isScheduled = false
    /// Whether the last attempt failed as a whole, for example because the file was locked. Closing
    /// the database tries again.
    var hasFailed = false
}

extension AutoObject {
    /// Saves this object and all other changed objects of its model after a delay, including
    /// changes made during the delay. Closing or releasing the database saves immediately.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    public func saveLater() throws {
        let table = try ownModelTable()
        locked {
            if _$state.phase == .temporary {
                _$state.table = table
                _$state.phase = .created
            }
        }
        listForSaving()
        table.schedule()
    }

    /// Deletes this object's row after a delay, in one transaction with other postponed deletions.
    /// Until then the row remains.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model.
    public func deleteLater() throws {
        let table = try ownModelTable()
        table.later.withLock { $0.deleting[ObjectIdentifier(self)] = self }
        table.schedule()
    }

    func ownModelTable() throws -> ModelTable<Self> {
        try ownTable as? ModelTable<Self> ?? AutoDatabase.table(of: Self.self)
    }
}

extension ModelTable {
    func schedule() {
        let isFirst = later.withLock { later in
            defer { later.isScheduled = true }
            return !later.isScheduled
        }
        guard isFirst else { return }
        let delay = database.configuration.laterDelay / .seconds(1)
        file.queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            do {
                try self.flushLater()
            } catch {
                self.database.configuration.onLaterError(error)
            }
        }
    }

    func flushLater() throws {
        let work: PostponedWork<Model>? = later.withLock { later in
            guard later.isScheduled || later.hasFailed else { return nil }
            defer { later = PostponedWork() }
            return later
        }
        guard let work else { return }
        var failures: [ObjectFailure] = []
        do {
            failures = try file.write { session in
                let failed = try deleteEach(Array(work.deleting.values), in: session)
                later.withLock { later in
                    for failure in failed {
                        guard let object = failure.object as? Model else { continue }
                        later.deleting[ObjectIdentifier(object)] = object
                    }
                }
                return try failed + saveListed(in: session)
            }
        } catch {
            later.withLock { later in
                later.deleting.merge(work.deleting) { first, _ in first }
                later.hasFailed = true
            }
            throw error
        }
        try failures.throwIfAny()
    }

    /// Deletes objects. If an object can't be deleted, the others are deleted anyway.
    private func deleteEach(
        _ objects: [Model], in session: WriteSession
    ) throws -> [ObjectFailure] {
        do {
            try session.attempt { try delete(objects, in: session) }
            return []
        } catch let error as AutoModelError where session.canContinue(after: error) {
            guard objects.count > 1 else {
                return objects.map { ObjectFailure(object: $0, error: error) }
            }
            return try objects.flatMap { try deleteEach([$0], in: session) }
        }
    }
}

extension AutoDatabase {
    /// Runs the postponed saves and deletions now.
    func flushLater() throws {
        var failure: (any Error)?
        for table in allTables {
            do { try table.flushLater() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
