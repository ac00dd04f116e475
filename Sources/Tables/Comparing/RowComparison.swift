import Foundation
public import GRDB
import GRDBSQLite
import Replication

/// The comparison of a table's rows in two databases.
///
/// Rows are matched by primary key, or by rowid if the table has none. Both tables are read in the
/// order of the key, one row at a time.
public struct RowComparison: Sendable {
    /// A row that only one table has, or that has different values.
    public struct Difference: Sendable {
        /// The values of the key's columns.
        public let key: RowKey
        /// The values of all columns of the first table; `nil` if that table lacks the row.
        public let from: [TableValue]?
        /// The values of all columns of the second table; `nil` if that table lacks the row.
        public let to: [TableValue]?
    }

    /// The places of a column in both tables.
    public struct SharedColumn: Sendable {
        /// The index of the column in the first table.
        public let from: Int
        /// The index of the column in the second table.
        public let to: Int
    }

    /// The columns that both tables have, in the order of the first.
    public let columns: [SharedColumn]
    private let from: NamedTable
    private let to: NamedTable
    private let keys: (from: [String], to: [String])

    /// The length in bytes above which a value is compared, but not loaded.
    public static let longestValue = 8 << 20

    /// Creates a comparison. Returns `nil` if the tables have different keys, or if their rows
    /// can't be identified.
    public init?(_ from: NamedTable, _ to: NamedTable) {
        guard let old = Self.key(of: from.schema), let new = Self.key(of: to.schema),
            old.count == new.count, zip(old, new).allSatisfy(SQLName.areSame)
        else { return nil }
        keys = (old, new)
        self.from = from
        self.to = to
        columns = from.columns.indices.compactMap { place in
            to.columns.firstIndex { SQLName.areSame($0.name, from.columns[place].name) }
                .map { SharedColumn(from: place, to: $0) }
        }
    }

    /// Returns whether each row of a table has a key: primary key columns, or the rowid.
    public static func hasKey(_ table: NamedTable) -> Bool { key(of: table.schema) != nil }

    /// Returns the columns that identify a row, or the rowid.
    fileprivate static func key(of table: TableSchema) -> [String]? {
        guard table.hasKeys else { return nil }
        let key = table.primaryKey.map(\.name)
        return key.isEmpty ? table.rowID.map { _ in ["rowid"] } : key
    }

    /// Calls `body` with each difference, in the order of keys.
    ///
    /// - Throws: `DatabaseError`; errors of `body`.
    /// - Complexity: O(*n*) in the rows of both tables. A table whose primary key isn't ordered by
    ///   bytes is sorted first. Takes memory for one row of each table.
    public func forEach(
        _ from: Database, _ to: Database, _ body: (Difference) throws -> Void
    ) throws {
        let old = try Self.rows(of: self.from, by: keys.from, from)
        let new = try Self.rows(of: self.to, by: keys.to, to)
        let keyCount = keys.from.count
        var (hasOld, hasNew) = (try old.step(), try new.step())
        while hasOld || hasNew {
            var order = hasOld ? -1 : 1
            if hasOld, hasNew {
                order = 0
                var part = 0
                while order == 0, part < keyCount {
                    order = old.compare(part, with: new, part)
                    part += 1
                }
            }
            let isSame =
                order == 0
                && columns.allSatisfy { column in
                    old.isSame(keyCount + column.from, as: new, keyCount + column.to)
                }
            if !isSame {
                let stepper = order <= 0 ? old : new
                try body(
                    Difference(
                        key: RowKey((0..<keyCount).map { stepper.value($0, longest: 1 << 20) }),
                        from: order <= 0 ? values(old, self.from) : nil,
                        to: order >= 0 ? values(new, self.to) : nil))
            }
            if order <= 0 { hasOld = try old.step() }
            if order >= 0 { hasNew = try new.step() }
        }
    }

    private func values(_ stepper: RowStepper, _ table: NamedTable) -> [TableValue] {
        table.columns.indices.map {
            stepper.value(keys.from.count + $0, longest: Self.longestValue)
        }
    }

    /// Reads the key and the columns of all rows in the order of the key's bytes, regardless of the
    /// columns' collations.
    private static func rows(
        of table: NamedTable, by key: [String], _ db: Database
    ) throws -> RowStepper {
        let isRowID = table.schema.rowIDColumn != nil || table.schema.primaryKey.isEmpty
        let parts = isRowID ? [table.schema.rowIDSQL ?? "rowid"] : key.map(SQLName.quoted)
        var collation = "BINARY"
        // If the database is in UTF-16, SQLite orders texts by their UTF-16 bytes, not by UTF-8.
        if try String.fetchOne(db, sql: "PRAGMA encoding") != "UTF-8" {
            addUTF8Order(db)
            collation = utf8Order
        }
        let columns = parts + table.columns.map { SQLName.quoted($0.schema.name) }
        let order = isRowID ? parts : parts.map { "\($0) COLLATE \(collation)" }
        table.condition?.prepare(db)
        return try RowStepper(
            db,
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.schema.source)"
                + (table.condition.map { " WHERE \($0.sql)" } ?? "")
                + " ORDER BY \(order.joined(separator: ", "))",
            table.condition?.arguments ?? [])
    }

    /// The name of the collation that orders UTF-16 texts by their bytes in generalized UTF-8.
    private static let utf8Order = "tideline_utf8"

    private static func addUTF8Order(_ db: Database) {
        sqlite3_create_collation_v2(
            db.sqliteConnection, utf8Order, SQLITE_UTF16, nil,
            { _, leftCount, left, rightCount, right in
                func bytes(_ start: UnsafeRawPointer?, _ count: CInt) -> [UInt8] {
                    let text = UnsafeRawBufferPointer(start: start, count: Int(count))
                    return UTF16Text.bytes(of: UTF16Text.units(of: text))
                }
                let order = bytes(left, leftCount).withUnsafeBytes { left in
                    bytes(right, rightCount).withUnsafeBytes { left.compare(to: $0) }
                }
                return CInt(order.signum())
            }, nil)
    }
}

extension NamedTable {
    /// Returns the row with the key of a ``RowComparison/Difference``, with the values of all
    /// columns; `nil` if the table has no such row.
    ///
    /// The key is that of a comparison: the primary key, even if the table also has a rowid.
    ///
    /// - Throws: ``TablesError``, `.usage`, if the key doesn't identify one row; `DatabaseError`.
    public func row(_ db: Database, comparedBy key: RowKey) throws -> TableRow? {
        guard let names = RowComparison.key(of: schema), names.count == key.values.count,
            key.values.allSatisfy(\.isLoaded)
        else { throw TablesError(.usage, "no key identifies row \(key.text) of \(name)") }
        var terms: [String] = []
        var arguments: [TableValue] = []
        for (name, value) in zip(names, key.values) {
            let part =
                schema.primaryKey.isEmpty ? schema.rowID ?? "rowid" : SQLName.quoted(name)
            if value == .null {
                terms.append("\(part) IS NULL")
            } else {
                // The first term can use an index. The second one ignores the column's collation,
                // as the comparison does.
                terms.append("\(part) = ? AND \(part) COLLATE BINARY = ?")
                arguments += [value, value]
            }
        }
        let condition = RowCondition(terms.joined(separator: " AND "), arguments)
        let found = try RowWalk(schema, selection(where: condition))
            .rows(db, columns: columns.map(\.schema.name), limit: 2)
        guard found.count < 2 else {
            throw TablesError(.usage, "several rows of \(name) have the key \(key.text)")
        }
        return found.first
    }
}
