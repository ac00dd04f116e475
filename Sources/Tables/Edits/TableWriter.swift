import GRDB
import Replication

/// A writer for rows of a database that can belong to another program.
///
/// Each call is one short transaction in the database's own journal mode. The connection is closed
/// right after the transaction. Only the rows are written. The database's constraints, foreign keys
/// and triggers apply.
public struct TableWriter: Sendable {
    /// The file to write.
    public let file: TableFile
    /// The number of seconds to wait for another process's transaction.
    private let patience: Double

    /// Creates a writer.
    ///
    /// - Parameter patience: The number of seconds to wait for another process's transaction.
    /// - Throws: ``TablesError``, `.readOnly`, for a device's file in a store package.
    public init(_ file: TableFile, patience: Duration = .seconds(5)) throws(TablesError) {
        guard !file.isInPackage else {
            throw TablesError(
                .readOnly,
                "it is a device's file in a store package, and only the store can write it",
                suggestion: Suggestion("write to the package", .writeToPackage))
        }
        self.file = file
        self.patience = patience / .seconds(1)
    }

    /// The result of writing changes.
    public struct Outcome: Sendable {
        /// The key of each row, in the order of the changes.
        public let keys: [RowKey]
        /// The changes that undo the write, in the order in which to apply them.
        public let undo: [TableChange]
        /// The number of rows that the database itself changed, through triggers and foreign keys.
        public let furtherChanges: Int
        /// The number of ``furtherChanges`` that ``undo`` possibly doesn't restore, because a
        /// foreign key can have deleted rows or cleared their references, or because a trigger can
        /// have deleted or updated rows.
        public let lastingChanges: Int
    }

    /// Applies all changes, or none.
    ///
    /// A change that a constraint forbids is made after the other changes, so that rows can swap
    /// unique values. If needed, one of these rows gets a temporary value first.
    ///
    /// - Throws: ``TablesError``: `.notFound`, `.moved` if a row was deleted or doesn't have the
    ///   expected values, `.refused` by a rule of the database, `.readOnly`, `.usage`, `.busy`;
    ///   `ReplicationError` for a problem with the file, with code `.unconfirmed` for changes that
    ///   are written but that the disk didn't confirm.
    public func apply(_ changes: [TableChange]) throws -> Outcome {
        try inTransaction { db, _ in
            var series = try ChangeSeries(changes, db)
            return try series.outcome()
        }
    }

    /// A limit on SQLite's work, because triggers can run forever.
    final class WorkLimit {
        private let byteCount: Int64
        private var budget: ForeignDatabase.Budget?

        fileprivate init(byteCount: Int64) { self.byteCount = byteCount }

        /// Resets the limit for the next statements.
        func renew(_ db: Database) {
            let budget = ForeignDatabase.Budget(
                byteCount: byteCount, .init(instructionsPerByte: 5000))
            budget.apply(to: db)
            self.budget = budget
        }
    }

    /// Runs `body` in one transaction on a new connection.
    ///
    /// - Throws: As ``apply(_:)``; errors of `body`.
    func inTransaction<Value>(_ body: (Database, WorkLimit) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.label = "Tideline.tables"
        configuration.busyMode = .timeout(patience)
        let byteCount = try FileStamp(ofFileAt: file.path).byteCount
        guard byteCount > 0 else {
            throw TablesError(.unreadable, "the file is empty")
        }
        let limit = WorkLimit(byteCount: byteCount)
        defer { withExtendedLifetime(limit) {} }
        configuration.prepareDatabase { $0.defend() }
        do {
            let local = try LocalFile(
                file.path, configuration: configuration, keepsJournalMode: true, trustsSchema: true)
            return try local.inTransaction(.immediate) { db in
                limit.renew(db)
                return try db.acceptingQuotedText { try body(db, limit) }
            }
        } catch let error as ReplicationError where error.code == .busy {
            throw TablesError(.busy, error.reason, suggestion: error.suggestion)
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_BUSY,
                let refusal = ReplicationError(missingLocksAt: file.path)
            {
                throw refusal
            }
            throw TablesError(writing: error)
                ?? ReplicationError(.inputOutput, at: file.path, error.message ?? "\(error)")
        }
    }

    /// Checks that rows of the table can be written.
    ///
    /// - Throws: ``TablesError``, `.readOnly`, if the table isn't an ordinary table.
    public static func requireWritable(_ table: TableSchema) throws(TablesError) {
        if let problem = table.problem {
            throw TablesError(.readOnly, "\(table.name) can't be written: \(problem)")
        }
        switch table.kind {
        case .view: throw TablesError(.readOnly, "\(table.name) is a view, which can't be edited")
        case .shadow(let owner):
            throw TablesError(.readOnly, "\(table.name) belongs to the virtual table \(owner)")
        case .virtual(let module):
            throw TablesError(.readOnly, "\(table.name) is a virtual table of \(module)")
        case .table:
            guard !table.isSystem else {
                throw TablesError(.readOnly, "\(table.name) belongs to SQLite")
            }
            guard table.hasKeys else {
                throw TablesError(
                    .readOnly, "the rows of \(table.name) have no key to identify them")
            }
        }
    }

