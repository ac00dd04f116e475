import Foundation
import GRDB
import Replication
package import Tables

/// Edits of rows. They are previewed as SQL, written in one transaction, and undone by the inverse
/// change.
extension TableDatabase {
    /// Returns the preview of changes, in words and as SQL.
    func preview(
        _ changes: [TableChange], _ edit: Edit, _ words: [EditPreview.Change]
    ) throws -> EditPreview {
        if case .unavailable(let reason) = availability() { throw EditError(.readOnly, reason) }
        guard device != nil else { throw EditError.withoutDevice }
        guard let schema = tables?.schema else {
            throw EditError(.notFound, "the tables have not been read yet")
        }
        let statements = changes.compactMap { change in
            schema.table(change.table).map { change.sql($0) }
        }
        var warnings: [String] = []
        for change in changes where change.action == .delete {
            guard let table = schema.table(change.table) else { continue }
            if let note = NamedTable.undoNote(table), !warnings.contains(note) {
                warnings.append(note)
            }
            for key in schema.references(to: table)
            where key.onDelete != "NO ACTION" && key.onDelete != "RESTRICT" {
                let warning =
                    "the database also changes the rows of \(key.table) that refer to the deleted "
                    + "row (\(key.onDelete.lowercased())); undo doesn't restore them"
                if !warnings.contains(warning), try isReferred(change, by: key, in: schema) {
                    warnings.append(warning)
                }
            }
        }
        var kinds: Set<String> = []
        for change in changes where kinds.insert("\(change.action) \(change.table)").inserted {
            guard let table = schema.table(change.table) else { continue }
            let others = schema.tablesNotRestored(afterUndoing: change.action, on: table)
            guard !others.isEmpty else { continue }
            warnings.append(
                "triggers of \(table.name) can change rows of "
                    + "\(others.joined(separator: ", ")), too; undo doesn't restore them")
        }
        if changes.count == 1, let table = schema.table(changes[0].table),
            let obstacle = try file.read({ try schema.obstacle(to: changes[0], of: table, $0) }).0
        {
            // Only warn, because triggers may remove the obstacle.
            warnings.append("\(obstacle): the database may reject this")
        }
        let shown = statements.prefix(3).joined(separator: "; ")
        return EditPreview(
            edit: edit,
            summary: statements.count > 3 ? "\(shown); and \(statements.count - 3) more" : shown,
            changes: words, file: file.path, warnings: warnings,
            expectation: Dictionary(
                try changes.enumerated().map {
                    (
                        Name(String($0.offset)),
                        String(decoding: try JSONEncoder().encode($0.element), as: UTF8.self)
                    )
                }, uniquingKeysWith: { $1 }))
    }

    /// Returns whether other rows have a foreign key to the row that a change deletes; `true` if
    /// unknown.
    private func isReferred(
        _ change: TableChange, by foreign: Tables.ForeignKey, in schema: DatabaseSchema
    ) throws -> Bool {
        guard let row = change.key, let target = schema.table(change.table) else { return true }
        return try file.read { db in
            try schema.referenceCount(by: foreign, to: row, of: target, db) != 0
        }.0
    }

    /// Writes previewed edits in one transaction.
    ///
    /// - Throws: ``EditError``.
    func apply(_ previews: [EditPreview]) async throws -> AppliedEdit {
        let changes = try previews.flatMap { preview in
            try preview.expectation
                .compactMap { name, json in Int(name.text).map { ($0, json) } }
                .sorted { $0.0 < $1.0 }
                .map { try JSONDecoder().decode(TableChange.self, from: Data($0.1.utf8)) }
        }
        let summary = AppliedEdit.summary(previews.map(\.summary))
        let plan = EditPlan(
            summary: summary, changes: previews.flatMap(\.changes), rowCount: changes.count,
            action: changes)
        let outcome = try await run { [file] _ in try plan.write(to: file) }
        let applied = try plan.applied(outcome, listedIn: tables?.tables ?? [])
        let marks = applied.rows.map { ($0, RowMark.changed) }
        emit(
            .changed(.tables, rows: Dictionary(marks, uniquingKeysWith: { $1 }), isOwn: true),
            summary)
        return applied
    }

    /// Returns the preview of undoing an edit.
    ///
    /// - Throws: ``EditError``, with code `.notFound` if a row, a table or a column that the edit
    ///   changes no longer exists, and `.builtOn` if a row was written again.
    func preview(undoing written: EditRecord, _ edit: Edit) throws -> EditPreview {
        let changes = try written.token([TableChange].self, of: PaneID.tables.part)
        _ = try file.read { try requireUnchanged(changes, $0) }
        return try preview(changes, edit, written.changes)
    }

