import HeapModule
public import Replication

extension KeyValueStore {
    /// The rows that led to a conflict: from what its sides build on to the sides.
    public struct Lineage: Sendable {
        /// A row of it.
        public struct Write: Sendable {
            /// The row. A long value stays in its log.
            public let row: LogRow
            /// The older rows of ``Lineage/writes`` that it builds on, by their places there.
            public let knows: [Int]
            /// Whether it is the row of a side.
            public let isSide: Bool
        }

        /// The newest first; rows are left out that cannot be read now.
        public let writes: [Write]
        /// Whether there are older ones before the common base.
        public let hasMore: Bool
    }

    /// The rows between a conflict's sides and what they build on, and which of them each row's
    /// writer knew, by the same rule by which they are in conflict.
    ///
    /// A side that was put back is told as it was written first, without what ended the conflict in
    /// between.
    ///
    /// - Parameters:
    ///   - instant: As the conflict was asked for.
    ///   - limit: At most this many rows, the newest.
    ///   - longestValue: Values of more bytes are left in their logs.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Rows of logs that cannot be read are left out.
    /// - Complexity: O(*n*) in the rows of the key (ten thousand of each device at most).
    public func lineage(
        of conflict: Conflict, at instant: Timestamp? = nil, limit: Int, longestValue: Int
    ) throws -> Lineage {
        let (parts, _) = try graphParts(of: [conflict.key], through: instant)
        let graph = RowGraph(parts.first ?? [])
        let base = conflict.base?.reference
        let sides = Set(conflict.heads.map(graph.restated))
        var queue = Heap(sides.map { RowGraph.Visit(row: $0) })
        var seen = sides
        var found: [LogRow.Reference] = []
        while found.count < limit, let row = queue.popMax()?.row {
            found.append(row)
            guard row != base else { continue }
            for parent in graph.parents(of: row) {
                if let base, parent.isOlder(than: base) { continue }
                if seen.insert(parent).inserted { queue.insert(RowGraph.Visit(row: parent)) }
            }
        }
        let hasMore = !queue.isEmpty
        let rows = try fetch(found.map { (conflict.key, $0) }, longest: longestValue).rows
        let read = zip(found, rows).compactMap { reference, row in row.map { (reference, $0) } }
        let places = Dictionary(
            read.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { first, _ in first })
        return Lineage(
            writes: read.map { reference, row in
                Lineage.Write(
                    row: row,
                    knows: Set(graph.parents(of: reference).compactMap { places[$0] })
                        .sorted(),
                    isSide: sides.contains(reference))
            }, hasMore: hasMore)
    }
}
