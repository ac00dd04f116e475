import GRDB
import GRDBSQLite

extension ModelTable {
    /// What a save took from an object, to be given back where the transaction fails.
    private struct Taken {
        let object: Model
        let dirty: ColumnSet
        let phase: ObjectState.Phase
        let id: Int64
        var relations: [Int] = []
    }

    /// Saves objects in one transaction: new ones are inserted, of others what was set is updated.
    func save(_ objects: [Model], in session: WriteSession) throws {
        var taken: [Taken] = []
        taken.reserveCapacity(objects.count)
        var inserting: ColumnStatement?
        var updating: (only: ColumnSet, statement: ColumnStatement)?
        var changes = TableChanges()
        let isFollowed = !followers.isEmpty
        session.atEnd { isCommitted in
            self.give(taken, back: !isCommitted)
            self.bump()
        }
        defer { if isFollowed { session.note(self) { $0.formUnion(changes) } } }
        for object in objects {
            if layout.hasReferences { try saveReferred(by: object, in: session) }
            let (values, took) = take(object)
            taken.append(took)
            switch took.phase {
            case .deleted:
                throw AutoModelError(
                    .noRow,
                    "\(file.path): the row \(took.id) of '\(layout.name)' was deleted; "
                        + "what is deleted is not saved", ids: [took.id])
            case .temporary, .created:
                let statement = try inserting ?? session.db.prepared(insert: insertSQL)
                inserting = statement
                try insert(object, values, statement, session)
                if isFollowed { changes.inserted.insert(object.id) }
            case .stored:
                if !took.dirty.isEmpty {
                    if updating?.only != took.dirty {
                        let sql = layout.updateSQL(took.dirty)
                        updating = (took.dirty, try session.db.prepared(insert: sql))
                    }
                    try update(took, values, updating!.statement, session)
                    if isFollowed { changes.updated.insert(took.id) }
                }
            }
            if !layout.relations.isEmpty {
                let saved = try saveRelations(of: object, in: session)
                taken[taken.count - 1].relations = saved
                if isFollowed, !saved.isEmpty, took.phase == .stored {
                    changes.updated.insert(took.id)
                }
            }
        }
    }

    /// Takes what is to be saved: what is set from now on is another change.
    private func take(_ object: Model) -> (Model._$Values, Taken) {
        object.locked {
            let took = take(&object._$state, of: object)
            return (object._$values, took)
        }
    }

    private func take(_ state: inout ObjectState, of object: Model) -> Taken {
        let took = Taken(object: object, dirty: state.dirty, phase: state.phase, id: state.id)
        state.dirty = .empty
        state.isListed = false
        if took.phase == .temporary || took.phase == .created {
            if state.id == 0, layout.ids == .random { state.id = RandomID.next() }
            if state.table !== self { state.leaveCache(object) }
            state.table = self
            state.phase = .stored
            state.generation = file.generation
        }
        return took
    }

    private func insert(
        _ object: Model, _ values: Model._$Values, _ statement: ColumnStatement,
        _ session: WriteSession
    ) throws {
        statement.clear()
        var id = object.withState { $0.id }
        if id != 0 { statement.bind(id, 1) }
        var binder = ColumnBinder(statement, from: 2)
        do {
            try values._$bind(&binder)
            try session.db.run(statement)
        } catch {
            throw explained(error, id, binder.column)
        }
        if id == 0 {
            id = session.db.lastInsertedRowID
        }
        object.withState { state in
            if state.id == 0 { state.id = id }
            state.enterCache(object)
        }
    }

    private func update(
        _ took: Taken, _ values: Model._$Values, _ statement: ColumnStatement,
        _ session: WriteSession
    ) throws {
        statement.clear()
        var binder = ColumnBinder(statement, only: took.dirty, from: 1)
        do {
            try values._$bind(&binder)
            statement.bind(took.id, binder.position)
            try session.db.run(statement)
        } catch {
            throw explained(error, took.id, binder.column)
        }
        guard session.db.changesCount > 0 else {
            throw AutoModelError(
                .noRow,
                "\(file.path): somebody else has deleted the row \(took.id) of "
                    + "'\(layout.name)'; its changes are kept in memory", ids: [took.id])
        }
    }

    /// Clears what was saved, or gives back what was not.
    private func give(_ taken: [Taken], back: Bool) {
        for took in taken.reversed() {
            let object = took.object
            let followers: [ObjectFollower] = object.withState { state in
                guard back else { return state.extras.map { Array($0.followers.values) } ?? [] }
                state.dirty.formUnion(took.dirty)
                state.phase = took.phase
                for slot in took.relations { state.extras?.relations[slot]?.isDirty = true }
                if took.phase == .temporary || took.phase == .created, state.id != 0 {
                    if took.phase == .temporary || took.id == 0 { state.leaveCache(object) }
                    state.id = took.id
                }
                if took.phase == .temporary { state.table = nil }
                return []
            }
            if back {
                if took.phase != .temporary { relist(object) }
            } else {
                unlist(object)
                guard !followers.isEmpty else { continue }
                let columns =
                    took.phase == .stored
                    ? layout.columns.indices.filter(took.dirty.contains).map { columnNames[$0] }
                    : columnNames
                for follower in followers { follower(ObjectChange(kind: .saved, columns: columns)) }
            }
        }
    }

    private func relist(_ object: Model) {
        listed.withLock { $0.insert(object) }
        object.withState { $0.isListed = true }
    }

    /// Takes an object off the list, unless something was set meanwhile.
    private func unlist(_ object: Model) {
        listed.withLock { list in
            let isListed = object.withState { $0.isListed }
            if !isListed { list.remove(object) }
        }
    }

    func saveListed(in session: WriteSession) throws {
        // New rows get their numbers in the order in which the objects were made.
        let objects = listed.withLock { $0.inOrder }.map(Self.typed)
        try save(objects.filter { !$0.isDeleted && !session.deletes($0, of: self) }, in: session)
    }

    /// Objects that it refers to and that were never saved.
    private func saveReferred(by object: Model, in session: WriteSession) throws {
        var binder = ColumnBinder(ColumnStatement.none, from: 1)
        binder.pending = []
        let values = object.locked { object._$values }
        try values._$bind(&binder)
        for referred in binder.pending ?? [] where !referred.isStored && referred !== object {
            try database.table(for: type(of: referred)).saveReferred(referred, in: session)
        }
    }

    func saveReferred(_ object: any AutoObject, in session: WriteSession) throws {
        guard let object = object as? Model, !object.isStored else { return }
        guard session.file === file else {
            // To wait for one file while holding another could be for ever.
            throw AutoModelError(
                .declaration,
                "a new '\(layout.name)' is in another file than what refers to it; "
                    + "save it first")
        }
        guard session.begin(saving: object) else { return }
        try save([object], in: session)
    }

    func explained(_ error: any Error, _ id: Int64, _ column: Int) -> any Error {
        if let unfit = error as? UnfitValue {
            return AutoModelError(
                .unfitValue,
                "the column '\(columnNames[column])' of a row of '\(layout.name)' "
                    + "cannot be saved: \(unfit.reason)", ids: [id], cause: error)
        }
        guard let failed = error as? DatabaseError else { return error }
        let told = failed.told(file.path)
        return AutoModelError(told.code, told.message, ids: [id], cause: failed)
    }
}

extension Database {
    /// A statement whose values are put in one by one.
    func prepared(insert sql: String) throws -> ColumnStatement {
        let statement = ColumnStatement(try cachedStatement(sql: sql))
        statement.clear()
        return statement
    }
}
