import GRDB
import Replication
import Tables

/// The comparison of the tables of two databases: their names, their columns, and their rows by
/// primary key. Views and virtual tables are left out.
struct TableComparison: Comparison {
    let from: TableFile
    let to: TableFile
    /// The comparison is limited to tables whose names have this prefix.
    var prefix = ""

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        var isOut = false
        // All rows are read in one query, so use the limit for long queries.
        try from.read(instructionsPerByte: 5000) { old in
            try to.read(instructionsPerByte: 5000) { new in
                guard !isOut else {
                    throw TablesError(.moved, "the database changed during the comparison")
                }
                try compare(old, new, warn: warn) {
                    isOut = true
                    try body($0)
                }
            }
        }
    }

    /// Returns notes on generated columns that need missing functions. If both tables have the same
    /// definition, generated columns needn't be compared, because the values that they depend on
    /// are compared.
    func notes() throws -> [(side: ComparedSide, text: String)] {
        let before = try from.read { try tables($0, of: from) }.0
        let after = try to.read { try tables($0, of: to) }.0
        return before.flatMap { table -> [(side: ComparedSide, text: String)] in
            let other = after.first { SQLName.areSame($0.name, table.name) }
            guard let other, Self.areDefinedEqually(table, other), let note = table.comparingNote
            else { return [] }
            return [ComparedSide.from, .to].map { ($0, "\(table.name): \(note)") }
        }
    }

    private static func areDefinedEqually(_ table: NamedTable, _ other: NamedTable) -> Bool {
        table.schema.sql == other.schema.sql
    }

    private func compare(
        _ old: Database, _ new: Database, warn: (ComparedSide, String) -> Void,
        _ body: (StoreDifference) throws -> Void
    ) throws {
        let (before, after) = (try tables(old, of: from), try tables(new, of: to))
        func table(_ name: Name, _ tables: [NamedTable]) -> NamedTable? {
            tables.first { SQLName.areSame($0.name, name.text) }
        }
        let gained = after.map { Name($0.name) }.filter { table($0, before) == nil }
        for name in (before.map { Name($0.name) } + gained).sorted() {
            let (from, to) = (table(name, before), table(name, after))
            for (side, table) in [(ComparedSide.from, from), (.to, to)] {
                if let problem = table?.schema.problem {
                    warn(side, "\(name.text) is not compared: \(problem)")
                }
            }
            guard from?.schema.problem == nil, to?.schema.problem == nil else { continue }
            try compare(from, to, name.text, old, new, warn: warn, body)
        }
    }

    /// Compares a table of both databases.
    private func compare(
        _ from: NamedTable?, _ to: NamedTable?, _ name: String, _ old: Database, _ new: Database,
        warn: (ComparedSide, String) -> Void, _ body: (StoreDifference) throws -> Void
    ) throws {
        guard let from, let to else {
            return try body(
                StoreDifference(
                    .table(name),
                    from: .init(try from.map { try StoreDifference.Value($0, old) }),
                    to: .init(try to.map { try StoreDifference.Value($0, new) })))
        }
        if !Self.areDefinedEqually(from, to) {
            for (side, table) in [(ComparedSide.from, from), (.to, to)] {
                if let note = table.comparingNote { warn(side, "\(name): \(note)") }
            }
        }
        let unread = from.columnsNeedingFunctions + to.columnsNeedingFunctions
        let (before, after) = (from.without(unread), to.without(unread))
        for difference in Self.columnDifferences(before, after, name) { try body(difference) }
        guard let rows = RowComparison(before, after) else {
            let haveKeys = [before, after].allSatisfy(RowComparison.hasKey)
            return warn(
                .to,
                "the rows of \(name) are not compared: "
                    + (haveKeys ? "the primary keys differ" : "no key identifies them"))
        }
        do {
            try rows.forEach(old, new) { row in
                try body(StoreDifference(row, rows.columns, before, after, name))
            }
        } catch let error as DatabaseError {
            // The other tables are still compared.
            let reason = TablesError(error)?.message ?? "\(error)"
            warn(.from, "not all rows of \(name) are compared: \(reason)")
        }
    }

    private static func columnDifferences(
        _ from: NamedTable, _ to: NamedTable, _ name: String
    ) -> [StoreDifference] {
        let lost = from.columns.filter { to.column($0.name) == nil }.map { ($0, isOld: true) }
        let gained = to.columns.filter { from.column($0.name) == nil }.map { ($0, isOld: false) }
        return (lost + gained).sorted { Name($0.0.name) < Name($1.0.name) }.map { column, isOld in
            let side = StoreDifference.Side(StoreDifference.Value(column))
            return StoreDifference(
                .column(table: name, column.name), from: isOld ? side : .init(),
                to: isOld ? .init() : side)
        }
    }

    private func tables(_ db: Database, of file: TableFile) throws -> [NamedTable] {
        try DatabaseTables(db, storeAt: file.path).tables.filter { table in
            table.schema.kind == .table && Name(table.name).hasPrefix(prefix)
        }
    }
}

extension StoreDifference {
    fileprivate init(
        _ row: RowComparison.Difference, _ shared: [RowComparison.SharedColumn],
        _ from: NamedTable, _ to: NamedTable, _ name: String
    ) {
        let columns: [Column]
        switch (row.from, row.to) {
        case (let old?, let new?):
            columns = shared.filter { old[$0.from] != new[$0.to] || !old[$0.from].isLoaded }.map {
                let column = from.columns[$0.from]
                return Column(
                    name: column.name, from: Value(old[$0.from], column),
                    to: Value(new[$0.to], to.columns[$0.to]))
            }
        case (let old?, nil):
            columns = zip(from.columns, old).map {
                Column(name: $0.name, from: Value($1, $0), to: nil)
            }
        case (nil, let new?):
            columns = zip(to.columns, new).map {
                Column(name: $0.name, from: nil, to: Value($1, $0))
            }
        case (nil, nil): columns = []
        }
        self.init(
            .row(table: name, row.key), columns: columns,
            change: row.from == nil ? .added : row.to == nil ? .removed : .changed)
    }
}

extension StoreDifference.Value {
    fileprivate init(_ table: NamedTable, _ db: Database) throws {
        let count = try table.schema.count(db, where: table.condition)
        self.init(["rows": .count(count)], text: Counted.text(count, "row"))
    }

    fileprivate init(_ column: NamedTable.Column) {
        let type = column.schema.declaredType
        self.init(["type": .string(type)], text: type.isEmpty ? "no type" : type)
    }

    init(_ value: TableValue, _ column: NamedTable.Column) {
        if case .text(let text) = value {
            self.init(column.json(value), text: text, type: value.typeName, hasWords: true)
        } else {
            let epoch: Epoch? = column.isCoreDataDate ? .seconds2001 : nil
            self.init(
                column.json(value), text: TableGrid.text(value, column, epoch),
                type: value.typeName)
        }
    }
}
