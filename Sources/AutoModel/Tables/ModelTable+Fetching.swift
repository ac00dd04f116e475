import GRDB
import GRDBSQLite
import Glibc
import Observation

extension ModelTable {
    /// Returns the objects of a query, in order.
    ///
    /// - Parameter tail: The SQL that follows `SELECT … FROM table`.
    func fetch(tail: String, _ arguments: [SQLValue]) throws -> [Model] {
        let (objects, awaking) = try read(tail: tail, arguments)
        awake(awaking)
        return objects
    }

    /// Returns the objects of a query, and those of them whose `awakeFromFetch` must be called.
    func read(
        tail: String, _ arguments: [SQLValue]
    ) throws -> (objects: [Model], awaking: [Model]) {
        var objects: [Model] = []
        var awaking: [Model] = []
        try file.read { db in
            let generation = file.generation
            try db.each(selectSQL + tail, arguments) { row in
                let id = sqlite3_column_int64(row.handle, 0)
                objects.append(try object(id, row, generation, &awaking))
            }
        }
        return (objects, awaking)
    }

    /// Returns the objects with these identifiers, in the order of `ids`. Missing rows are left
    /// out.
    ///
    /// An object in use is read again only if another process has written since the last read.
    func fetch(_ ids: [Int64]) throws -> FetchResult<Model> {
        var awaking: [Model] = []
        let found = try find(ids, &awaking)
        awake(awaking)
        return found
    }

    func records(
        _ ids: [Int64], _ finish: inout [() -> Void]
    ) throws -> [Int64: any AutoRecord] {
        var awaking: [Model] = []
        let found = try find(ids, &awaking)
        finish.append { [awaking] in self.awake(awaking) }
        return found.byID
    }

    /// Returns the objects with these identifiers, as ``fetch(_:)`` does.
    ///
    /// - Parameter awaking: Receives the objects whose `awakeFromFetch` must be called.
    private func find(_ ids: [Int64], _ awaking: inout [Model]) throws -> FetchResult<Model> {
        guard !ids.isEmpty else { return FetchResult([]) }
        var read: [Int64: AnyObject] = [:]
        let held: [AnyObject?] = try file.read { db in
            let generation = file.generation
            var held = cache.objects(ids)
            var missing: [Int64] = []
            for index in ids.indices {
                if let object = held[index], Self.typed(object).isCurrent(generation) { continue }
                held[index] = nil
                missing.append(ids[index])
            }
            for batch in missing.batches {
                try db.each(once: "\(selectSQL) WHERE id IN \(batch.sqlList)") { row in
                    let id = sqlite3_column_int64(row.handle, 0)
                    read[id] = try object(id, row, generation, &awaking)
                }
            }
            return held
        }
        var objects: [Model] = []
        objects.reserveCapacity(ids.count)
        for index in ids.indices {
            if let found = held[index] ?? read[ids[index]] {
                let object = Self.typed(found)
                if !object.isDeleted { objects.append(object) }
            } else if let object = self.held(ids[index]), !object.isStored, !object.isDeleted {
                // An unsaved object has no row in the file yet.
                objects.append(object)
            }
        }
        return FetchResult(objects)
    }

    /// Returns the object of a row. If the object is in use, its unsaved changes stay.
    func object(
        _ id: Int64, _ row: ColumnStatement, _ generation: UInt32, _ awaking: inout [Model]
    ) throws -> Model {
        if let object = held(id) {
            if !object.isCurrent(generation),
                try refresh(object, id, row, generation), Model._$awakes
            {
                awaking.append(object)
            }
            return object
        }
        var state = ObjectState.temporary
        state.id = id
        state.table = self
        state.phase = .stored
        state.generation = generation
        let object = Model(_$state: state)
        var reader = ColumnReader(row)
        do {
            try object._$values._$read(&reader)
        } catch {
            throw unreadable(id, reader.column, error)
        }
        object.withState { $0.enterCache(object) }
        if Model._$awakes { awaking.append(object) }
        return object
    }