    /// Applies a change, or explains which foreign key blocks it.
    static func makeOrExplain(
        _ change: TableChange, in table: TableSchema, _ schema: DatabaseSchema, _ db: Database
    ) throws -> (RowKey, inverse: TableChange) {
        do {
            return try make(change, in: table, db)
        } catch let error as DatabaseError
            where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
        {
            // SQLite's error doesn't name the foreign key. It can still be found, because SQLite
            // has rolled back only this statement.
            guard let obstacle = try schema.obstacle(to: change, of: table, db) else { throw error }
            throw TablesError(.refused, obstacle)
        }
    }

    private static func make(
        _ change: TableChange, in table: TableSchema, _ db: Database
    ) throws -> (RowKey, inverse: TableChange) {
        let walk = try RowWalk(table)
        if !walk.findsKeys, let missing = table.missingCollations.first {
            throw TablesError(missingCollation: missing)
        }
        for cell in change.cells where table.column(cell.column) == nil {
            throw TablesError(.notFound, "\(table.name) has no column \(cell.column)")
        }
        switch change.action {
        case .update:
            let (key, old) = try current(change, walk, db)
            for (cell, before) in zip(change.cells, old) {
                try table.column(cell.column)?.check(
                    cell.value, replacing: before.value, acceptsAnyType: change.acceptsAnyType)
            }
            var sets = change.cells.map { "\(SQLName.quoted($0.column)) = ?" }
            if change.countsSaves { sets.append("Z_OPT = coalesce(Z_OPT, 0) + 1") }
            let (condition, keyArguments) = walk.keyCondition(key)
            let newKey = try write(
                table, db, "UPDATE",
                "\(SQLName.quoted(table.name)) SET \(sets.joined(separator: ", ")) "
                    + "WHERE \(condition)", change.cells.map(\.value) + keyArguments)
            let columns = change.cells.map(\.column)
            let others = table.identifyingColumns.filter { name in
                !columns.contains { SQLName.areSame($0, name) }
            }
            let new = try written(columns, of: newKey, walk, db) ?? change.cells
            // Short values are enough to identify the row, and keep the undo data small.
            let identity = (try written(others, of: newKey, walk, db) ?? []).filter {
                $0.value.cost <= 4096
            }
            var inverse = TableChange.update(table.name, newKey, old, expecting: new + identity)
            inverse.countsSaves = change.countsSaves
            inverse.acceptsAnyType = true
            return (newKey, inverse)
        case .delete:
            let (key, _) = try current(change, walk, db)
            let columns = table.columns.filter(\.isWritable).map(\.name)
            guard let old = try walk.values(db, of: key, columns, longest: longestUndo) else {
                throw missingRow(key, change, table)
            }
            let cells = zip(columns, old).map { TableChange.Cell($0, $1) }
            try requireLoaded(cells)
            let (condition, keyArguments) = walk.keyCondition(key)
            try RowStepper.run(
                db, "DELETE FROM \(SQLName.quoted(table.name)) WHERE \(condition)", keyArguments)
            guard db.changesCount > 0 else { throw ignoredChange(table) }
            var inverse = TableChange.insert(table.name, cells, key: key)
            inverse.acceptsAnyType = true
            return (key, inverse)
        case .insert:
            for cell in change.cells {
                try table.column(cell.column)?.check(
                    cell.value, replacing: nil, acceptsAnyType: change.acceptsAnyType)
            }
            let (names, values) = change.insertion(table)
            let name = SQLName.quoted(table.name)
            let marks = names.map { _ in "?" }.joined(separator: ", ")
            let key = try write(
                table, db, "INSERT",
                names.isEmpty
                    ? "INTO \(name) DEFAULT VALUES"
                    : "INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))",
                values)
            // Undo deletes the row, so it must not have any value that was written since then. Core
            // Data counts saves in `Z_OPT`, and undoing a save also increments it.
            let columns = table.columns.filter { column in
                column.isWritable && !SQLName.areSame(column.name, "Z_OPT")
            }.map(\.name)
            let expected = try written(columns, of: key, walk, db) ?? change.cells
            return (key, .delete(table.name, key, expecting: expected))
        }
    }

    /// Returns the current values of the row, after comparing them with the expected ones.
    private static func current(
        _ change: TableChange, _ walk: RowWalk, _ db: Database
    ) throws -> (RowKey, [TableChange.Cell]) {
        guard let key = change.key else { throw TablesError(.usage, "the change has no row key") }
        let names = change.cells.map(\.column)
        guard let old = try walk.values(db, of: key, names + change.expected.map(\.column)) else {
            throw missingRow(key, change, walk.table)
        }
        for (cell, value) in zip(change.expected, old.dropFirst(names.count))
        where cell.value != value {
            throw TablesError(
                .moved, "\(cell.column) of row \(key.text) changed in the meantime")
        }
        let cells = zip(names, old).map { TableChange.Cell($0, $1) }
        try requireLoaded(cells)
        return (key, cells)
    }

