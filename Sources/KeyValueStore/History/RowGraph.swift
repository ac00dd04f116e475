import HeapModule
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

    private(set) var nodes: [LogRow.Reference: Node] = [:]
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
        var queue = Heap<Visit>()
        for (index, head) in heads.enumerated() {
            reached[head, default: []].insert(index)
            queue.insert(Visit(row: head))
        }
        var visited: Set<LogRow.Reference> = []
        while let next = queue.popMax()?.row {
            guard visited.insert(next).inserted else { continue }
            let ways = reached[next] ?? []
            if ways.count == heads.count { return next }
            for parent in parents(of: next) where parent != next && nodes[parent] != nil {
                reached[parent, default: []].formUnion(ways)
                queue.insert(Visit(row: parent))
            }
        }
        return nil
    }

    /// A row in the order in which rows are visited.
    private struct Visit: Comparable {
        let row: LogRow.Reference

        static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.row.timestamp, lhs.row.device) < (rhs.row.timestamp, rhs.row.device)
        }
    }
}

extension LogReader {
    /// The newest rows of keys (ten thousand of each at most) up to an instant, oldest first,
    /// without their values.
    func graphRows(
        _ keys: [String], through instant: Timestamp?
    ) throws -> [(key: String, rows: [RowGraph.Node])] {
        let (time, id) = (form.timestamp, form.id)
        let rows = try statement(
            """
            WHERE \(form.key) = ? AND \(time) <= ? AND \(id) <= ?
            ORDER BY \(time) DESC, \(id) DESC LIMIT 10000
            """)
        return try keys.map { key in
            var nodes: [RowGraph.Node] = []
            var bytes = key
            try bytes.withUTF8 { bytes in
                rows.bind(1, text: bytes)
                rows.bind(2, min(instant ?? .latest, .latest).microseconds)
                rows.bind(3, lastID ?? .max)
                defer { rows.reset() }
                while try rows.step() {
                    guard let row = row(rows) else { continue }
                    nodes.append(
                        RowGraph.Node(
                            reference: row.reference, parents: row.parents,
                            parentTimestamp: form.format == .parstore1
                                ? row.parentTimestamp : nil))
                }
            }
            return (key, nodes.reversed())
        }
    }
}
