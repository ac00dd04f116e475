import GRDB

extension SyncedFile {
    /// The result of applying rows of other devices.
    package struct Taken: Sendable {
        package var count = 0
        /// Rows that were skipped because of a violated constraint: another row has the same value
        /// in a unique column.
        package var refused: [RowKey] = []
    }

    /// Applies rows of other devices in one transaction. Unsent values aren't overwritten.
    package func take(_ rows: [SyncedRow], deleted: [RowKey]) async throws -> Taken {
        try await database.perform(on: file) {
            try file.write { session in
                var taken = Taken()
                try session.db.run("INSERT INTO automodel_taking (yes) VALUES (1)")
                for row in rows { try take(row, &taken, session) }
                for key in deleted { try delete(key, &taken, session) }
                try session.db.run("DELETE FROM automodel_taking")
                return taken
            }
        }
    }

    private func take(_ row: SyncedRow, _ taken: inout Taken, _ session: WriteSession) throws {
        let (key, db) = (row.key, session.db)
        guard let place = models.firstIndex(where: { $0.table == key.table }) else { return }
        let (model, table) = (models[place], tables[place])
        let waiting = try waiting(key, db)
        let old = try self.row(key, model, row.identifier, db)
        var isChanged = false
        if let old {
            // A new row that wasn't sent yet isn't overwritten.
            guard !waiting.contains("*") else { return }
            let changes = model.columns.indices.compactMap { column -> (Int, SQLValue)? in
                guard !waiting.contains(model.columns[column].name) else { return nil }
                let value = row.values[column] ?? model.columns[column].defaultValue
                guard let value, value != old.values[column] else { return nil }
                return (column, value)
            }
            if !changes.isEmpty {
                let sets = changes.map { "\(quoted(model.columns[$0.0].name)) = ?" }
                try db.run(
                    "UPDATE OR IGNORE \(quoted(key.table)) SET \(sets.joined(separator: ", ")) "
                        + "WHERE id = ?", changes.map(\.1) + [.integer(key.id)])
                guard db.changesCount > 0 else {
                    taken.refused.append(key)
                    return
                }
                isChanged = true
            }
        } else {
            // A row that was deleted on this device isn't inserted again before its deletion is
            // sent.
            guard !waiting.contains("") else { return }
            let made = try table.layout.makeValues()
            let values = model.columns.indices.map { column in
                row.values[column] ?? model.columns[column].defaultValue ?? made[column]
            }
            try db.run(
                table.layout.insertSQL("INSERT OR IGNORE"), [.integer(key.id)] + values)
            guard db.changesCount > 0 else {
                taken.refused.append(key)
                return
            }
            isChanged = true
        }
        for list in model.lists where !waiting.contains(list.name) {
            let targets = row.lists[list.name] ?? []
            guard targets != old?.lists[list.name] ?? [] else { continue }
            try write(targets, of: key.id, in: list, db)
            isChanged = true
        }
        try know(key, row.identifier, row.seen, db)
        guard isChanged else { return }
        taken.count += 1
        session.note(table) { changes in
            _ = old == nil ? changes.inserted.insert(key.id) : changes.updated.insert(key.id)
        }
        session.onCommit { table.bump() }
        session.afterUnlock { table.reread([key.id]) }
    }

    /// Deletes only the row. The device that deleted it has already applied the delete rules to
    /// referring rows.
    private func delete(_ key: RowKey, _ taken: inout Taken, _ session: WriteSession) throws {
        guard let place = models.firstIndex(where: { $0.table == key.table }),
            try !waiting(key, session.db).contains("*")
        else { return }
        let table = tables[place]
        try session.db.run(
            "DELETE FROM \(quoted(key.table)) WHERE id = ?", [.integer(key.id)])
        let exists = session.db.changesCount > 0
        for list in models[place].lists {
            try session.db.run(
                "DELETE FROM \(quoted(list.table)) WHERE owner = ?", [.integer(key.id)])
        }
        try session.db.run(
            "DELETE FROM automodel_outbox WHERE tab = ? AND row = ?",
            [.text(key.table), .integer(key.id)])
        try forget(key, session.db)
        guard exists else { return }
        taken.count += 1
        table.dropped([key.id], in: session)
    }

    private func waiting(_ key: RowKey, _ db: Database) throws -> Set<String> {
        var columns: Set<String> = []
        try db.each(
            "SELECT col FROM automodel_outbox WHERE tab = ? AND row = ?",
            [.text(key.table), .integer(key.id)]
        ) { columns.insert(try $0.string(0)) }
        return columns
    }

    private func write(
        _ targets: [Int64], of owner: Int64, in list: SyncedModel.List, _ db: Database
    ) throws {
        let table = quoted(list.table)
        try db.run("DELETE FROM \(table) WHERE owner = ?", [.integer(owner)])
        for (place, target) in targets.enumerated() {
            try db.run(
                "INSERT INTO \(table) (id, owner, place, target) VALUES (?, ?, ?, ?)",
                [
                    .integer(RandomID.next()), .integer(owner), .integer(Int64(place)),
                    .integer(target),
                ])
        }
    }
}
