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
        /// Rows of the same writer that it takes back.
        var takesBack: [LogRow.Reference] = []
    }

    /// What one log has of the key.
    struct Part {
        let device: DeviceID
        let format: LogFormat
        /// Whether the rows are not a chain: some do not know their device's own row before.
        let isForked: Bool
        /// Oldest first.
        var rows: [Node]
        /// What the newest row of a chain knew besides, by what its writer recorded.
        var known: [LogRow.Reference] = []
    }

    private(set) var nodes: [LogRow.Reference: Node] = [:]
    /// Whether some log's rows are not a chain, a device's rows stand in several logs, or some are
    /// taken back.
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
            // What takes others back knows what it names and no more.
            if !part.isForked, row.takesBack.isEmpty { previous[reference] = last }
            if !row.takesBack.isEmpty { isForked = true }
            byTimestamp[reference.timestamp, default: []].append(reference)
            byWriter[writer, default: []].append(reference)
            byName[reference.written, default: []].append(reference)
            last = reference
        }
        if let last, !part.known.isEmpty { known[last] = part.known }
    }

    /// The rows that a name stands for: where its row is not here, those that come before it.
    private func rows(named name: LogRow.Reference) -> [LogRow.Reference] {
        let writer = name.device.writer
        return byName[name.written]
            ?? (byWriter[writer] ?? []).filter { $0.timestamp <= name.timestamp }
    }

    /// The rows that a row says, or is known, to build on.
    func parents(of reference: LogRow.Reference) -> [LogRow.Reference] {
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

    /// The row before, of the same log, that a row knows without naming it.
    func previous(of row: LogRow.Reference) -> LogRow.Reference? { previous[row] }

    /// The rows that others take back, those left out that `besides` names.
    func takenBack(besides: Set<LogRow.Reference> = []) -> Set<LogRow.Reference> {
        guard isForked else { return [] }
        var found: Set<LogRow.Reference> = []
        for (reference, node) in nodes where !besides.contains(reference) {
            found.formUnion(takenBack(by: node))
        }
        return found
    }

    /// A row by its writer and timestamp, in whichever logs it stands.
    func rows(writtenAs row: LogRow.Reference) -> [Node] {
        (byName[row.written] ?? []).compactMap { nodes[$0] }
    }

    /// The rows that build on `rows`, directly or not, those left out that are taken back.
    func rows(buildingOn rows: Set<LogRow.Reference>) -> [Node] {
        let gone = takenBack()
        var building = rows
        // Rows that took back what is among `building` without knowing that, and are taken back
        // themselves: who builds on one of those knows what it took back.
        var revealing: Set<LogRow.Reference> = []
        for node in nodes.values.sorted(by: { $0.reference.isOlder(than: $1.reference) }) {
            let parents = parents(of: node.reference)
            let isLed = parents.contains(where: revealing.contains)
            if parents.contains(where: building.contains) || isLed && node.takesBack.isEmpty {
                building.insert(node.reference)
            } else if gone.contains(node.reference),
                isLed || takenBack(by: node).contains(where: building.contains)
            {
                revealing.insert(node.reference)
            }
        }
        return building.subtracting(rows).subtracting(gone).compactMap { nodes[$0] }
    }

    /// The rows that one row takes back, as far as they are here.
    private func takenBack(by node: Node) -> [LogRow.Reference] {
        node.takesBack.flatMap { byName[$0.written] ?? [] }
            .filter { $0.isOlder(than: node.reference) }
    }

    /// The row whose value a row says again because it takes others back; itself where it takes back
    /// none, or where that row is not here.
    func restated(by row: LogRow.Reference) -> LogRow.Reference {
        var row = row
        while let node = nodes[row], !node.takesBack.isEmpty,
            let name = node.parents?.first, let next = byName[name.written]?.first,
            next.isOlder(than: row)
        {
            row = next
        }
        return row
    }

    /// The rows that no other supersedes, the winner first.
    ///
    /// As everywhere, only a row that wins over another supersedes it. One that is taken back
    /// supersedes nothing; but who builds on it knows what it knew.
    ///
    /// - Parameter absent: Rows to look away from, as if they had been taken back.
    func heads(without absent: Set<LogRow.Reference> = []) -> [Node] {
        let ignored = takenBack(besides: absent).union(absent)
        var superseded: Set<LogRow.Reference> = []
        for row in nodes.keys where !ignored.contains(row) {
            for known in known(by: row, behind: ignored) where known.isOlder(than: row) {
                superseded.insert(known)
            }
        }
        // A row that stands in two logs is one.
        var seen: [LogRow.Reference: Set<Int>] = [:]
        return nodes.values
            .filter { !superseded.contains($0.reference) && !ignored.contains($0.reference) }
            .sorted { $1.reference.isOlder(than: $0.reference) }
            .filter { seen[$0.reference.written, default: []].insert($0.digest).inserted }
    }

    /// The rows that a row builds on: what it names, and what those know that are `ignored`.
    ///
    /// A row that takes others back knows what it names and no more, though its writer knew those
    /// others; who builds on it knows them too.
    private func known(
        by row: LogRow.Reference, behind ignored: Set<LogRow.Reference>
    ) -> [LogRow.Reference] {
        struct Step: Hashable {
            let row: LogRow.Reference
            /// Whether all that led to it know no more than they name.
            let isNarrow: Bool
        }
        func steps(from row: LogRow.Reference, isNarrow: Bool) -> [Step] {
            let takesBack = nodes[row]?.takesBack.isEmpty == false
            return parents(of: row).map { Step(row: $0, isNarrow: isNarrow && takesBack) }
        }
        var found: [LogRow.Reference] = []
        var visited: Set<Step> = []
        var next = steps(from: row, isNarrow: true)
        while let step = next.popLast() {
            guard step.row != row, visited.insert(step).inserted else { continue }
            guard ignored.contains(step.row) else {
                found.append(step.row)
                continue
            }
            next += steps(from: step.row, isNarrow: step.isNarrow)
            if !step.isNarrow, let node = nodes[step.row] {
                next += takenBack(by: node).map { Step(row: $0, isNarrow: false) }
            }
        }
        return found
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
        let takenBack = takenBack()
        while let next = queue.popMax()?.row {
            guard visited.insert(next).inserted else { continue }
            let ways = reached[next] ?? []
            if ways.count == heads.count, !takenBack.contains(next) { return next }
            for parent in parents(of: next) where parent != next && nodes[parent] != nil {
                reached[parent, default: []].formUnion(ways)
                queue.insert(Visit(row: parent))
            }
        }
        return nil
    }

    /// A row in the order in which rows are visited: the newest first.
    struct Visit: Comparable {
        let row: LogRow.Reference

        static func < (lhs: Self, rhs: Self) -> Bool {
            lhs.row.isOlder(than: rhs.row)
        }
    }
}

extension LogRow.Reference {
    /// Whether another row wins over it (data rule 6).
    func isOlder(than other: Self) -> Bool {
        (timestamp, device) < (other.timestamp, other.device)
    }

    /// The row under its writer's name, in whichever log it stands.
    var written: Self { Self(device: device.writer, timestamp: timestamp) }
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
        let forks = try ForkTable([.fork], in: database)
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
                // What was recorded counts for rows that are taken back too.
                if !isForked, nodes.allSatisfy(\.takesBack.isEmpty), let latest {
                    latest.bind(1, text: bytes)
                    defer { latest.reset() }
                    if try latest.step(), let list = latest.blob(0) {
                        known = references(list).parents
                    }
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
        let named = rows.blob(5).map(references)
        return RowGraph.Node(
            reference: LogRow.Reference(
                device: device, timestamp: Timestamp(microseconds: timestamp)),
            parents: named?.parents,
            parentTimestamp: rows.timestamp(4).map(Timestamp.init(microseconds:)),
            digest: digestsValue ? LoadedValue(value).digest(ofRowAt: timestamp) : 0,
            takesBack: named?.takenBack ?? [])
    }
}