    /// Checks that rows have the values that undoing expects. Doesn't check rows that undoing
    /// another row can change, because these rows can have the expected values by then.
    private func requireUnchanged(_ changes: [TableChange], _ db: Database) throws {
        guard let schema = tables?.schema else { return }
        let changesOthers = Set(changes.map(\.table)).contains { name in
            guard let table = schema.table(name) else { return false }
            return !table.triggers.isEmpty || !schema.references(to: table).isEmpty
        }
        var seen: Set<TableChange.Row> = []
        for (index, change) in changes.enumerated() {
            guard let table = schema.table(change.table) else {
                throw EditError(.notFound, "the table \(change.table) no longer exists")
            }
            for cell in change.cells + change.expected where table.column(cell.column) == nil {
                throw EditError(.notFound, "\(table.name) no longer has a column \(cell.column)")
            }
            guard let key = change.key,
                seen.insert(.init(table: change.table, key: key)).inserted,
                change.action != .insert
            else { continue }
            let expected = index == 0 || !changesOthers ? change.expected : []
            guard let values = try RowWalk(table).values(db, of: key, expected.map(\.column))
            else {
                throw EditError(.notFound, "row \(key.text) of \(change.table) no longer exists")
            }
            for (cell, value) in zip(expected, values) where cell.value != value {
                throw EditError(
                    .builtOn,
                    "\(cell.column) of row \(key.text) of \(change.table) was written again in the "
                        + "meantime")
            }
        }
    }
}

extension TableChange {
    /// The identity of a changed row.
    fileprivate struct Row: Hashable {
        let table: String
        let key: RowKey
    }
}

extension EditPlan<[TableChange]> {
    /// Writes the changes in one transaction.
    fileprivate func write(to file: TableFile) throws(EditError) -> TableWriter.Outcome {
        do {
            return try TableWriter(file).apply(action)
        } catch let error as TablesError {
            throw EditError(error)
        } catch {
            throw EditError(writing: error)
        }
    }

    /// Returns the written edit, with the rows under the names of their tables.
    fileprivate func applied(
        _ outcome: TableWriter.Outcome, listedIn tables: [NamedTable]
    ) throws -> AppliedEdit {
        var rows: [RowID] = []
        for (change, key) in zip(action, outcome.keys) {
            let names = tables.filter { SQLName.areSame($0.schema.name, change.table) }
            rows += names.map { TableGrid.id(key, of: $0) }
        }
        var edit = applied(to: rows, undo: try record(of: PaneID.tables.part, outcome.undo))
        if outcome.lastingChanges > 0 {
            edit.lasting = [
                "\(Counted.text(outcome.lastingChanges, "row")) changed by triggers and foreign keys"
            ]
        }
        return edit
    }
}

extension NamedTable {
    /// Writes a change of one row for a command.
    ///
    /// - Throws: ``EditError``.
    package func write(
        _ change: TableChange, to file: TableFile
    ) throws -> (applied: AppliedEdit, outcome: TableWriter.Outcome) {
        var plan = EditPlan(summary: change.sql(schema), action: [change])
        let outcome = try plan.write(to: file)
        plan.changes = words(of: change, undoneBy: outcome.undo.first)
        let applied = try plan.applied(outcome, listedIn: [self])
        return (applied.noting(plan.changes), outcome)
    }

    /// Returns a written change in words. The change that undoes it has the previous values.
    private func words(
        of change: TableChange, undoneBy undo: TableChange?
    ) -> [EditPreview.Change] {
        let cells = change.action == .delete ? undo?.cells ?? [] : change.cells
        return cells.map { cell in
            let column = columns.first { SQLName.areSame($0.schema.name, cell.column) }
            func shown(_ cells: [TableChange.Cell]?) -> EditPreview.Value? {
                cells?.first { SQLName.areSame($0.column, cell.column) }
                    .map { EditPreview.Value(TableGrid.text($0.value, column, nil)) }
            }
            return EditPreview.Change(
                subject: column?.name ?? cell.column, old: shown(undo?.cells),
                new: shown(change.cells))
        }
    }
}

extension EditError {
    init(_ error: TablesError) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .moved: .moved
            case .readOnly: .readOnly
            case .usage, .refused: .invalid
            case .unreadable: .unreadable
            default: .notWritten
            }
        self.init(code, because: error)
    }
}

extension TablesSource {
    /// Previews the undo of an edit in any table. No other edit is possible in the list of tables.
    func preview(_ edit: Edit) async throws -> EditPreview {
        guard case .revert(let written) = edit else {
            throw EditError(.unsupported, "open a table to edit its rows")
        }
        return try database.preview(undoing: written, edit)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await database.apply([preview])
    }
}
