import GRDB
import GRDBSQLite

/// The table of a struct.
final class ValueTable<Value: AutoValue>: AnyTable {
    let layout: TableLayout
    let columnNames: [String]
    let file: DatabaseFile
    private let owner: Locked<WeakDatabase>
    private let upsertSQL: String
    let selectSQL: String
    private let commits = Locked<UInt64>(0)
    let followers = FollowerList<TableChanges>()

    init(_ place: TablePlace) {
        layout = place.layout
        columnNames = layout.columns.map(\.name)
        file = place.file
        owner = Locked(WeakDatabase(database: place.database))
        selectSQL = layout.selectSQL
        let sets = columnNames.map { "\(quoted($0)) = excluded.\(quoted($0))" }
        upsertSQL =
            layout.insertSQL() + " ON CONFLICT (id) DO "
            + (sets.isEmpty ? "NOTHING" : "UPDATE SET \(sets.joined(separator: ", "))")
    }

    var database: AutoDatabase { owner.withLock { $0.database } ?? AutoDatabase.none }
    var model: any AutoRecord.Type { Value.self }
    var version: Version {
        Version(own: commits.withLock { $0 }, foreign: file.generation)
    }
    var hasListed: Bool { false }

    func fetch(tail: String, _ arguments: [SQLValue]) throws -> [Value] {
        var values: [Value] = []
        try file.read { db in
            try db.each(selectSQL + tail, arguments) { row in
                var value = Value()
                value.id = sqlite3_column_int64(row.handle, 0)
                var reader = ColumnReader(row)
                do {
                    try value._$read(&reader)
                } catch {
                    throw unreadable(value.id, reader.column, error)
                }
                values.append(value)
            }
        }
        return values
    }

    /// Returns the values with these identifiers, in the order of `ids`. Missing rows are left out.
    func fetch(_ ids: [Int64]) throws -> FetchResult<Value> {
        let found = try file.read { _ in
            try ids.batches.flatMap { try fetch(tail: " WHERE id IN \($0.sqlList)", []) }
        }
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return FetchResult(ids.compactMap { byID[$0] })
    }

    func records(
        _ ids: [Int64], _ finish: inout [() -> Void]
    ) throws -> [Int64: any AutoRecord] { try fetch(ids).byID }

    /// Returns whether two values would be stored as the same row.
    func isSame(_ left: Value, _ right: Value) throws -> Bool {
        try left.id == right.id && kept(left) == kept(right)
    }

    private func kept(_ value: Value) throws -> [SQLValue?] {
        var columns = TableDescription()
        Value._$describe(value, &columns)
        if let problem = columns.problem { throw problem }
        return columns.columns.map(\.defaultValue)
    }

    /// Inserts or replaces rows in one transaction.
    ///
    /// - Returns: The values with their current identifiers.
    func save(_ values: [Value]) throws -> [Value] {
        try file.write { try save(values, in: $0) }
    }

    /// Inserts or replaces rows.
    ///
    /// - Returns: The values with their current identifiers.
    func save(_ values: [Value], in session: WriteSession) throws -> [Value] {
        var saved: [Value] = []
        let statement = try session.db.prepared(insert: upsertSQL)
        for var value in values {
            statement.clear()
            if value.id != 0 { statement.bind(value.id, 1) }
            var binder = ColumnBinder(statement, from: 2)
            do {
                try value._$bind(&binder)
                try session.db.run(statement)
            } catch {
                throw explained(error, saving: value.id, binder.column)
            }
            if value.id == 0 { value.id = session.db.lastInsertedRowID }
            saved.append(value)
        }
        session.note(self) { $0.updated.formUnion(saved.map(\.id)) }
        return saved
    }

    func delete(ids: [Int64]) throws { try file.write { try delete(ids: ids, in: $0) } }

    func delete(ids: [Int64], in session: WriteSession) throws {
        for batch in ids.batches {
            try session.db.run(
                once: "DELETE FROM \(quoted(layout.name)) WHERE id IN \(batch.sqlList)")
        }
        session.note(self) { $0.deleted.formUnion(ids) }
    }

    func forget(_ column: String, of ids: [Int64], in session: WriteSession) throws {
        try clear(column, of: ids, in: session.db)
        session.note(self) { $0.updated.formUnion(ids) }
    }

    func reread(_ ids: [Int64]) {}
    func dropped(_ ids: [Int64], in session: WriteSession) {
        session.note(self) { $0.deleted.formUnion(ids) }
    }
    func bump() { commits.withLock { $0 &+= 1 } }

    func committed(_ changes: TableChanges) {
        bump()
        followers.notify(changes)
    }

    func refresh() { followers.notify(TableChanges(isUnknown: true)) }

    // Values aren't tracked: the program saves them explicitly.
    func list(_ object: any AutoObject) {}
    func saveListed(in session: WriteSession) -> [ObjectFailure] { [] }
    func saveReferred(_ object: any AutoObject, in session: WriteSession) throws {}
    func flushLater() throws {}
}
