public import GRDB
import Replication

/// The sorted keys of a table's rows, for an order without an index or for a condition. They are
/// read once, so that the cost of each window depends only on the window's size.
public struct SortedKeys: Sendable {
    /// The rowids, eight bytes per row. Empty for a table without rowids.
    private let rowIDs: [Int64]
    private let keys: [RowKey]

    /// The maximum number of rowids.
    public static let limit = 50_000_000
    /// The maximum number of keys for tables without rowids, whose keys are larger.
    public static let keyLimit = 1_000_000

    /// Reads the keys of a walk.
    ///
    /// - Throws: ``TablesError``, `.interrupted`, for too many rows; `DatabaseError`.
    /// - Complexity: O(*n* log *n*) in the rows of the table. SQLite sorts many rows in a temporary
    ///   file.
    public init(_ walk: RowWalk, _ db: Database) throws {
        var rowIDs: [Int64] = []
        var keys: [RowKey] = []
        try walk.visitKeys(db) { key in
            if walk.table.rowID != nil {
                rowIDs.append(
                    key.first.flatMap { if case .integer(let id) = $0 { id } else { nil } } ?? 0)
            } else {
                keys.append(RowKey(key))
            }
            guard rowIDs.count <= Self.limit, keys.count <= Self.keyLimit else {
                throw TablesError(
                    .interrupted, "more rows than can be sorted without an index",
                    suggestion: "add a condition to select fewer rows")
            }
        }
        self.rowIDs = rowIDs
        self.keys = keys
    }

    /// The number of rows.
    public var count: Int { rowIDs.count + keys.count }

    /// The keys in a range, clamped to the existing keys.
    public subscript(range: Range<Int>) -> [RowKey] {
        let range = range.clamped(to: 0..<count)
        return keys.isEmpty ? rowIDs[range].map { RowKey(rowID: $0) } : Array(keys[range])
    }

    /// Returns the index of a row's key.
    ///
    /// - Complexity: O(*n*)
    public func firstIndex(of key: RowKey) -> Int? {
        guard keys.isEmpty else { return keys.firstIndex(of: key) }
        return key.rowID.flatMap { rowIDs.firstIndex(of: $0) }
    }
}

extension RowWalk {
    /// Calls `body` with the key values of each row, in the order of the walk.
    func visitKeys(_ db: Database, _ body: ([TableValue]) throws -> Void) throws {
        let names = order.keyParts.map { order.parts[$0].sql }
        let filter = selection.condition.map { " WHERE \($0.sql)" } ?? ""
        selection.condition?.prepare(db)
        let stepper = try RowStepper(
            db,
            "SELECT \(names.joined(separator: ", ")) FROM \(table.source)\(filter) "
                + "ORDER BY \(order.sql)",
            selection.condition?.arguments ?? [])
        while try stepper.step() { try body(stepper.values(0..<names.count)) }
    }

    /// Returns rows by their keys, in the same order. Deleted rows are left out.
    ///
    /// - Throws: `DatabaseError`.
    public func rows(
        _ db: Database, columns: [String], keys: [RowKey], longest: Int = RowWalk.defaultLimit
    ) throws -> [TableRow] {
        try rows(db, columns: columns, keys: keys[...], longest: longest, byteLimit: .max).rows
    }

    /// Returns rows by their keys, up to a number of bytes.
    ///
    /// - Returns: The rows, and the number of keys that were looked up.
    func rows(
        _ db: Database, columns: [String], keys: ArraySlice<RowKey>, longest: Int, byteLimit: Int
    ) throws -> (rows: [TableRow], keyCount: Int) {
        var rows: [TableRow] = []
        var (keyCount, byteCount) = (0, 0)
        for key in keys where byteCount < byteLimit {
            keyCount += 1
            guard let values = try values(db, of: key, columns, longest: longest) else { continue }
            rows.append(TableRow(key: key, position: RowPosition(values: []), values: values))
            byteCount += values.reduce(0) { $0 + $1.cost }
        }
        return (rows, keyCount)
    }
}
