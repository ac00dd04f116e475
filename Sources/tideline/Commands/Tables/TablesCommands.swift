import ArgumentParser
import CommandSupport
import Foundation
import GRDB
import Replication
import Tables
import TidelineCore

struct TablesCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables",
        abstract: "Read and edit the tables of any SQLite database.",
        discussion: """
            Stores of Core Data or SwiftData are shown by their entities; --raw shows their tables. \
            Names come from the model in the store. If it has none, they come from a .momd or .mom \
            file next to it, or from --model.

            Example: tideline tables show places.sqlite moz_places --limit 10
            """,
        subcommands: [
            List.self, Show.self, Schema.self, Query.self, History.self, Set.self, Insert.self,
            Delete.self, Import.self, Profile.self,
        ])
}

/// The database of a command.
struct DatabaseArgument: ParsableArguments {
    @Argument(help: "The database file.", completion: .file(), transform: PathWord.path)
    var path: String
    @Flag(
        help: "Show the actual tables, including those that SQLite, an index or Core Data uses.")
    var raw = false
    @Option(
        help:
            "A compiled Core Data model (.momd or .mom) with the names of entities and attributes.",
        completion: .file(), transform: PathWord.path)
    var model: String?

    var file: TableFile { TableFile(path) }

    /// Reads the model that the option `--model` names.
    static func coreDataModel(at path: String) throws -> CoreDataModelFile {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(.noSuchFile, "--model", "\(path): no such file or folder")
        }
        return try Failure.of("--model") { try CoreDataModelFile(path) }
    }

    /// Runs `body` on one state of the database.
    func read<Value>(_ body: (DatabaseToRead) throws -> Value) throws -> Value {
        try Failure.of(path) {
            try requireDatabase()
            let model = try model.map { try Self.coreDataModel(at: $0) }
            return try file.read { db in
                let tables = try DatabaseTables(
                    db, isRaw: raw, model: model, storeAt: file.path)
                return try body(DatabaseToRead(db: db, tables: tables))
            }.0
        }
    }

    /// Returns the table with this name or, without `--raw`, the entity.
    func table(_ name: String) throws -> NamedTable {
        try read { try $0.table(name) }
    }

    func requireDatabase() throws {
        guard try !StoreKind.isFolder(path) else {
            throw Failure(
                .badData, path, "a folder, not a database",
                suggestion: "specify a file in it, such as Devices/ID/Logs.db")
        }
        try StoreKind.requireDatabase(path)
    }
}

/// A database during a read.
struct DatabaseToRead {
    let db: Database
    let tables: DatabaseTables

    func table(_ name: String) throws -> NamedTable {
        guard let table = tables.table(name) else {
            let names = tables.tables.prefix(40).map(\.name).joined(separator: ", ")
            throw Failure(
                .noSuchItem, name, "no such table",
                suggestion: names.isEmpty ? nil : "choose one of \(names)")
        }
        if let problem = table.schema.problem {
            throw Failure(.badData, table.name, problem)
        }
        return table
    }
}

extension DatabaseToRead {
    /// Returns the table with this name, even if it has a problem.
    func anyTable(_ name: String) throws -> NamedTable {
        if let table = tables.table(name) { return table }
        return try table(name)
    }

    /// Returns the SQL of all tables, or of one table with its indexes and triggers. Omits SQLite's
    /// internal tables.
    func statements(of table: String?) throws -> [String] {
        let condition =
            table == nil
            ? "" : "AND (name = :table COLLATE NOCASE OR tbl_name = :table COLLATE NOCASE)"
        return try Row.fetchAll(
            db,
            sql: """
                SELECT sql FROM sqlite_master
                WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' \(condition)
                ORDER BY rowid
                """, arguments: table.map { ["table": $0] } ?? []
        ).compactMap { $0.text("sql") }
    }
}

extension DatabaseToRead {
    /// Returns the statements that create a table, its indexes and its triggers, for an export. A
    /// view or an entity becomes a table whose columns have no types, so that each value is kept
    /// unchanged.
    func exported(_ table: NamedTable) throws -> ExportWriter.SQLNames {
        guard table.entity == nil, table.schema.kind == .table, let sql = table.schema.sql else {
            // The statements of rows leave out the hidden columns of a virtual table.
            return .creating(table.name, table.columns.filter(\.schema.isWritable).map(\.name))
        }
        let others = try statements(of: table.schema.name).filter { $0 != sql }
        return ExportWriter.SQLNames(table.name, before: [sql], after: others)
    }
}

extension ExportWriter.SQLNames {
    /// Creates the names for a new table.
    static func creating(_ table: String, _ columns: [String]) -> Self {
        let columns = columns.map(SQLName.quoted).joined(separator: ", ")
        return Self(table, before: ["CREATE TABLE \(SQLName.quoted(table)) (\(columns))"])
    }
}

extension NamedTable {
    /// Returns a value in one readable line.
    ///
    /// - Parameter folder: The folder of a Core Data store's files, to add their sizes.
    static func text(
        _ value: TableValue, _ column: Column?, uuid: BlobContent.UUIDHint? = nil,
        in folder: ExternalFolder? = nil
    ) -> String {
        switch value {
        case .text(let text): return text
        case .malformedText(let data): return String(decoding: data, as: UTF8.self)
        case .blob(let data):
            guard let folder, case .file(let name)? = column?.external(data) else { break }
            do {
                let size = try folder.byteCount(of: name)
                return "file \(name), \(size.map(ByteCount.text) ?? "missing")"
            } catch {
                return "file \(name), \(error.reason)"
            }
        case .integer, .real:
            if column?.isCoreDataDate == true, let date = Epoch.seconds2001.date(value) {
                return Timestamp(date).iso8601
            }
        case .null, .unread: break
        }
        return TableGrid.text(value, column, nil, uuid: uuid)
    }
}
