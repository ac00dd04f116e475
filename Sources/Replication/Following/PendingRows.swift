/// Rows that can be put together with later ones.
public protocol PendingBatch {
    /// No rows.
    init()
    /// Whether there are none.
    var isEmpty: Bool { get }
    /// Puts rows that came later behind these.
    mutating func add(_ later: Self)
}

extension Array: PendingBatch {
    /// Puts the elements of `later` behind these.
    public mutating func add(_ later: [Element]) { append(contentsOf: later) }
}

/// Rows that a store shows and that are not on disk: those that wait, and those that are being
/// written just now.
///
/// What is being written stays among them until it is on disk, however long that takes, so that
/// nobody takes it for saved meanwhile. A store keeps this beside what it shows, under the same
/// lock; who writes takes turns.
public struct PendingRows<Batch: PendingBatch> {
    /// Rows that nobody writes yet, for the store to add to.
    public var waiting = Batch()
    /// Rows that are being written.
    public private(set) var underWay = Batch()

    /// No rows.
    public init() {}

    /// Whether all is on disk.
    public var isEmpty: Bool { waiting.isEmpty && underWay.isEmpty }

    /// All rows, in the order in which they were made.
    public var all: Batch {
        if underWay.isEmpty { return waiting }
        var all = underWay
        all.add(waiting)
        return all
    }

    /// Takes all rows that wait, to write them. ``end(isWritten:)`` must follow.
    public mutating func begin() -> Batch {
        underWay.add(waiting)
        waiting = Batch()
        return underWay
    }

    /// Says how writing ended. What is not written waits again, before what came meanwhile.
    public mutating func end(isWritten: Bool) {
        if !isWritten { waiting = all }
        underWay = Batch()
    }
}

extension PendingRows: Sendable where Batch: Sendable {}
