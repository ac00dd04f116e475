public import GRDB
import Replication

extension DatabaseSchema {
    /// Returns the number of rows that refer to a row through a foreign key; `nil` if it can't be
    /// determined.
    ///
    /// - Throws: `DatabaseError`.
    public func referenceCount(
        by foreign: ForeignKey, to row: RowKey, of target: TableSchema, _ db: Database
    ) throws -> Int? {
        guard let source = table(foreign.table), let columns = targetColumns(of: foreign) else {
            return nil
        }
        guard let values = try RowWalk(target).values(db, of: row, columns),
            !values.contains(.null)
        else { return 0 }
        return try source.count(db, where: .columns(foreign.columns, equal: values))
    }

    /// Describes the rows that block a change because of a foreign key. Returns `nil` if no such
    /// row is found. This is the case, for example, if only a cascade of the change violates a
    /// foreign key.
    ///
    /// - Throws: `DatabaseError`.
    public func obstacle(
        to change: TableChange, of table: TableSchema, _ db: Database
    ) throws -> String? {
        if change.action != .delete, let missing = try missingTarget(of: change, in: table, db) {
            return missing
        }
        guard change.action != .insert, let row = change.key else { return nil }
        let obstacles = try references(to: table).compactMap { foreign -> String? in
            let rule = change.action == .delete ? foreign.onDelete : foreign.onUpdate
            let isTouched =
                change.action == .delete
                || targetColumns(of: foreign)?.contains { change.value(of: $0) != nil } ?? false
            guard isTouched, ["NO ACTION", "RESTRICT"].contains(rule),
                let count = try referenceCount(by: foreign, to: row, of: table, db), count > 0
            else { return nil }
            let columns = foreign.columns.joined(separator: ", ")
            return count == 1
                ? "1 row of \(foreign.table) refers to it by \(columns)"
                : "\(count.grouped) rows of \(foreign.table) refer to it by \(columns)"
        }
        return obstacles.isEmpty ? nil : obstacles.joined(separator: ", ")
    }

    /// Returns whether a foreign key can delete the rows that refer to the changed row, or clear
    /// their references. Undoing the change restores neither.
    func clearsReferences(_ change: TableChange, of table: TableSchema) -> Bool {
        references(to: table).contains { foreign in
            switch change.action {
            case .insert: false
            case .delete: ["CASCADE", "SET NULL", "SET DEFAULT"].contains(foreign.onDelete)
            // `CASCADE` also applies to the update that undoes the change.
            case .update:
                ["SET NULL", "SET DEFAULT"].contains(foreign.onUpdate)
                    && targetColumns(of: foreign)?.contains { change.value(of: $0) != nil } ?? false
            }
        }
    }

    /// Describes the missing row that a changed row would refer to.
    private func missingTarget(
        of change: TableChange, in table: TableSchema, _ db: Database
    ) throws -> String? {
        for foreign in table.foreignKeys
        where foreign.columns.contains(where: { change.value(of: $0) != nil }) {
            let names = foreign.columns.joined(separator: ", ")
            guard let target = self.table(foreign.target) else {
                return "\(names) refers to \(foreign.target), which doesn't exist"
            }
            guard let columns = targetColumns(of: foreign) else {
                return "\(names) refers to columns of \(target.name) that don't exist"
            }
            let old = try change.key.flatMap {
                try RowWalk(table).values(db, of: $0, foreign.columns)
            }
            let values = foreign.columns.indices.map { index in
                change.value(of: foreign.columns[index]) ?? old?[index] ?? .null
            }
            guard !values.contains(.null),
                try target.count(db, where: .columns(columns, equal: values)) == 0
            else { continue }
            let row = zip(columns, values).map { "\($0) \($1.sql(shortened: true))" }
            return "\(names) refers to a row of \(target.name) that doesn't exist: "
                + row.joined(separator: ", ")
        }
        return nil
    }
}

extension TableChange {
    /// Returns the value that the change writes into a column; `nil` if the change doesn't write
    /// the column.
    fileprivate func value(of column: String) -> TableValue? {
        cells.last { SQLName.areSame($0.column, column) }?.value
    }
}
