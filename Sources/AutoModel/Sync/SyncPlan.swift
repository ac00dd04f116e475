import GRDB

/// The synced model that a table belongs to: the model of the table itself or, for the table of a
/// many-to-many list, the model that has the list.
struct SyncDescription: Sendable {
    /// The model's table.
    let table: String
    /// The name of the many-to-many list that the table stores; `nil` for the model's own table.
    let list: String?
}

/// Triggers that record which rows to send to other devices, in the transaction of the write. The
/// triggers also run for writes of other programs.
struct SyncPlan {
    let declared: [(name: String, sql: String)]
    let there: [String: String]

    /// A table with a row for each unsent value. `col` is a column or a list, `*` for a whole new
    /// row, or empty for a deleted row. `mark` changes with each write.
    ///
    /// When a value is first saved, `seen` records which writes of other devices the table
    /// contained, and `base` records the targets of a list before the change. `*` in `seen` means
    /// that an older version of this library wrote the row without this information.
    static let outbox = """
        CREATE TABLE IF NOT EXISTS automodel_outbox (tab TEXT NOT NULL, row INTEGER NOT NULL, \
        col TEXT NOT NULL, mark INTEGER NOT NULL, at REAL NOT NULL, \
        \(seen), \(base), PRIMARY KEY (tab, row, col)) WITHOUT ROWID
        """
    /// The table of the rows that other devices know. For each row, the table has the identifier on
    /// those devices, and the writes of other devices that the row includes.
    static let synced = """
        CREATE TABLE IF NOT EXISTS automodel_synced (tab TEXT NOT NULL, row INTEGER NOT NULL, \
        identifier TEXT NOT NULL, \(seen), PRIMARY KEY (tab, row)) WITHOUT ROWID
        """
    private static let seen = "seen TEXT NOT NULL DEFAULT '*'"
    private static let base = "base TEXT"
    /// A table that contains a row while writes of other devices are being applied. In that case,
    /// the triggers record nothing.
    static let taking = "CREATE TABLE IF NOT EXISTS automodel_taking (yes INTEGER)"

    init(_ layout: TableLayout, stored: String?, _ db: Database) throws {
        declared = Self.triggers(layout)
        var there: [String: String] = [:]
        for table in Set([layout.name, stored ?? layout.name]) {
            for (name, sql) in try db.texts(
                """
                SELECT name, sql FROM sqlite_master WHERE type = 'trigger'
                AND tbl_name = ? COLLATE NOCASE AND substr(name, 1, 15) = 'automodel_sync_'
                """, [.text(table)])
            {
                there[name] = sql
            }
        }
        self.there = there
    }

    var isEmpty: Bool {
        there == Dictionary(declared.map { ($0.name, $0.sql) }) { first, _ in first }
    }

    func remove(_ db: Database) throws {
        for name in there.keys.sorted() {
            try db.execute(sql: "DROP TRIGGER IF EXISTS \(quoted(name))")
        }
    }

    func make(_ db: Database) throws {
        guard !declared.isEmpty else { return }
        for sql in [Self.outbox, Self.synced, Self.taking] { try db.execute(sql: sql) }
        try add(Self.seen, to: "automodel_outbox", db)
        try add(Self.base, to: "automodel_outbox", db)
        try add(Self.seen, to: "automodel_synced", db)
        for (_, sql) in declared { try db.execute(sql: sql) }
    }

    /// Adds a column to a table that an earlier version created without it.
    private func add(_ definition: String, to table: String, _ db: Database) throws {
        let name = String(definition.prefix { $0 != " " })
        let columns = "SELECT 1 FROM pragma_table_info(?) WHERE name = ?"
        guard try db.value(columns, [.text(table), .text(name)]) == nil else { return }
        try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(definition)")
    }

    /// Updates the recorded names of the table and its columns after renamings.
    func rename(_ plan: TablePlan, _ db: Database) throws {
        guard plan.layout.sync?.list == nil, !there.isEmpty, let stored = plan.stored else {
            return
        }
        for table in ["automodel_outbox", "automodel_synced"] {
            try db.run(
                "UPDATE OR REPLACE \(table) SET tab = ? WHERE tab = ?",
                [.text(plan.layout.name), .text(stored.name)])
        }
        for (from, to) in plan.renamed {
            try db.run(
                "UPDATE OR REPLACE automodel_outbox SET col = ? WHERE tab = ? AND col = ?",
                [.text(to), .text(plan.layout.name), .text(from)])
        }
    }

    private static func triggers(_ layout: TableLayout) -> [(name: String, sql: String)] {
        guard let sync = layout.sync else { return [] }
        func trigger(_ event: String, _ notes: [String]) -> (name: String, sql: String) {
            let name = "automodel_sync_\(layout.name)_\(event.lowercased())"
            return (
                name,
                // The trigger for lists runs before the change, so that it can record the previous
                // targets.
                "CREATE TRIGGER \(quoted(name)) \(sync.list == nil ? "AFTER" : "BEFORE") "
                    + "\(event) ON \(quoted(layout.name)) "
                    + "WHEN NOT EXISTS (SELECT 1 FROM automodel_taking) "
                    + "BEGIN \(notes.joined(separator: " ")) END"
            )
        }
        func note(_ row: String, _ column: String, where condition: String = "1") -> String {
            let table = SQLValue.text(sync.table).literal
            let name = SQLValue.text(column).literal
            let base =
                sync.list == nil
                ? "NULL"
                : """
                CASE WHEN EXISTS (SELECT 1 FROM automodel_outbox \
                WHERE tab = \(table) AND row = \(row) AND col = \(name)) THEN NULL ELSE \
                (SELECT coalesce(group_concat(target), '') FROM (SELECT target \
                FROM \(quoted(layout.name)) WHERE owner = \(row) ORDER BY place, id)) END
                """
            return """
                INSERT INTO automodel_outbox (tab, row, col, mark, at, seen, base) \
                SELECT \(table), \(row), \(name), random(), julianday('now'), \
                coalesce((SELECT seen FROM automodel_synced \
                WHERE tab = \(table) AND row = \(row)), ''), \(base) WHERE \(condition) \
                ON CONFLICT (tab, row, col) DO UPDATE SET mark = random(), at = excluded.at;
                """
        }
        if let list = sync.list {
            return [
                trigger("INSERT", [note("new.owner", list)]),
                trigger("DELETE", [note("old.owner", list)]),
                trigger("UPDATE", [note("new.owner", list)]),
            ]
        }
        let changes = layout.columns.map { column in
            let name = quoted(column.name)
            return note("new.id", column.name, where: "new.\(name) IS NOT old.\(name)")
        }
        return [
            trigger("INSERT", [note("new.id", "*")]),
            trigger("DELETE", [note("old.id", "")]),
        ] + (changes.isEmpty ? [] : [trigger("UPDATE", changes)])
    }
}
