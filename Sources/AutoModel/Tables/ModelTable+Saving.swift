import GRDB

extension ModelTable {
    /// The state that a save took from an object. Restored if the transaction fails.
    fileprivate struct Taken {
        let object: Model
        let dirty: ColumnSet
        let phase: ObjectState.Phase
        let id: Int64
        var relations: [Int] = []

        var hadChanges: Bool { phase != .stored || !dirty.isEmpty || !relations.isEmpty }
    }

    /// The progress of one save call.
    private final class Saving {
        var taken: [Taken] = []
        var inserting: ColumnStatement?
        var updating: (only: ColumnSet, statement: ColumnStatement)?
        var changes = TableChanges()
    }

    private func begin(saving count: Int, in session: WriteSession) -> Saving {
        let saving = Saving()
        saving.taken.reserveCapacity(count)
        session.atEnd { isCommitted in
            self.give(saving.taken, back: !isCommitted)
            self.bump()
        }
        session.afterUnlock {
            for took in saving.taken where took.hadChanges { took.object.didSave() }
        }
        return saving
    }

    private func end(_ saving: Saving, in session: WriteSession) {
        guard !followers.isEmpty else { return }
        session.note(self) { $0.formUnion(saving.changes) }
    }

    /// Saves objects: inserts new ones, and updates the changed columns of the others.
    ///
    /// - Throws: ``AutoModelError`` for the first object that can't be saved.
    func save(_ objects: [Model], in session: WriteSession) throws {
        let saving = begin(saving: objects.count, in: session)
        for object in objects { try save(object, newReferences(of: object), saving, session) }
        end(saving, in: session)
    }

    /// Saves all objects on the list. If an object can't be saved, the others are saved anyway.
    ///
    /// - Returns: The objects that can't be saved. They stay on the list.
    func saveListed(in session: WriteSession) throws -> [ObjectFailure] {
        // New rows get ascending identifiers in the order in which their objects were created.
        let objects = listed.withLock { $0.inOrder }.map(Self.typed)
            .filter { !$0.isDeleted && !session.deletes($0, of: self) }
        let saving = begin(saving: objects.count, in: session)
        var failures: [ObjectFailure] = []
        for object in objects {
            do {
                let references = try newReferences(of: object)
                let save = { try self.save(object, references, saving, session) }
                // A single statement that fails has no effect. Several statements need a savepoint.
                if references.isEmpty && !object.hasDirtyRelations {
                    try save()
                } else {
                    try session.attempt(save)
                }
            } catch let error as AutoModelError where session.canContinue(after: error) {
                failures.append(ObjectFailure(object: object, error: error))
            }
        }
        end(saving, in: session)
        return failures
    }

    private func save(
        _ object: Model, _ references: [any AutoObject], _ saving: Saving, _ session: WriteSession
    ) throws {
        if object.hasChanges { object.willSave() }
        for referred in references {
            try database.table(for: type(of: referred)).saveReferred(referred, in: session)
        }
        var (values, took) = take(object)
        do {
            try write(values, took, saving, session)
            if !layout.relations.isEmpty {
                try saveRelations(of: object, &took.relations, in: session)
            }
        } catch {
            give([took], back: true)
            throw explained(error, saving: took.id, 0, [object])
        }
        saving.taken.append(took)
        guard !followers.isEmpty else { return }
        if took.phase != .stored {
            saving.changes.inserted.insert(object.id)
        } else if !took.dirty.isEmpty || !took.relations.isEmpty {
            saving.changes.updated.insert(took.id)
        }
    }

    private func write(
        _ values: Model._$Values, _ took: Taken, _ saving: Saving, _ session: WriteSession
    ) throws {
        switch took.phase {
        case .deleted:
            throw AutoModelError(
                .noRow,
                "\(file.path): the row \(took.id) of '\(layout.name)' was deleted, and deleted "
                    + "rows aren't saved again", ids: [took.id], objects: [took.object])
        case .temporary, .created:
            let statement = try saving.inserting ?? session.db.prepared(insert: insertSQL)
            saving.inserting = statement
            try insert(took.object, values, statement, session)
        case .stored:
            guard !took.dirty.isEmpty else { return }
            let statement: ColumnStatement
            if let updating = saving.updating, updating.only == took.dirty {
                statement = updating.statement
            } else {
                statement = try session.db.prepared(insert: layout.updateSQL(took.dirty))
                saving.updating = (took.dirty, statement)
            }
            try update(took, values, statement, session)
        }
    }

    /// Takes the values to save from an object. Values set from now on count as new changes.
    private func take(_ object: Model) -> (Model._$Values, Taken) {
        object.locked {
            let took = take(&object._$state, of: object)
            return (object._$values, took)
        }
    }

    private func take(_ state: inout ObjectState, of object: Model) -> Taken {
        let dirty = Model._$tracksChanges ? state.dirty : untracked
        let took = Taken(object: object, dirty: dirty, phase: state.phase, id: state.id)
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
            throw explained(error, saving: id, binder.column, [object])
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
            throw explained(error, saving: took.id, binder.column, [took.object])
        }
        guard session.db.changesCount > 0 else {
            throw AutoModelError(
                .noRow,
                "\(file.path): the row \(took.id) of '\(layout.name)' can't be saved: it is no "
                    + "longer in the file; its changes stay in memory, and 'discardChanges()' drops them",
                ids: [took.id], objects: [took.object])
        }
    }

    /// Marks taken changes as saved, or gives them back to the objects if the transaction failed.
    private func give(_ taken: [Taken], back: Bool) {
        for took in taken.reversed() {
            let object = took.object
            let followers: [ObjectFollower] = object.withState { state in
                guard back else { return state.extras.map { Array($0.followers.values) } ?? [] }
                if Model._$tracksChanges { state.dirty.formUnion(took.dirty) }
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
                let isTracked = Model._$tracksChanges || !took.relations.isEmpty
                if took.phase == .created || took.phase == .stored && isTracked { relist(object) }
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

    /// Removes an object from the list, unless a property was set in the meantime.
    private func unlist(_ object: Model) {
        listed.withLock { list in
            let isListed = object.withState { $0.isListed }
            if !isListed { list.remove(object) }
        }
    }

    /// Returns the never-saved objects that an object refers to.
    private func newReferences(of object: Model) throws -> [any AutoObject] {
        guard layout.hasReferences else { return [] }
        var binder = ColumnBinder(ColumnStatement.none, from: 1)
        binder.pending = []
        let values = object.locked { object._$values }
        try values._$bind(&binder)
        return (binder.pending ?? []).filter { !$0.isStored && $0 !== object }
    }

    func saveReferred(_ object: any AutoObject, in session: WriteSession) throws {
        guard let object = object as? Model, !object.isStored else { return }
        guard session.file === file else {
            // Locking a second file while this file is locked could cause a deadlock.
            throw AutoModelError(
                .declaration,
                "a new '\(layout.name)' and the object that refers to it are in different files; "
                    + "save the new object first", objects: [object])
        }
        guard session.begin(saving: object) else { return }
        try save([object], in: session)
    }
}

extension AutoObject {
    fileprivate var hasDirtyRelations: Bool {
        withState { $0.extras?.hasDirtyRelations == true }
    }
}

extension Database {
    /// Returns a cached statement, ready for binding each value separately.
    func prepared(insert sql: String) throws -> ColumnStatement {
        let statement = ColumnStatement(try cachedStatement(sql: sql))
        statement.clear()
        return statement
    }
}
