import GRDB

extension AutoDatabase {
    /// The files that contain tables of synced models.
    package var syncedFiles: [SyncedFile] {
        allFiles.compactMap { file in
            let tables = allTables.filter { $0.file === file && $0.layout.sync != nil }
            return tables.isEmpty ? nil : SyncedFile(database: self, file: file, tables: tables)
        }
    }
}

/// The synced models of one file, with their unsent values.
package struct SyncedFile: Sendable {
    let database: AutoDatabase
    let file: DatabaseFile
    let tables: [any AnyTable]
    package let models: [SyncedModel]

    init(database: AutoDatabase, file: DatabaseFile, tables: [any AnyTable]) {
        self.database = database
        self.file = file
        self.tables = tables
        models = tables.map { SyncedModel($0.layout) }
    }

    /// Calls `body` after each write until the returned object is released.
    package func follow(_ body: @escaping @Sendable () -> Void) -> AnyObject {
        TableFollowing(tables.map { ($0.followers, $0.followers.add { _ in body() }) })
    }

    /// Schedules sending the rows that existed before their model was synced.
    package func adopt() async throws {
        try await database.perform(on: file) {
            try file.write { session in
                for model in models {
                    let name = SQLValue.text(model.table).literal
                    try session.db.run(
                        """
                        INSERT INTO automodel_outbox (tab, row, col, mark, at, seen)
                        SELECT \(name), id, '*', random(), julianday('now'), ''
                        FROM \(quoted(model.table)) WHERE id NOT IN
                            (SELECT row FROM automodel_synced WHERE tab = \(name))
                        ON CONFLICT (tab, row, col) DO NOTHING
                        """)
                }
            }
        }
    }

    /// Returns the unsent values.
    package func pending() async throws -> [PendingRow] {
        try await database.perform(on: file) {
            try file.read { db in
                var marks: [RowKey: [PendingRow.Mark]] = [:]
                var keys: [RowKey] = []
                let sql = "SELECT tab, row, col, mark, at, seen, base FROM automodel_outbox"
                try db.each(sql) { row in
                    let key = RowKey(table: try row.string(0), id: try row.integer(1))
                    if marks[key] == nil { keys.append(key) }
                    marks[key, default: []].append(
                        PendingRow.Mark(
                            column: try row.string(2), mark: try row.integer(3),
                            date: try row.number(4), seen: try row.string(5),
                            base: row.isNull(6) ? nil : PendingRow.ids(try row.string(6))))
                }
                return try keys.compactMap { key in
                    guard let model = models.first(where: { $0.table == key.table }) else {
                        return nil
                    }
                    let identifier = try identifier(of: key, db)
                    return PendingRow(
                        key: key, marks: marks[key] ?? [],
                        row: try row(key, model, identifier ?? "", db), isKnown: identifier != nil)
                }
            }
        }
    }

    /// Removes sent values from the outbox, except values that were written again after the read.
    ///
    /// - Parameters:
    ///   - sent: The identifiers of sent rows on other devices.
    ///   - deletions: Rows that other devices no longer have.
    package func confirm(
        _ pending: [PendingRow], sent: [RowKey: String], deletions: Set<RowKey>
    ) async throws {
        try await database.perform(on: file) {
            try file.write { session in
                for row in pending {
                    for mark in row.marks {
                        try session.db.run(
                            "DELETE FROM automodel_outbox "
                                + "WHERE tab = ? AND row = ? AND col = ? AND mark = ?",
                            [
                                .text(row.key.table), .integer(row.key.id), .text(mark.column),
                                .integer(mark.mark),
                            ])
                        // The list may have been set again. Its new change is then based on the
                        // sent targets.
                        guard let list = row.row?.lists[mark.column] else { continue }
                        try session.db.run(
                            "UPDATE automodel_outbox SET base = ? "
                                + "WHERE tab = ? AND row = ? AND col = ?",
                            [
                                .text(list.map(String.init).joined(separator: ",")),
                                .text(row.key.table), .integer(row.key.id), .text(mark.column),
                            ])
                    }
                }
                for (key, identifier) in sent { try know(key, identifier, nil, session.db) }
                for key in deletions { try forget(key, session.db) }
            }
        }
    }

    /// Returns the rows that other devices know, with their identifiers on those devices.
    ///
    /// - Complexity: O(*n*) in those rows.
    package func known() async throws -> [RowKey: String] {
        try await database.perform(on: file) {
            try file.read { db in
                var known: [RowKey: String] = [:]
                try db.each("SELECT tab, row, identifier FROM automodel_synced") { row in
                    known[RowKey(table: try row.string(0), id: try row.integer(1))] =
                        try row.string(2)
                }
                return known
            }
        }
    }

    /// Returns the given rows that other devices know, with the rows' identifiers on those devices.
    ///
    /// - Complexity: A lookup for each row.
    package func known(of keys: Set<RowKey>) async throws -> [RowKey: String] {
        let tables = Set(models.map(\.table))
        let own = keys.filter { tables.contains($0.table) }
        guard !own.isEmpty else { return [:] }
        return try await database.perform(on: file) {
            try file.read { db in
                var known: [RowKey: String] = [:]
                for key in own { known[key] = try identifier(of: key, db) }
                return known
            }
        }
    }

    func identifier(of key: RowKey, _ db: Database) throws -> String? {
        try db.value(
            "SELECT identifier FROM automodel_synced WHERE tab = ? AND row = ?",
            [.text(key.table), .integer(key.id)]
        ).map { try String(sqlValue: $0) }
    }

    /// Records a row's identifier on other devices.
    ///
    /// - Parameter seen: The writes of other devices that the table's row contains; `nil` to keep
    ///   the recorded writes.
    func know(_ key: RowKey, _ identifier: String, _ seen: String?, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO automodel_synced (tab, row, identifier, seen)
            VALUES (?1, ?2, ?3, coalesce(?4, ''))
            ON CONFLICT (tab, row) DO UPDATE
            SET identifier = excluded.identifier, seen = coalesce(?4, seen)
            WHERE identifier <> excluded.identifier OR seen <> coalesce(?4, seen)
            """,
            [
                .text(key.table), .integer(key.id), .text(identifier),
                seen.map { .text($0) } ?? .null,
            ])
    }

    func forget(_ key: RowKey, _ db: Database) throws {
        try db.run(
            "DELETE FROM automodel_synced WHERE tab = ? AND row = ?",
            [.text(key.table), .integer(key.id)])
    }

    /// Returns the current row; `nil` if it was deleted.
    func row(
        _ key: RowKey, _ model: SyncedModel, _ identifier: String, _ db: Database
    ) throws -> SyncedRow? {
        let names = (["id"] + model.columns.map(\.name)).map(quoted).joined(separator: ", ")
        let sql = "SELECT \(names) FROM \(quoted(key.table)) WHERE id = ?"
        guard let found = try db.rows(sql, [.integer(key.id)]).first else { return nil }
        var lists: [String: [Int64]] = [:]
        for list in model.lists { lists[list.name] = try targets(of: key.id, in: list, db) }
        return SyncedRow(
            key: key, identifier: identifier, values: Array(found.dropFirst()), lists: lists)
    }

    func targets(of id: Int64, in list: SyncedModel.List, _ db: Database) throws -> [Int64] {
        try db.ids(
            "SELECT target FROM \(quoted(list.table)) WHERE owner = ? ORDER BY place, id",
            [.integer(id)])
    }
}

/// A subscription to tables that lasts as long as the object.
private final class TableFollowing: Sendable {
    private let followed: [(list: FollowerList<TableChanges>, number: UInt64)]
    init(_ followed: [(list: FollowerList<TableChanges>, number: UInt64)]) {
        self.followed = followed
    }
    deinit { for (list, number) in followed { list.remove(number) } }
}