    /// The length in bytes above which a value can't be restored, so that its row isn't deleted.
    private static let longestUndo = 16 << 20

    /// Checks that the undo data contains the values.
    private static func requireLoaded(_ cells: [TableChange.Cell]) throws(TablesError) {
        for cell in cells where !cell.value.isLoaded {
            throw TablesError(.readOnly, "\(cell.column) has a value that is too long for undo")
        }
    }

    private static func missingRow(
        _ key: RowKey, _ change: TableChange, _ table: TableSchema
    ) -> TablesError {
        // A caller that expects values has read the row, so it was deleted since then.
        change.expected.isEmpty
            ? TablesError(.notFound, "no row \(key.text) in \(table.name)")
            : TablesError(
                .moved, "row \(key.text) of \(table.name) was deleted in the meantime")
    }

    /// Inserts or updates one row.
    ///
    /// - Parameters:
    ///   - verb: The first word of the statement.
    ///   - rest: The other words of the statement.
    /// - Returns: The key of the row. Its values can differ from the given ones, because the
    ///   database converts values and computes missing ones.
    /// - Throws: ``TablesError``, `.refused`, if the database ignored the statement, or if a
    ///   constraint would delete another row.
    private static func write(
        _ table: TableSchema, _ db: Database, _ verb: String, _ rest: String,
        _ values: [TableValue]
    ) throws -> RowKey {
        // Without the operator, SQLite returns a rowid as a real number if the type of the first
        // column is REAL.
        let names = TableChange.keyNames(table).map { table.rowIDSQL == nil ? $0 : "+\($0)" }
        let rest = "\(rest) RETURNING \(names.joined(separator: ", "))"
        let key =
            table.mayReplaceRows
            ? try writeKeepingOthers(table, db, verb, rest, values)
            : try RowStepper.run(db, "\(verb) \(rest)", values)
        guard let key else { throw ignoredChange(table) }
        return RowKey(key)
    }

    private static func ignoredChange(_ table: TableSchema) -> TablesError {
        TablesError(
            .refused,
            table.triggers.isEmpty
                ? "a constraint of \(table.name) ignored the change (ON CONFLICT IGNORE)"
                : "a trigger of the database ignored the change")
    }

    /// Writes one row without deleting others, in a table that may have a constraint that would
    /// delete them (`ON CONFLICT REPLACE`). SQLite doesn't report the deleted rows, so undo
    /// couldn't restore them.
    ///
    /// - Returns: The values that the statement returns; `nil` if it wrote no row.
    private static func writeKeepingOthers(
        _ table: TableSchema, _ db: Database, _ verb: String, _ rest: String,
        _ values: [TableValue]
    ) throws -> [TableValue]? {
        let sql = "\(verb) \(rest)"
        do {
            return try RowStepper.run(db, "\(verb) OR ABORT \(rest)", values)
        } catch let error as DatabaseError {
            let message = error.message ?? ""
            switch error.extendedResultCode {
            case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY,
                .SQLITE_CONSTRAINT_ROWID:
                guard message.hasPrefix("UNIQUE constraint failed: \(table.name).") else {
                    return try RowStepper.run(db, sql, values)
                }
                // If the constraint has another conflict clause, the statement fails or ignores the
                // row, and doesn't need this explanation.
                try db.inSavepoint {
                    try RowStepper.run(db, sql, values)
                    return .rollback
                }
                guard db.changesCount > 0 else { return nil }
                throw TablesError(
                    .refused,
                    TablesError.words(forRefusal: message)
                        + " (ON CONFLICT REPLACE would delete that row)")
            // `OR ABORT` also replaces the conflict clauses of `NOT NULL` and of triggers. SQLite
            // has undone the statement.
            case .SQLITE_CONSTRAINT_NOTNULL: return try RowStepper.run(db, sql, values)
            default: throw error
            }
        }
    }

    /// Returns the row's values after a change, which affinity and triggers can have altered; `nil`
    /// if the row no longer exists.
    private static func written(
        _ columns: [String], of key: RowKey, _ walk: RowWalk, _ db: Database
    ) throws -> [TableChange.Cell]? {
        guard let values = try walk.values(db, of: key, columns) else { return nil }
        return zip(columns, values).filter { $1.isLoaded }.map { .init($0, $1) }
    }
}

extension TableSchema {
    /// Whether a constraint may delete other rows that have the same values as a written row.
    var mayReplaceRows: Bool { sql?.uppercased().contains("REPLACE") ?? false }

    /// The columns that distinguish a row from others, in addition to its rowid. If the rowid isn't
    /// a column, `VACUUM` can give it to another row.
    fileprivate var identifyingColumns: [String] {
        guard rowID != nil, rowIDColumn == nil else { return [] }
        let key = primaryKey
        return (key.isEmpty ? columns : key).filter(\.isWritable).map(\.name)
    }
}
