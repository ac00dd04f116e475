import GRDB
import Replication
import Tables

/// Copies rows from another database: updates, inserts or deletes them by primary key. Values
/// keep their types.
struct TableTakeover: Takeover {
    let database: TableDatabase
    let other: TableFile

    /// The table of a row in one database, and the row, if it exists.
    private struct Found {
        let table: NamedTable
        let row: TableRow?
    }

    /// A row's change in SQL and in words.
    private struct Taken {
        var change: TableChange
        var words: [EditPreview.Change]
        var warnings: [String] = []
    }

    var availability: Availability { database.availability() }
    var takesSeveral: Bool { true }

    func preview(_ differences: [StoreDifference], _ edit: Edit) async throws -> EditPreview {
        try await database.run { _ in
            do {
                let taken = try changes(differences)
                var preview = try database.preview(
                    taken.map(\.change), edit, taken.flatMap(\.words))
                preview.rowCount = taken.count
                for warning in taken.flatMap(\.warnings)
                where !preview.warnings.contains(warning) {
                    preview.warnings.append(warning)
                }
                return preview
            } catch let error as TablesError {
                throw EditError(error)
            }
        }
    }

    func apply(
        _ preview: EditPreview, _ differences: [StoreDifference]
    ) async throws -> AppliedEdit {
        try await database.apply([preview])
    }

    func updated(_ differences: [StoreDifference]) async throws -> [StoreDifference] {
        let found = try await database.run { _ in
            try database.file.read { try Self.rows(differences, in: database.file, $0) }.0
        }
        return zip(differences, found).map { difference, found in
            var updated = difference
            updated.note { name in
                guard let row = found.row, let index = found.table.index(ofColumn: name) else {
                    return nil
                }
                return StoreDifference.Value(row.values[index], found.table.columns[index])
            }
            return updated
        }
    }

    /// Returns the rows of differences in one database.
    ///
    /// - Throws: ``EditError`` for a difference that isn't about a row, and for a missing table;
    ///   errors from reading.
    private static func rows(
        _ differences: [StoreDifference], in file: TableFile, _ db: Database
    ) throws -> [Found] {
        let tables = try DatabaseTables(db, storeAt: file.path)
        return try differences.map { difference in
            guard case .row(let name, let key) = difference.subject else {
                throw EditError(
                    .unsupported,
                    "tables and columns can't be copied, only rows: change the schema with "
                        + "the program that owns the database")
            }
            guard let table = tables.table(name) else {
                throw EditError(.notFound, "\(file.path) no longer has the table \(name)")
            }
            return Found(table: table, row: try table.row(db, comparedBy: key))
        }
    }

    /// Returns the changes of rows in an order that keeps foreign keys valid. Inserts and updates
    /// come first, starting with the tables that others refer to. Deletions follow in reverse
    /// order. Rows that are already the same are left out.
    private func changes(_ differences: [StoreDifference]) throws -> [Taken] {
        let theirs = try other.read { try Self.rows(differences, in: other, $0) }.0
        let (own, order) = try database.file.read { db in
            (
                try Self.rows(differences, in: database.file, db),
                try differences.count > 1 ? DatabaseSchema(db).namesAfterTargets : []
            )
        }.0
        var taken: [Taken] = []
        var unchanged: EditError?
        for (difference, found) in zip(differences, zip(theirs, own)) {
            do {
                taken.append(
                    try change(
                        difference, from: found.0, to: found.1, isOnly: differences.count == 1))
            } catch let error as EditError where error.code == .unchanged {
                unchanged = error
            }
        }
        if taken.isEmpty, let unchanged { throw unchanged }
        let places = Dictionary(zip(order, order.indices), uniquingKeysWith: { $1 })
        func place(_ taken: Taken) -> Int { places[taken.change.table] ?? 0 }
        let written = taken.filter { $0.change.action != .delete }
        let deleted = taken.filter { $0.change.action == .delete }
        // In a table that refers to itself, a row mostly refers to an earlier row.
        return written.sorted { place($0) < place($1) }
            + deleted.sorted { place($0) < place($1) }.reversed()
    }

