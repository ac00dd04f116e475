/// Values of columns that later versions of the format may have, of changes and of operations. They
/// say nothing to this one, and are written again with the document that they came with.
struct UnknownColumns: Sendable {
    /// A value as its column has it, apart from how that is encoded.
    enum Cell: Hashable, Sendable {
        case null
        /// A count, a number, the bits of a signed one, a truth.
        case number(UInt64)
        case bytes([UInt8])
        case actor([UInt8])
    }

    /// By a column's number, one value, or as many as its group has in the change or operation.
    typealias Row = [UInt32: [Cell]]
    /// Rows of operations by their places in a change, from 0. Of most there may be none.
    typealias Operations = [Int: Row]

    /// What belongs to one of these is in a change or in a document, and does not follow from what
    /// the other has.
    static let reserved: Set<UInt32> = [
        ColumnSpecification.ids, ColumnSpecification.predecessors, ColumnSpecification.successors,
    ]

    /// What a document's columns of changes say. It is no part of a change's own chunk.
    private(set) var changes: [ChangeHash: Row] = [:]
    /// What columns of operations say. It is in the chunk of the change, and in its hash.
    private(set) var operations: [ChangeHash: Operations] = [:]

    mutating func keep(_ row: Row, of change: ChangeHash) {
        changes[change, default: [:]].merge(row) { own, _ in own }
    }

    mutating func keep(_ operations: Operations, of change: ChangeHash) {
        self.operations[change] = operations
    }

    /// Keeps what another document has of the same changes too.
    mutating func keep(_ others: UnknownColumns) {
        for (change, row) in others.changes { keep(row, of: change) }
        operations.merge(others.operations) { own, _ in own }
    }

    /// What is here of some changes.
    func of(_ isWanted: (ChangeHash) -> Bool) -> UnknownColumns {
        var result = UnknownColumns()
        result.changes = changes.filter { isWanted($0.key) }
        result.operations = operations.filter { isWanted($0.key) }
        return result
    }

    /// The actors that values name.
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
