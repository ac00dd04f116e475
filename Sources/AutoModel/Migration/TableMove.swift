import GRDB

/// A move of tables from one file of a database to another.
///
/// A transaction of the new file copies the rows and notes which tables to drop from the old file.
/// The old tables are dropped after the commit. If the process is killed before that, both files
/// have the rows. The next time the database is opened, the old tables are dropped.
struct TableMove {
    static let notes = "automodel_moved"
    let database: AutoDatabase

    func run(_ layouts: [(DatabaseFile, [TableLayout])]) throws {
        // Tables can't move if there is only one file.
        guard layouts.count > 1 else { return }
        for (file, _) in layouts { try finish(file) }
        for (file, own) in layouts {
            for (source, others) in layouts where source !== file {
                let declared = Set(others.map { $0.name.lowercased() })
                try move(own.filter { !declared.contains($0.name.lowercased()) }, source, file)
            }
            try finish(file)
        }
    }

    private func move(
        _ layouts: [TableLayout], _ source: DatabaseFile, _ target: DatabaseFile
    ) throws {
        let there = try target.withConnection { Set(try StoredTable.all($0).keys) }
        let elsewhere = try source.withConnection { try StoredTable.all($0) }
        let wanted = layouts.compactMap { layout -> StoredTable? in
            let names = ([layout.name] + layout.formerNames.reversed()).map { $0.lowercased() }
            guard !names.contains(where: there.contains) else { return nil }
            return names.lazy.compactMap { elsewhere[$0] }.first
        }
        guard !wanted.isEmpty else { return }
        let names = wanted.map(\.name)
        notify(.willMigrate(file: target.path, tables: names))
        try target.withConnection { db in
            try db.execute(sql: "ATTACH DATABASE ? AS automodel_source", arguments: [source.path])
            defer { try? db.execute(sql: "DETACH DATABASE automodel_source") }
            try db.inTransaction(.immediate) {
                try db.execute(
                    sql: "CREATE TABLE IF NOT EXISTS \(Self.notes) (file TEXT, name TEXT)")
                for table in wanted {
                    try db.execute(sql: table.sql)
                    let columns = table.columns.map { quoted($0.name) }.joined(separator: ", ")
                    try db.execute(
                        sql: """
                            INSERT INTO main.\(quoted(table.name)) (\(columns))
                            SELECT \(columns) FROM automodel_source.\(quoted(table.name))
                            """)
                    try db.run(
                        "INSERT INTO \(Self.notes) (file, name) VALUES (?, ?)",
                        [.text(source.name ?? ""), .text(table.name)])
                    try TypeNotes.copy(table.name, from: "automodel_source", db)
                }
                return .commit
            }
        }
        notify(.didMigrate(file: target.path, tables: names))
    }

    private func notify(_ event: MigrationEvent) { database.configuration.onMigration(event) }

    /// Drops moved tables from their old files.
    private func finish(_ file: DatabaseFile) throws {
        let notes: [(String, String)] = try file.withConnection { db in
            let known = "SELECT 1 FROM sqlite_master WHERE name = ?"
            guard try db.value(known, [.text(Self.notes)]) != nil else { return [] }
            return try db.texts("SELECT file, name FROM \(Self.notes)")
        }
        guard !notes.isEmpty else { return }
        for (name, tables) in Dictionary(grouping: notes, by: \.0).sorted(by: { $0.key < $1.key }) {
            guard let source = database.allFiles.first(where: { ($0.name ?? "") == name }) else {
                continue
            }
            try remove(tables.map(\.1), from: source)
        }
        try file.withConnection { try $0.execute(sql: "DROP TABLE \(Self.notes)") }
    }
}

extension TableMove {
    private func remove(_ tables: [String], from source: DatabaseFile) throws {
        notify(.willMigrate(file: source.path, tables: tables))
        try source.withConnection { db in
            try db.inTransaction(.immediate) {
                for table in tables {
                    let search = SearchPlan.searchTable(of: table)
                    try db.execute(sql: "DROP TABLE IF EXISTS \(quoted(search))")
                    try db.execute(sql: "DROP TABLE IF EXISTS \(quoted(table))")
                    try TypeNotes.remove(table, db)
                }
                return .commit
            }
        }
        notify(.didMigrate(file: source.path, tables: tables))
    }
}

extension AutoDatabase {
    /// Migrates all tables to the declarations of their models.
    func migrate() throws {
        let layouts = allFiles.map { file in
            let own = allTables.filter { $0.file === file }.map(\.layout)
            return (
                file,
                own.flatMap { layout in
                    [layout] + layout.links.map { TableLayout(link: $0, of: layout) }
                }
            )
        }
        try TableMove(database: self).run(layouts)
        for (file, own) in layouts {
            try Migrator(file: file, layouts: own, configuration: configuration).run()
        }
    }
}
