public import GRDB

/// The keys of a table's rows in an order that no index has, or of the rows that meet a condition:
/// read once, so that each window of them costs what is looked at.
public struct SortedKeys: Sendable {
    /// Eight bytes a row; empty for a table without rowid.
    private let rowIDs: [Int64]
    private let keys: [RowKey]

    /// More are not kept.
    public static let limit = 50_000_000
    /// The same of tables without rowid, whose keys are larger.
    public static let keyLimit = 1_000_000

    /// Reads the keys of a walk.
    ///
    /// - Throws: ``TablesError``, `.interrupted`, for more rows than are kept; `DatabaseError`.
    /// - Complexity: O(*n* log *n*) in the rows of the table; SQLite sorts them in a file of its own
    ///   where they are many.
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
                    wayOut: "Ask for fewer by a condition.")
            }
        }
        self.rowIDs = rowIDs
        self.keys = keys
    }

    /// How many rows there are.
    public var count: Int { rowIDs.count + keys.count }

    /// The keys of a range, which is held to those that there are.
    public subscript(range: Range<Int>) -> [RowKey] {
        let range = range.clamped(to: 0..<count)
        return keys.isEmpty ? rowIDs[range].map { RowKey(rowID: $0) } : Array(keys[range])
    }

    /// Where a row stands.
    ///
    /// - Complexity: O(*n*)
    public func firstIndex(of key: RowKey) -> Int? {
        guard keys.isEmpty else { return keys.firstIndex(of: key) }
        return key.rowID.flatMap { rowIDs.firstIndex(of: $0) }
    }
}

extension RowWalk {
    /// Calls `body` with the values of each row's key, in the order of the walk.
    func visitKeys(_ db: Database, _ body: ([TableValue]) throws -> Void) throws {
        let names = order.keyParts.map { order.parts[$0].sql }
        let sorts = order.parts.map { "\($0.collated)\($0.isDescending ? " DESC" : "")" }
        let filter = selection.condition.map { " WHERE \($0.sql)" } ?? ""
        selection.condition?.prepare(db)
        let stepper = try RowStepper(
            db,
            "SELECT \(names.joined(separator: ", ")) FROM \(SQLName.quoted(table.name))\(filter) "
                + "ORDER BY \(sorts.joined(separator: ", "))",
            selection.condition?.arguments ?? [])
        while try stepper.step() { try body(stepper.values(0..<names.count)) }
    }

    /// Rows by their keys, in the order of these; deleted rows are left out.
    ///
    /// - Throws: `DatabaseError`.
    public func rows(
        _ db: Database, columns: [String], keys: [RowKey], longest: Int = RowWalk.defaultLimit
    ) throws -> [TableRow] {
        try rows(db, columns: columns, keys: keys[...], longest: longest, byteLimit: .max).rows
    }

    /// Rows by their keys, up to a number of bytes.
    ///
    /// - Returns: The rows, and how many of the keys were looked up.
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