    /// Returns the change that makes a row of the open database the same as in the other database.
    ///
    /// - Parameter isOnly: Whether no other row is copied.
    /// - Throws: ``EditError`` or ``TablesError`` with the reason why that isn't possible.
    private func change(
        _ difference: StoreDifference, from theirs: Found, to own: Found, isOnly: Bool
    ) throws -> Taken {
        let name = difference.subject.names.map(\.text).joined(separator: " ")
        let table = own.table
        if case .unavailable(let reason) = database.availability(of: table) {
            throw EditError(.readOnly, reason)
        }
        guard let new = theirs.row else {
            guard let old = own.row else {
                throw EditError(.unchanged, "the row \(name) is no longer in either database")
            }
            if difference.wasInFirst { throw EditError.goneFromOtherStore("the row \(name)") }
            // Leave out computed values, because they follow from other values.
            let cells = zip(table.columns, old.values)
                .filter { $0.schema.isWritable && $1.isLoaded }
                .map { TableChange.Cell($0.schema.name, $1) }
            let line = TableGrid.line(
                of: old.values, in: table.columns, epochs: database.epochs(of: table))
            return Taken(
                change: try table.delete(old.key, expecting: cells),
                words: [.init(subject: name, old: .init(line), new: nil)])
        }
        let values = table.columns.indices.compactMap { index -> CopiedValue? in
            let column = table.columns[index]
            guard column.schema.isWritable,
                let place = theirs.table.index(ofColumn: column.name)
            else { return nil }
            return CopiedValue(
                column: column, source: theirs.table.columns[place], new: new.values[place],
                old: own.row?.values[index],
                isListed: difference.columns?.contains { $0.name == column.name } ?? true)
        }.filter(\.isDifferent)
        guard !values.isEmpty || own.row == nil else {
            throw EditError(
                .unchanged,
                "nothing to write: both rows have the same values, apart from computed ones")
        }
        for value in values { try value.check() }
        let cells = values.map { TableChange.Cell($0.column.schema.name, $0.new) }
        let change: TableChange
        if let old = own.row {
            let expected = values.compactMap { value in
                value.old.map { TableChange.Cell(value.column.schema.name, $0) }
            }
            change = table.update(old.key, cells, expecting: expected)
        } else {
            change = try table.insert(cells, key: Self.key(of: difference, in: table))
        }
        var taken = Taken(
            change: change,
            words: values.map { value in
                let epoch = database.epoch(of: value.column, in: table)
                func text(_ value: TableValue, _ column: NamedTable.Column) -> EditPreview.Value {
                    EditPreview.Value(TableGrid.text(value, column, epoch))
                }
                return EditPreview.Change(
                    subject: isOnly ? value.column.name : "\(name) › \(value.column.name)",
                    old: value.old.map { text($0, value.column) },
                    new: text(value.new, value.source))
            })
        // The other database may have any type in any column.
        taken.change.acceptsAnyType = true
        if own.row == nil {
            taken.warnings = theirs.table.columns
                .filter { $0.schema.isWritable && table.index(ofColumn: $0.name) == nil }
                .map { "\(table.name) has no column \($0.name): its value is left out" }
        }
        return taken
    }

    /// Returns the rowid of a row to insert, if the table has no other key; otherwise the database
    /// assigns the rowid.
    private static func key(of difference: StoreDifference, in table: NamedTable) -> RowKey? {
        guard table.schema.primaryKey.isEmpty, case .row(_, let key) = difference.subject else {
            return nil
        }
        return key
    }
}

/// A value that is copied from a column of the other database.
private struct CopiedValue {
    let column: NamedTable.Column
    /// The column in the other database.
    let source: NamedTable.Column
    let new: TableValue
    /// The current value; `nil` if the row is inserted.
    let old: TableValue?
    /// Whether the list of differences contains the column.
    let isListed: Bool

    /// Whether the values differ. A listed value that isn't loaded counts as different.
    var isDifferent: Bool { old != new || !new.isLoaded && isListed }

    /// Checks that the value can be copied.
    func check() throws(EditError) {
        guard new.isLoaded, old?.isLoaded ?? true else {
            throw EditError(
                .unsupported, "\(column.name) has a value that is too long to copy")
        }
        guard case .blob(let data) = new, case .file(let name)? = source.external(data) else {
            return
        }
        throw EditError(
            .unsupported,
            "the value of \(column.name) can't be copied, because the other store keeps it in "
                + "a separate file: \(name)")
    }
}

extension NamedTable {
    fileprivate func index(ofColumn name: String) -> Int? {
        columns.firstIndex { SQLName.areSame($0.name, name) }
    }
}
