/// The actors that a document knows, indexed in the order of their first appearance, with the rows
/// of their operations.
struct ActorTable: ~Copyable {
    /// A range of an actor's operations with consecutive counters in consecutive rows.
    struct Segment: BitwiseCopyable {
        var counter: UInt64
        var row: UInt32
        var count: UInt32
    }

    struct Entry {
        let bytes: [UInt8]
        /// The changes by sequence number, from 1.
        var changes = ContiguousArray<UInt32>()
        var segments = ContiguousArray<Segment>()
        /// The highest counter of the actor's operations.
        var maxCounter: UInt64 = 0
    }

    private(set) var entries = ContiguousArray<Entry>()
    /// The rank of each actor in the order of their bytes, and the actors in that order.
    private(set) var ranks = PackedArray<UInt32>()
    private var order: [UInt32] = []
    private var indices: [[UInt8]: UInt32] = [:]

    borrowing func copy() -> ActorTable {
        var result = ActorTable()
        result.entries = entries
        result.ranks = ranks.copy()
        result.order = order
        result.indices = indices
        return result
    }

    var count: Int { entries.count }

    @inline(__always)
    func bytes(_ actor: UInt32) -> [UInt8] { entries[Int(actor)].bytes }

    func find(_ bytes: [UInt8]) -> UInt32? { indices[bytes] }

    mutating func intern(_ bytes: [UInt8]) -> UInt32 {
        if let known = indices[bytes] { return known }
        let index = UInt32(entries.count)
        entries.append(Entry(bytes: bytes))
        indices[bytes] = index
        insertRank(of: index)
        return index
    }

    /// Ranks a new actor and renumbers the later ranks.
    private mutating func insertRank(of index: UInt32) {
        let bytes = entries[Int(index)].bytes
        let first = order.indices.firstPosition {
            !entries[Int(order[$0])].bytes.lexicographicallyPrecedes(bytes)
        }
        order.insert(index, at: first)
        ranks.append(0)
        for rank in first..<order.count { ranks[order[rank]] = UInt32(rank) }
    }

    /// Returns the indices of several actors, adding the new ones.
    mutating func intern(_ names: [[UInt8]]) -> [UInt32] {
        guard names.count > 8 else { return names.map { intern($0) } }
        // Ranking many actors separately would take quadratic time, so they are ranked together.
        let before = entries.count
        let result = names.map { bytes in
            if let known = indices[bytes] { return known }
            let index = UInt32(entries.count)
            entries.append(Entry(bytes: bytes))
            indices[bytes] = index
            order.append(index)
            ranks.append(0)
            return index
        }
        if entries.count > before {
            order.sort {
                entries[Int($0)].bytes.lexicographicallyPrecedes(entries[Int($1)].bytes)
            }
            for rank in order.indices { ranks[order[rank]] = UInt32(rank) }
        }
        return result
    }

    /// Returns the row of an operation, or `nil` if there is none.
    @inline(__always)
    func row(actor: UInt32, counter: UInt64) -> UInt32? {
        entries.withUnsafeBufferPointer { entries in
            entries[Int(actor)].segments.withUnsafeBufferPointer { segments in
                Self.row(in: segments, counter: counter)
            }
        }
    }

    @inline(__always)
    private static func row(
        in segments: UnsafeBufferPointer<Segment>, counter: UInt64
    ) -> UInt32? {
        // The operation can only be in the last segment that starts at or before the counter.
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low &+ high) / 2
            if segments[middle].counter <= counter {
                low = middle &+ 1
            } else {
                high = middle
            }
        }
        guard low > 0 else { return nil }
        let segment = segments[low &- 1]
        let offset = counter &- segment.counter
        return offset < UInt64(segment.count)
            ? segment.row &+ UInt32(truncatingIfNeeded: offset) : nil
    }

    /// Records a change of `actor` with `count` operations, whose counters start at `counter` and
    /// whose rows start at `row`.
    mutating func addChange(
        _ change: UInt32, of actor: UInt32, counter: UInt64, row: UInt32, count: UInt32
    ) {
        entries[Int(actor)].changes.append(change)
        addRows(of: actor, counter: counter, row: row, count: count)
    }

    /// Records operations like ``addChange(_:of:counter:row:count:)``, but without their change.
    mutating func addRows(of actor: UInt32, counter: UInt64, row: UInt32, count: UInt32) {
        guard count > 0 else { return }
        let index = Int(actor)
        entries[index].maxCounter = counter + UInt64(count) - 1
        let last = entries[index].segments.count - 1
        if last >= 0 {
            let segment = entries[index].segments[last]
            if segment.counter + UInt64(segment.count) == counter,
                segment.row + segment.count == row
            {
                entries[index].segments[last].count += count
                return
            }
        }
        entries[index].segments.append(Segment(counter: counter, row: row, count: count))
    }
}
