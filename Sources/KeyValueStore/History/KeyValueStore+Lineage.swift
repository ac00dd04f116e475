import HeapModule
public import Replication

extension KeyValueStore {
    /// The rows that led to a conflict, from the common ancestor to the sides.
    public struct Lineage: Sendable {
        /// A row of the lineage.
        public struct Write: Sendable {
            /// The row. Long values stay in their logs.
            public let row: LogRow
            /// The indices in ``Lineage/writes`` of the rows that this row builds on.
            public let parents: [Int]
            /// Whether this row is a side of the conflict.
            public let isSide: Bool
        }

        /// The rows, newest first. Rows that can't be read now are left out.
        public let writes: [Write]
        /// Whether older rows follow before the common ancestor.
        public let hasMore: Bool
    }

    /// Returns the rows between a conflict's sides and their common ancestor, with the causal
    /// parents of each row. The rules are the same as for conflicts.
    ///
    /// If a resolution was reverted, the restored side appears as its original row. The row that
    /// resolved the conflict is left out.
    ///
    /// - Parameters:
    ///   - instant: The instant for which the conflict was requested.
    ///   - limit: The maximum number of rows. The newest are returned.
    ///   - longestValue: Values of more bytes stay in their logs.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Rows of logs that can't be read are left out.
    /// - Complexity: O(*n*) in the rows of the key (ten thousand per device at most).
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
                    parents: Set(graph.parents(of: reference).compactMap { places[$0] })
                        .sorted(),
                    isSide: sides.contains(reference))
            }, hasMore: hasMore)
    }
}
