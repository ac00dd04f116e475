import Replication

/// The rows of one key, each with the rows that it builds on.
struct RowGraph {
    struct Node {
        let reference: LogRow.Reference
        /// What the row names; its device's own row before comes by itself.
        let parents: [LogRow.Reference]?
        /// What a PARStore 1 row names: a timestamp of any device.
        let parentTimestamp: Timestamp?
    }

    private var nodes: [LogRow.Reference: Node] = [:]
    private var previous: [LogRow.Reference: LogRow.Reference] = [:]
    private var byTimestamp: [Timestamp: [LogRow.Reference]] = [:]

    /// Adds a device's rows, oldest first.
    mutating func add(_ rows: [Node]) {
        var last: LogRow.Reference?
        for row in rows {
            nodes[row.reference] = row
            previous[row.reference] = last
            byTimestamp[row.reference.timestamp, default: []].append(row.reference)
            last = row.reference
        }
    }

    private func parents(of reference: LogRow.Reference) -> [LogRow.Reference] {
        guard let node = nodes[reference] else { return [] }
        var parents = node.parents ?? []
        if node.parents == nil, let timestamp = node.parentTimestamp {
            parents += byTimestamp[timestamp] ?? []
        }
        if let own = previous[reference] { parents.append(own) }
        return parents
    }

    /// The newest row that all of `heads` build on.
    ///
    /// Rows are visited from the newest to the oldest, each with the heads that lead to it. A row
    /// is older than those that build on it, so when one is visited, all ways to it are known.
    func newestCommonAncestor(of heads: [LogRow.Reference]) -> LogRow.Reference? {
        var reached: [LogRow.Reference: Set<Int>] = [:]
        var queue = Heap()
        for (index, head) in heads.enumerated() {
            reached[head, default: []].insert(index)
            queue.insert(head)
        }
        var visited: Set<LogRow.Reference> = []
        while let next = queue.popNewest() {
            guard visited.insert(next).inserted else { continue }
            let ways = reached[next] ?? []
            if ways.count == heads.count { return next }
            for parent in parents(of: next) where parent != next && nodes[parent] != nil {
                reached[parent, default: []].formUnion(ways)
                queue.insert(parent)
            }
        }
        return nil
    }

    /// References, of which the newest is taken first.
    private struct Heap {
        private var items: [LogRow.Reference] = []

        private static func isNewer(_ lhs: LogRow.Reference, _ rhs: LogRow.Reference) -> Bool {
            lhs.timestamp != rhs.timestamp
                ? lhs.timestamp > rhs.timestamp : lhs.device > rhs.device
        }

        mutating func insert(_ item: LogRow.Reference) {
            items.append(item)
            var child = items.count - 1
            while child > 0, Self.isNewer(items[child], items[(child - 1) / 2]) {
                items.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }

        mutating func popNewest() -> LogRow.Reference? {
            guard let newest = items.first, let last = items.popLast() else { return nil }
            guard !items.isEmpty else { return newest }
            items[0] = last
            var parent = 0
            while true {
                var best = parent
                for child in [parent * 2 + 1, parent * 2 + 2]
                where child < items.count && Self.isNewer(items[child], items[best]) {
                    best = child
                }
                guard best != parent else { return newest }
                items.swapAt(parent, best)
                parent = best
            }
        }
    }
}

extension LogReader {
    /// A key's newest rows (ten thousand at most), oldest first, without their values.
    func graphRows(_ key: String) throws -> [RowGraph.Node] {
        var nodes: [RowGraph.Node] = []
        try forEach(
            condition(KeyValueStore.RowFilter(key: key)),
            "ORDER BY \(form.timestamp) DESC, \(form.id) DESC LIMIT 10000"
        ) { row in
            nodes.append(
                RowGraph.Node(
                    reference: row.reference, parents: row.parents,
                    parentTimestamp: form.format == .parstore1 ? row.parentTimestamp : nil))
            return true
        }
        return nodes.reversed()
    }
}
