/// Rows that can be combined with later ones.
public protocol PendingBatch {
    init()
    /// Whether the batch is empty.
    var isEmpty: Bool { get }
    /// Appends later rows to these rows.
    mutating func add(_ later: Self)
}

extension Array: PendingBatch {
    /// Appends the elements of `later`.
    public mutating func add(_ later: [Element]) { append(contentsOf: later) }
}

/// Rows that a store shows but that are not on disk yet: waiting rows, and rows that are being
/// written.
///
/// Rows stay pending until they are on disk, so they don't count as saved during a write. A store
/// keeps this value with its visible rows, under the same lock. Only one write may run at a time.
public struct PendingRows<Batch: PendingBatch> {
    /// Rows that are not being written yet. The store adds new rows to them.
    public var waiting = Batch()
    /// Rows that are being written.
    public private(set) var underWay = Batch()

    /// Creates an empty value.
    public init() {}

    /// Whether all rows are on disk.
    public var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    /// All rows, in the order of their creation.
    public var all: Batch {
        if underWay.isEmpty { return waiting }
        var all = underWay
        all.add(waiting)
        return all
    }

    /// Starts a write and returns all waiting rows. Call ``end(isWritten:)`` afterward.
    public mutating func begin() -> Batch {
        underWay.add(waiting)
        waiting = Batch()
        return underWay
    }

    /// Ends a write. After a failure, the rows wait again, before newer ones.
    public mutating func end(isWritten: Bool) {
        if !isWritten { waiting = all }
        underWay = Batch()
    }
}

extension PendingRows: Sendable where Batch: Sendable {}
