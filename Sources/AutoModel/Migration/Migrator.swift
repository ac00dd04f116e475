import Foundation
import GRDB

/// A migration of one file's tables to the declarations, in one transaction.
struct Migrator {
    let file: DatabaseFile
    let layouts: [TableLayout]
    let configuration: AutoDatabase.Configuration

    /// Runs the migration.
    ///
    /// - Returns: The names of the existing tables that were changed or deleted.
    /// - Throws: ``AutoModelError``. The file stays unchanged.
    @discardableResult
    func run() throws -> [String] {
        try file.withConnection { db in
            // An up-to-date file needs no lock.
            guard try !isDone(plans(db), db) else { return [] }
            // While a table is replaced, references in other tables must still name the table.
            try db.execute(sql: "PRAGMA legacy_alter_table = ON")
            defer { try? db.execute(sql: "PRAGMA legacy_alter_table = OFF") }
            var tables: [String] = []
            try db.inTransaction(.immediate) {
                // Another process may have migrated the file before this process got the lock.
                let plans = try plans(db)
                guard try !isDone(plans, db) else { return .commit }
                let tablesToDelete = try tablesToDelete(db)
                tables =
                    plans.filter { $0.stored != nil && !$0.leavesTable }.map(\.layout.name)
                    + configuration.deletedTables.filter(tablesToDelete.contains).sorted()
                if !tables.isEmpty {
                    configuration.onMigration(.willMigrate(file: file.path, tables: tables))
                }
                for table in tablesToDelete {
                    try db.execute(sql: "DROP TABLE \(quoted(table))")
                    try TypeNotes.remove(table, db)
                }
                for plan in plans where !plan.leavesTable { try carryOut(plan, db) }
                for plan in plans where !plan.types.isEmpty { try plan.types.write(db) }
                return .commit
            }
            if !tables.isEmpty {
                configuration.onMigration(.didMigrate(file: file.path, tables: tables))
            }
            return tables
        }
    }

    private func isDone(_ plans: [TablePlan], _ db: Database) throws -> Bool {
        try plans.allSatisfy(\.isEmpty) && tablesToDelete(db).isEmpty
    }

    private func plans(_ db: Database) throws -> [TablePlan] {
        let stored = try StoredTable.all(db)
        let declared = Set(layouts.map { $0.name.lowercased() })
        return try layouts.map { layout in
            var table = stored[layout.name.lowercased()]
            if table == nil {
                table =
                    layout.formerNames.reversed().lazy
                    .filter { !declared.contains($0.lowercased()) }
                    .compactMap { stored[$0.lowercased()] }.first
            }
            return try TablePlan(layout, stored: table, db)
        }
    }

    /// Returns the tables to delete, including their full-text indexes.
    private func tablesToDelete(_ db: Database) throws -> [String] {
        let declared = Set(layouts.map { $0.name.lowercased() })
        let names = configuration.deletedTables.flatMap { [SearchPlan.searchTable(of: $0), $0] }
        return try names.sorted().filter { name in
            guard !declared.contains(name.lowercased()) else { return false }
            let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE"
            return try db.value(sql, [.text(name)]) != nil
        }
    }

    private func carryOut(_ plan: TablePlan, _ db: Database) throws {
        let layout = plan.layout
        let rebuildsSearch = !plan.search.isEmpty || plan.rewrites || plan.movesName
        if rebuildsSearch { try plan.search.remove(db) }
        try plan.sync.remove(db)
        for name in plan.indices.stale { try db.execute(sql: "DROP INDEX \(quoted(name))") }
        if let stored = plan.stored {
            if plan.movesName {
                try rename(stored.name, to: layout.name, db)
            }
            for (from, to) in plan.renamed {
                try db.execute(
                    sql: """
                        ALTER TABLE \(quoted(layout.name))
                        RENAME COLUMN \(quoted(from)) TO \(quoted(to))
                        """)
            }
            if plan.rewrites {
                try TableRewrite(plan: plan, migrator: self, db: db).run()
            } else {
                for index in plan.added {
                    try db.execute(
                        sql: "ALTER TABLE \(quoted(layout.name)) ADD COLUMN "
                            + layout.columns[index].definition)
                }
            }
        } else {
            try db.execute(sql: layout.createSQL(as: layout.name))
        }
        for (_, wanted) in plan.indices.declared.sorted(by: { $0.key < $1.key }) {
            try make(wanted.index, of: layout, db)
        }
        if rebuildsSearch { try plan.search.make(db) }
        try plan.sync.rename(plan, db)
        try plan.sync.make(db)
    }

    /// Renames a table and all references to it in the file.
    private func rename(_ from: String, to: String, _ db: Database) throws {
        try db.execute(sql: "PRAGMA legacy_alter_table = OFF")
        defer { try? db.execute(sql: "PRAGMA legacy_alter_table = ON") }
        try db.execute(sql: "ALTER TABLE \(quoted(from)) RENAME TO \(quoted(to))")
    }

    private func make(_ index: IndexDescription, of layout: TableLayout, _ db: Database) throws {
        let name = index.name(in: layout.name)
        let exists = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?"
        guard try db.value(exists, [.text(name)]) == nil else { return }
        let sql = index.sql(name, on: layout.name)
        do {
            try db.execute(sql: sql)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let repeats = try db.ids(index.repeats(in: layout.name))
            try ask(
                .duplicates, layout.name,
                index.terms.joined(separator: ", ")
                    .replacingOccurrences(of: "\"", with: ""), repeats)
            for batch in repeats.batches {
                try db.execute(
                    sql: "DELETE FROM \(quoted(layout.name)) WHERE id IN \(batch.sqlList)")
            }
            try db.execute(sql: sql)
        }
    }

    /// Asks whether the migration may lose the data of the given rows. Doesn't ask if `ids` is
    /// empty.
    ///
    /// - Throws: ``AutoModelError`` if the migration isn't allowed to lose the data.
    func ask(
        _ kind: DataLoss.Kind, _ table: String, _ column: String, _ ids: [Int64], count: Int? = nil
    ) throws {
        guard !ids.isEmpty else { return }
        let loss = DataLoss(
            kind: kind, table: table, column: column, count: count ?? ids.count,
            ids: Array(ids.prefix(100)))
        guard configuration.onDataLoss(loss) == .allow else { throw loss.refused(file.path) }
    }
}
