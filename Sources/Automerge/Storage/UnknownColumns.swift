/// Values of columns from later versions of the format, by change and operation. This version
/// doesn't interpret them, but saves them again with the document.
struct UnknownColumns: Sendable {
    /// A decoded value of a column.
    enum Cell: Hashable, Sendable {
        case null
        /// A count, an unsigned number, the bits of a signed number, or a Boolean.
        case number(UInt64)
        case bytes([UInt8])
        case actor([UInt8])
    }

    /// Values by column number. There is one value, or as many as the column's group has in this
    /// change or operation.
    typealias Row = [UInt32: [Cell]]
    /// Rows by the position of the operation in its change, from 0. Most operations have no row.
    typealias Operations = [Int: Row]

    /// The identifiers of groups that exist only in changes or only in documents, so that their
    /// columns can't be converted.
    static let reserved: Set<UInt32> = [
        ColumnSpecification.ids, ColumnSpecification.predecessors, ColumnSpecification.successors,
    ]

    /// Values of a document's change columns. They are not part of a change's own chunk.
    private(set) var changes: [ChangeHash: Row] = [:]
    /// Values of operation columns. They are part of the change's chunk and hash.
    private(set) var operations: [ChangeHash: Operations] = [:]

    mutating func keep(_ row: Row, of change: ChangeHash) {
        changes[change, default: [:]].merge(row) { own, _ in own }
    }

    mutating func keep(_ operations: Operations, of change: ChangeHash) {
        self.operations[change] = operations
    }

    /// Adds the values that another document has for the same changes.
    mutating func keep(_ others: UnknownColumns) {
        for (change, row) in others.changes { keep(row, of: change) }
        operations.merge(others.operations) { own, _ in own }
    }

    /// Returns the values of the changes for which `isWanted` is true.
    func of(_ isWanted: (ChangeHash) -> Bool) -> UnknownColumns {
        var result = UnknownColumns()
        result.changes = changes.filter { isWanted($0.key) }
        result.operations = operations.filter { isWanted($0.key) }
        return result
    }

    /// The actors that occur as values.
    var actors: Set<[UInt8]> {
        var found = Self.actors(of: changes.values)
        for rows in operations.values { found.formUnion(Self.actors(of: rows.values)) }
        return found
    }

    static func actors(of rows: some Sequence<Row>) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        for row in rows {
            for case .actor(let actor) in row.values.joined() { found.insert(actor) }
        }
        return found
    }
}