    /// Updates an object with the values of its row. Unsaved changes stay.
    ///
    /// - Returns: Whether values changed.
    func refresh(
        _ object: Model, _ id: Int64, _ row: ColumnStatement, _ generation: UInt32
    ) throws -> Bool {
        while true {
            var (values, dirty, edits) = object.locked {
                (object._$values, object._$state.dirty, object._$state.edits)
            }
            var reader = ColumnReader(row, keeping: dirty)
            do {
                try values._$read(&reader)
            } catch {
                throw unreadable(id, reader.column, error)
            }
            let changed = reader.changed
            var followers: [ObjectFollower] = []
            var old = values
            let isDone = object.locked {
                guard object._$state.edits == edits else { return false }
                if !changed.isEmpty {
                    swap(&object._$values, &old)
                    object._$state.edits &+= 1
                    followers = object._$state.extras.map { Array($0.followers.values) } ?? []
                }
                object._$state.generation = generation
                // The row exists, so an object that was deleted or not saved now counts as stored.
                object._$state.phase = .stored
                return true
            }
            guard isDone else { continue }
            guard !changed.isEmpty else { return false }
            // Remembers the row, because this read may happen before subscribers of the table are
            // notified.
            if !self.followers.isEmpty { unreported.withLock { _ = $0.insert(id) } }
            let columns = layout.columns.indices.filter(changed.contains)
            for column in columns { object._$notify(column) }
            guard !followers.isEmpty else { return true }
            let change = ObjectChange(
                kind: .refreshed, columns: columns.map { columnNames[$0] },
                oldValues: Model.stored(old, columns))
            for follower in followers { follower(change) }
            return true
        }
    }

    func awake(_ objects: [Model]) {
        for object in objects {
            object.withExtras { $0.awakingThread = pthread_self() }
            object.awakeFromFetch()
            object.withState { state in
                state.extras?.awakingThread = nil
                if state.extras?.isEmpty == true { state.extras = nil }
            }
        }
    }

    /// Reloads all objects in use, in batches.
    ///
    /// - Returns: The changes, to report to the table's subscribers.
    func refreshLive() throws -> TableChanges {
        var changes = TableChanges(isUnknown: true)
        var awaking: [Model] = []
        let live = allHeld.filter(\.isStored)
        var there: Set<Int64> = []
        try file.read { db in
            let generation = file.generation
            for batch in live.map(\.id).batches {
                try db.each(once: "\(selectSQL) WHERE id IN \(batch.sqlList)") { row in
                    let id = sqlite3_column_int64(row.handle, 0)
                    there.insert(id)
                    guard let object = held(id), !object.isCurrent(generation) else { return }
                    guard try refresh(object, id, row, generation) else { return }
                    changes.updated.insert(id)
                    if Model._$awakes { awaking.append(object) }
                }
            }
        }
        awake(awaking)
        changes.updated.formUnion(unreported.exchange([]))
        for object in live where !there.contains(object.id) {
            markDeleted(object)
            changes.deleted.insert(object.id)
        }
        return changes
    }

    func refresh() {
        guard !followers.isEmpty || allHeld.contains(where: \.isFollowed) else { return }
        // If the rows can't be read now, the next fetch reads them.
        followers.notify((try? refreshLive()) ?? TableChanges(isUnknown: true))
    }
}

extension AutoObject {
    /// Returns whether the values are up to date with other processes' commits. Returns `false` for
    /// an object in the phase `created`, because another process may have inserted its row.
    func isCurrent(_ generation: UInt32) -> Bool {
        withState { state in
            switch state.phase {
            case .created: false
            case .stored: state.generation == generation
            case .temporary, .deleted: true
            }
        }
    }
    var isStored: Bool { withState { $0.phase == .stored } }
    var isFollowed: Bool {
        Self.self is any Observable.Type || withState { $0.extras?.followers.isEmpty == false }
    }
}
