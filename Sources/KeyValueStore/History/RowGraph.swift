import HeapModule
import Replication

/// The rows of one key, each with the rows that it builds on.
///
/// A row is known by the device that wrote it and its timestamp. What one store took over of a
/// device's rows from another copy stands in a log of its own (`own|device`); its rows are that
/// device's all the same, and are found under its name.
struct RowGraph {
    struct Node {
        let reference: LogRow.Reference
        /// What the row names; `nil` where it says no more than a timestamp.
        let parents: [LogRow.Reference]?
        /// The only timestamp that the row names; in a PARStore 1 log that of any device's row.
        let parentTimestamp: Timestamp?
        /// Of the value, where it was asked for.
        var digest = 0
    }

    /// What one log has of the key.
    struct Part {
        let device: DeviceID
        let format: LogFormat
        /// Whether the rows are not a chain: some do not know their device's own row before.
        let isForked: Bool
        /// Oldest first.
        let rows: [Node]
        /// What the newest row of a chain knew besides, by what its writer recorded.
        var known: [LogRow.Reference] = []
    }

    private(set) var nodes: [LogRow.Reference: Node] = [:]
    /// Whether some log's rows are not a chain, or a device's rows stand in several logs.
    private(set) var isForked = false
    private var previous: [LogRow.Reference: LogRow.Reference] = [:]
    private var byName: [LogRow.Reference: [LogRow.Reference]] = [:]
    private var byWriter: [DeviceID: [LogRow.Reference]] = [:]
    private var byTimestamp: [Timestamp: [LogRow.Reference]] = [:]
    private var known: [LogRow.Reference: [LogRow.Reference]] = [:]
    private var parstore: Set<DeviceID> = []

    init() {}

    /// - Parameter parts: In byte order of devices.
    init(_ parts: [Part]) { for part in parts { add(part) } }

    /// Whether a log has PARStore 1's form.
    func isParstore(_ device: DeviceID) -> Bool { parstore.contains(device) }

    mutating func add(_ part: Part) {
        if part.format == .parstore1 { parstore.insert(part.device) }
        let writer = part.device.writer
        if part.isForked || writer != part.device { isForked = true }
        var last: LogRow.Reference?
        for row in part.rows {
            let reference = row.reference
            nodes[reference] = row
            if !part.isForked { previous[reference] = last }
            byTimestamp[reference.timestamp, default: []].append(reference)
            byWriter[writer, default: []].append(reference)
            byName[
                LogRow.Reference(device: writer, timestamp: reference.timestamp), default: []
            ].append(reference)
            last = reference
        }
        if let last, !part.known.isEmpty { known[last] = part.known }
    }

    /// The rows that a name stands for: where its row is not here, those that come before it.
    private func rows(named name: LogRow.Reference) -> [LogRow.Reference] {
        let writer = name.device.writer
        let named = LogRow.Reference(device: writer, timestamp: name.timestamp)
        return byName[named]
            ?? (byWriter[writer] ?? []).filter { $0.timestamp <= name.timestamp }
    }

    private func parents(of reference: LogRow.Reference) -> [LogRow.Reference] {
        guard let node = nodes[reference] else { return [] }
        var parents = (node.parents ?? []).flatMap { rows(named: $0) }
        if node.parents == nil, let timestamp = node.parentTimestamp {
            let own = LogRow.Reference(device: reference.device.writer, timestamp: timestamp)
            parents += byName[own] ?? byTimestamp[timestamp] ?? []
        }
        if let own = previous[reference] { parents.append(own) }
        for name in known[reference] ?? [] { parents += rows(named: name) }
        return parents
    }

    /// The rows that no other supersedes, the winner first.
    ///
    /// As everywhere, only a row that wins over another supersedes it.
    func heads() -> [Node] {
        func wins(_ lhs: LogRow.Reference, over rhs: LogRow.Reference) -> Bool {
            (lhs.timestamp, lhs.device) > (rhs.timestamp, rhs.device)
        }
        var superseded: Set<LogRow.Reference> = []
        for row in nodes.keys {
            for parent in parents(of: row) where parent != row && wins(row, over: parent) {
                superseded.insert(parent)
            }
        }
        // A row that stands in two logs is one.
        var seen: [LogRow.Reference: Set<Int>] = [:]
        return nodes.values.filter { !superseded.contains($0.reference) }
            .sorted { wins($0.reference, over: $1.reference) }
            .filter { node in
                let name = LogRow.Reference(
                    device: node.reference.device.writer, timestamp: node.reference.timestamp)
                return seen[name, default: []].insert(node.digest).inserted
            }
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

extension DeviceID {
    /// The device that wrote the rows of this one's log: for what a merge took over of another
    /// copy's log (`own|device`) that device, else itself.
    var writer: DeviceID {
        guard let bar = name.utf8.lastIndex(of: UInt8(ascii: "|")) else { return self }
        return (try? DeviceID(String(name[name.index(after: bar)...]))) ?? self
    }
}

extension LogReader {
    /// The newest rows of keys (ten thousand of each at most) up to an instant, oldest first,
    /// without their values.
    ///
    /// - Parameter forHeads: Whether values are digested, and what the newest row's writer recorded
    ///   is read too.
    func graphRows(
        _ keys: [String], through instant: Timestamp?, forHeads: Bool = false
    ) throws -> [RowGraph.Part] {
        let (time, id) = (form.timestamp, form.id)
        // Of a PARStore 1 row the value tells whether it counts.
        let readsValues = forHeads || form.format == .parstore1
        let rows = try statement(
            """
            WHERE \(form.key) = ? AND \(time) <= ? AND \(id) <= ?
            ORDER BY \(time) DESC, \(id) DESC LIMIT 10000
            """, withValues: readsValues)
        let forks = try ForkTable.isThere(in: database) ? ForkTable(database) : nil
        let latest =
            forHeads && form.format == .tideline2
            ? try Stepper(database, "SELECT known FROM latest WHERE key = ?") : nil
        return try keys.map { key in
            var nodes: [RowGraph.Node] = []
            var isForked = false
            var known: [LogRow.Reference] = []
            var bytes = key
            try bytes.withUTF8 { bytes in
                rows.bind(1, text: bytes)
                rows.bind(2, min(instant ?? .latest, .latest).microseconds)
                rows.bind(3, lastID ?? .max)
                defer { rows.reset() }
                while try rows.step() {
                    if let node = node(rows, digestsValue: forHeads) { nodes.append(node) }
                }
                isForked = try forks?.contains(bytes) ?? false
                if !isForked, let latest {
                    latest.bind(1, text: bytes)
                    defer { latest.reset() }
                    if try latest.step(), let list = latest.blob(0) { known = references(list) }
                }
            }
            nodes.reverse()
            return RowGraph.Part(
                device: device, format: form.format, isForked: isForked, rows: nodes,
                known: known)
        }
    }

    /// The row that the statement stands on; `nil` for one that does not count.
    private func node(_ rows: Stepper, digestsValue: Bool) -> RowGraph.Node? {
        guard let timestamp = rows.timestamp(1) else { return nil }
        let value = values.content(rows, 3)
        if form.format == .parstore1, !ParstoreLog.countsAsValue(value) { return nil }
        return RowGraph.Node(
            reference: LogRow.Reference(
                device: device, timestamp: Timestamp(microseconds: timestamp)),
            parents: rows.blob(5).map(references),
            parentTimestamp: rows.timestamp(4).map(Timestamp.init(microseconds:)),
            digest: digestsValue ? LoadedValue(value).digest(ofRowAt: timestamp) : 0)
    }
}
