import HeapModule
import Replication

/// The rows of one key, each with its causal parents.
///
/// A row is identified by its writer and its timestamp. Rows that a merge copied from another copy
/// of a device's log are in a separate log (`own|device`). They still belong to that device and are
/// found under its name.
struct RowGraph {
    struct Node {
        let reference: LogRow.Reference
        /// The parents that the row names; `nil` if it only names a timestamp.
        let parents: [LogRow.Reference]?
        /// The only timestamp that the row names. In a PARStore 1 log, the timestamp may belong to
        /// a row of any device.
        let parentTimestamp: Timestamp?
        /// The digest of the value, if requested.
        var digest = 0
        /// Rows of the same writer that this row reverts.
        var reverts: [LogRow.Reference] = []
        /// The time of the previous row in the same log, which is an implicit parent.
        fileprivate(set) var previous: Timestamp?
    }

    /// The rows of the key in one log.
    struct Part {
        let device: DeviceID
        let format: LogFormat
        /// Whether the rows are not a chain: some had not seen their device's own previous row.
        let isForked: Bool
        /// The rows, oldest first.
        var rows: [Node]
        /// Additional parents of the newest row of a chain, as recorded by its writer.
        var known: [LogRow.Reference] = []
        /// The newest rows with their values, up to the requested number and without large values.
        var whole: [LogRow] = []
    }

    /// The rows, oldest first; each wins over all earlier ones. Rows are found by binary search.
    /// Keys usually have few rows, for which hashing would cost more.
    private(set) var nodes: [Node] = []
    /// Whether a log's rows are not a chain, a device's rows are in several logs, or some rows are
    /// reverted.
    private(set) var isForked = false
    /// Whether some rows are in the log of a device that didn't write them.
    private var hasTakenOver = false
    private var known: [LogRow.Reference: [LogRow.Reference]] = [:]
    private var parstore: Set<DeviceID> = []
    /// The writers of the rows.
    private var writers: Set<DeviceID> = []
    /// The rows that were read with their values.
    private(set) var whole: [LogRow.Reference: LogRow] = [:]

    /// Creates the graph.
    ///
    /// - Parameter parts: The parts in byte order of devices.
    init(_ parts: [Part]) {
        for part in parts { take(part) }
        if parts.count > 1 { arrange() }
    }

    /// Returns whether a log has PARStore 1's format.
    func isParstore(_ device: DeviceID) -> Bool { parstore.contains(device) }

    mutating func add(_ part: Part) {
        take(part)
        arrange()
    }

    private mutating func take(_ part: Part) {
        if part.format == .parstore1 { parstore.insert(part.device) }
        let writer = part.device.writer
        writers.insert(writer)
        if writer != part.device { hasTakenOver = true }
        if part.isForked || hasTakenOver { isForked = true }
        let first = nodes.count
        for var row in part.rows {
            if !row.reverts.isEmpty {
                // The row's parents are exactly the rows that it names.
                isForked = true
            } else if !part.isForked, nodes.count > first {
                row.previous = nodes[nodes.count - 1].reference.timestamp
            }
            if nodes.count > first, nodes[nodes.count - 1].reference == row.reference {
                nodes[nodes.count - 1] = row
            } else {
                nodes.append(row)
            }
        }
        if let newest = part.rows.last, !part.known.isEmpty {
            known[newest.reference] = part.known
        }
        for row in part.whole { whole[row.reference] = row }
    }

    /// Sorts the rows. A row that was read both as pending and as saved is kept once.
    private mutating func arrange() {
        var arranged: [Node] = []
        arranged.reserveCapacity(nodes.count)
        for var node in nodes.sorted(by: { $0.reference.isOlder(than: $1.reference) }) {
            if let last = arranged.last, last.reference == node.reference {
                node.previous = node.previous ?? last.previous
                arranged.removeLast()
            }
            arranged.append(node)
        }
        nodes = arranged
    }

    // MARK: Finding rows, by their indices in `nodes`

    /// Returns the index of the first row for which `isBefore` is false.
    private func firstPlace(after isBefore: (LogRow.Reference) -> Bool) -> Int {
        nodes.indices.firstPosition { !isBefore(nodes[$0].reference) }
    }

    private func place(of row: LogRow.Reference) -> Int? {
        let place = firstPlace { $0.isOlder(than: row) }
        return place < nodes.count && nodes[place].reference == row ? place : nil
    }

    func node(_ row: LogRow.Reference) -> Node? { place(of: row).map { nodes[$0] } }

    private func places(at time: Timestamp) -> Range<Int> {
        let first = firstPlace { $0.timestamp < time }
        var end = first
        while end < nodes.count, nodes[end].reference.timestamp == time { end += 1 }
        return first..<end
    }

    /// Returns the indices of a row, in all logs that contain it.
    private func places(writtenAs row: LogRow.Reference) -> [Int] {
        let row = row.written
        guard hasTakenOver else { return place(of: row).map { [$0] } ?? [] }
        return places(at: row.timestamp).filter { nodes[$0].reference.written == row }
    }

    /// The parents of a row: rows by index, and missing rows.
    private struct Links {
        var places: [Int] = []
        /// The missing rows of writers with rows here, each with its writer and the index that it
        /// would have. Instead of a missing row, all rows of the writer before that index count as
        /// parents.
        var absent: [(writer: DeviceID, end: Int)] = []
    }

    /// Returns the known parents of a row, named and implicit.
    private func links(of place: Int) -> Links {
        let node = nodes[place]
        let reference = node.reference
        var links = Links()
        func add(_ name: LogRow.Reference) {
            let writer = name.device.writer
            guard writers.contains(writer) else { return }
            let found = places(writtenAs: name)
            guard found.isEmpty else { return links.places += found }
            let end = firstPlace { $0.timestamp <= name.timestamp }
            links.absent.append((writer, end))
        }
        for name in node.parents ?? [] { add(name) }
        if node.parents == nil, let timestamp = node.parentTimestamp {
            let own = places(
                writtenAs: LogRow.Reference(device: reference.device, timestamp: timestamp))
            links.places += own.isEmpty ? Array(places(at: timestamp)) : own
        }
        if let own = previous(of: reference).flatMap(self.place(of:)) { links.places.append(own) }
        for name in known[reference] ?? [] { add(name) }
        return links
    }

    /// Returns the indices of each writer's rows.
    private func placesByWriter() -> [DeviceID: [Int]] {
        Dictionary(grouping: nodes.indices) { writer(at: $0) }
    }

    private func writer(at place: Int) -> DeviceID {
        let device = nodes[place].reference.device
        return hasTakenOver ? device.writer : device
    }

    /// Returns the indices of a row's known parents.
    private func parents(of place: Int) -> [Int] {
        let links = links(of: place)
        return links.places
            + links.absent.flatMap { name in
                (0..<name.end).filter { writer(at: $0) == name.writer }
            }
    }

    /// Returns the known parents of a row.
    func parents(of reference: LogRow.Reference) -> [LogRow.Reference] {
        guard let place = place(of: reference) else { return [] }
        return parents(of: place).map { nodes[$0].reference }
    }

    /// Returns the previous row in the same log if it is an implicit parent.
    func previous(of row: LogRow.Reference) -> LogRow.Reference? {
        node(row)?.previous.map { LogRow.Reference(device: row.device, timestamp: $0) }
    }

    /// Returns the rows that other rows revert. Reverts by the rows in `besides` don't count.
    func reverted(besides: Set<LogRow.Reference> = []) -> Set<LogRow.Reference> {
        guard isForked else { return [] }
        var found: Set<LogRow.Reference> = []
        for node in nodes where !besides.contains(node.reference) {
            found.formUnion(reverted(by: node))
        }
        return found
    }

    /// Returns the row with a writer and timestamp, once for each log that contains it.
    func rows(writtenAs row: LogRow.Reference) -> [Node] {
        places(writtenAs: row).map { nodes[$0] }
    }

    /// Returns the rows that build on `rows`, directly or indirectly, except reverted ones.
    func rows(buildingOn rows: Set<LogRow.Reference>) -> [Node] {
        let revertedRows = reverted()
        var building = rows
        // Reverted rows that revert a row in `building`, or that build on a row in this set. They
        // had seen a row in `building`, although none of their parents is in `building`. A later
        // row that builds on one of them and reverts nothing builds on `rows`, too.
        var revealing: Set<LogRow.Reference> = []
        // Each writer's first row in `building` and in `revealing`, to evaluate references to
        // missing rows.
        var firstBuilding: [DeviceID: Int] = [:]
        var firstRevealing: [DeviceID: Int] = [:]
        for place in rows.compactMap(place(of:)) {
            firstBuilding[writer(at: place)] = min(place, firstBuilding[writer(at: place)] ?? place)
        }
        for (place, node) in nodes.enumerated() {
            let links = links(of: place)
            func leads(to rows: Set<LogRow.Reference>, _ first: [DeviceID: Int]) -> Bool {
                links.places.contains { rows.contains(nodes[$0].reference) }
                    || links.absent.contains { first[$0.writer] ?? .max < $0.end }
            }
            let isLed = leads(to: revealing, firstRevealing)
            let writer = writer(at: place)
            if leads(to: building, firstBuilding) || isLed && node.reverts.isEmpty {
                building.insert(node.reference)
                firstBuilding[writer] = min(place, firstBuilding[writer] ?? place)
            } else if revertedRows.contains(node.reference),
                isLed || reverted(by: node).contains(where: building.contains)
            {
                revealing.insert(node.reference)
                firstRevealing[writer] = min(place, firstRevealing[writer] ?? place)
            }
        }
        return building.subtracting(rows).subtracting(revertedRows).compactMap(node)
    }

    /// Returns the available rows that a row reverts.
    private func reverted(by node: Node) -> [LogRow.Reference] {
        node.reverts.flatMap { rows(writtenAs: $0) }.map(\.reference)
            .filter { $0.isOlder(than: node.reference) }
    }

    /// If a row reverts other rows, returns the row whose value it restores. Otherwise, or if the
    /// restored row isn't available, returns the row itself.
    func restated(by row: LogRow.Reference) -> LogRow.Reference {
        var row = row
        while let node = node(row), !node.reverts.isEmpty, let name = node.parents?.first,
            let next = rows(writtenAs: name).first?.reference, next.isOlder(than: row)
        {
            row = next
        }
        return row
    }

    /// Returns the rows that no other row supersedes, the winner first.
    ///
    /// A row supersedes another row only if it wins over the other row. A reverted row supersedes
    /// nothing, but rows that build on a reverted row have also seen its parents.
    ///
    /// - Parameter absent: Rows to treat as reverted.
    func heads(without absent: Set<LogRow.Reference> = []) -> [Node] {
        let ignored = reverted(besides: absent).union(absent)
        let superseded = superseded(behind: ignored)
        // A row that is in two logs counts once.
        var seen: [LogRow.Reference: Set<Int>] = [:]
        return nodes.indices.reversed()
            .filter { !superseded[$0] && !ignored.contains(nodes[$0].reference) }
            .map { nodes[$0] }
            .filter { seen[$0.reference.written, default: []].insert($0.digest).inserted }
    }

    /// Returns whether `row`, which builds on `known`, supersedes `known`. That is so if `row` has
    /// a newer timestamp, or if both timestamps are on `Timestamp.lastDay`.
    private func supersedes(_ row: Int, _ known: Int) -> Bool {
        known < row
            || known > row && nodes[row].reference.timestamp >= .lastDay
                && nodes[known].reference.timestamp >= .lastDay
    }

    /// Returns, for each row, whether another row supersedes it. A row supersedes its parents, and
    /// the rows that an `ignored` parent had seen.
    ///
    /// A row that reverts others has only the parents that it records, although its writer had also
    /// seen the reverted rows. Rows that build on it have also seen the reverted rows.
    ///
    /// The rows are visited from the newest to the oldest. Once the parents of an ignored row were
    /// followed from a newer row, following them again from an older row finds nothing new. So each
    /// ignored row is visited once, regardless of the number of its children.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rows and of their references.
    private func superseded(behind ignored: Set<LogRow.Reference>) -> [Bool] {
        var walk = SupersedingWalk(count: nodes.count)
        var writers: [DeviceID: [Int]]?
        for row in nodes.indices.reversed() where !ignored.contains(nodes[row].reference) {
            var next = [(place: row, isNarrow: true)]
            while let step = next.popLast() {
                let links = links(of: step.place)
                let node = nodes[step.place]
                let isNarrow = step.isNarrow && !node.reverts.isEmpty
                var named = links.places
                if step.place != row, !step.isNarrow {
                    named += reverted(by: node).compactMap(place(of:))
                }
                for name in links.absent {
                    writers = writers ?? placesByWriter()
                    // A row can't have seen later rows of its own writer.
                    let isOwn = writer(at: row) == name.writer
                    let isLimited = isOwn || nodes[row].reference.timestamp < .lastDay
                    walk.limit(name.writer, to: isLimited ? min(name.end, row) : name.end)
                    guard !ignored.isEmpty else { continue }
                    named += walk.unseen(
                        writers?[name.writer] ?? [], of: name.writer, before: name.end, isNarrow
                    ).filter { ignored.contains(nodes[$0].reference) }
                }
                for place in named where place != row {
                    if !ignored.contains(nodes[place].reference) {
                        if supersedes(row, place) { walk.isSuperseded[place] = true }
                    } else if walk.visit(place, isNarrow) {
                        next.append((place, isNarrow))
                    }
                }
            }
        }
        for (writer, limit) in walk.limits {
            for place in writers?[writer] ?? [] where place < limit {
                walk.isSuperseded[place] = true
            }
        }
        return walk.isSuperseded
    }

    /// The state of a walk through the graph.
    private struct SupersedingWalk {
        var isSuperseded: [Bool]
        /// An index for each writer. All rows of the writer before this index are superseded.
        private(set) var limits: [DeviceID: Int] = [:]
        private var visited: [Bool] = []
        private var visitedNarrowly: [Bool] = []
        private var ends: [DeviceID: Int] = [:]
        private var narrowEnds: [DeviceID: Int] = [:]

        init(count: Int) { isSuperseded = Array(repeating: false, count: count) }

        mutating func limit(_ writer: DeviceID, to end: Int) {
            limits[writer] = max(limits[writer] ?? 0, end)
        }

        /// Marks a row as visited. A narrow visit doesn't continue to the rows that this row
        /// reverts. Narrow visits are marked separately.
        ///
        /// - Returns: Whether the row was not visited before in this way.
        mutating func visit(_ place: Int, _ isNarrow: Bool) -> Bool {
            if visited.isEmpty {
                visited = Array(repeating: false, count: isSuperseded.count)
                visitedNarrowly = visited
            }
            defer {
                if isNarrow { visitedNarrowly[place] = true } else { visited[place] = true }
            }
            return isNarrow ? !visitedNarrowly[place] : !visited[place]
        }

        /// Returns a writer's rows before `end` that were not returned yet.
        mutating func unseen(
            _ places: [Int], of writer: DeviceID, before end: Int, _ isNarrow: Bool
        ) -> [Int] {
            let former = (isNarrow ? narrowEnds[writer] : ends[writer]) ?? 0
            guard former < end else { return [] }
            if isNarrow { narrowEnds[writer] = end } else { ends[writer] = end }
            return Array(places[places.count(before: former)..<places.count(before: end)])
        }
    }

    /// Returns the newest row that all of `heads` build on.
    ///
    /// Rows are visited from the newest to the oldest, each with the heads that lead to it. A row
    /// is older than those that build on it, so all paths to it are known when it is visited.
    func newestCommonAncestor(of heads: [LogRow.Reference]) -> LogRow.Reference? {
        // `reached` has the heads that lead to each row. `spread` has the heads that lead to a row
        // and to all earlier rows of its writer.
        var reached = HeadTable(rows: nodes.count, heads: heads.count)
        var spread: HeadTable?
        var writers: [DeviceID: [Int]] = [:]
        var queue = Heap<Int>()
        for (index, head) in heads.enumerated() {
            guard let place = place(of: head) else { return nil }
            reached.insert(index, at: place)
            queue.insert(place)
        }
        let reverted = reverted()
        var isVisited = Array(repeating: false, count: nodes.count)
        while let next = queue.popMax() {
            guard !isVisited[next] else { continue }
            isVisited[next] = true
            let reference = nodes[next].reference
            if reached.isFull(at: next), !reverted.contains(reference) { return reference }
            let links = links(of: next)
            for parent in links.places where parent != next {
                reached.form(at: parent, from: next)
                queue.insert(parent)
            }
            for name in links.absent {
                if writers.isEmpty { writers = placesByWriter() }
                let places = writers[name.writer] ?? []
                let count = places.count(before: min(name.end, next))
                guard count > 0 else { continue }
                let place = places[count - 1]
                var ways = spread ?? HeadTable(rows: nodes.count, heads: heads.count)
                spread = nil
                ways.form(at: place, from: next, of: reached)
                spread = ways
                reached.form(at: place, from: next)
                queue.insert(place)
            }
            guard var ways = spread, !ways.isEmpty(at: next) else { continue }
            spread = nil
            let places = writers[writer(at: next)] ?? []
            let count = places.count(before: next)
            if count > 0 {
                ways.form(at: places[count - 1], from: next)
                reached.form(at: places[count - 1], from: next, of: ways)
                queue.insert(places[count - 1])
            }
            spread = ways
        }
        return nil
    }

    /// A set of heads for each row.
    private struct HeadTable {
        private let width: Int
        private let last: UInt64
        private var words: [UInt64]

        init(rows: Int, heads: Int) {
            width = max(1, (heads + 63) / 64)
            last = heads % 64 == 0 ? .max : (1 << UInt64(heads % 64)) - 1
            words = Array(repeating: 0, count: rows * width)
        }

        mutating func insert(_ head: Int, at row: Int) {
            words[row * width + head / 64] |= 1 << UInt64(head % 64)
        }

        mutating func form(at row: Int, from other: Int) {
            for word in 0..<width { words[row * width + word] |= words[other * width + word] }
        }

        mutating func form(at row: Int, from other: Int, of table: HeadTable) {
            for word in 0..<width { words[row * width + word] |= table.words[other * width + word] }
        }

        func isEmpty(at row: Int) -> Bool {
            (0..<width).allSatisfy { words[row * width + $0] == 0 }
        }

        func isFull(at row: Int) -> Bool {
            (0..<width).allSatisfy { words[row * width + $0] == ($0 == width - 1 ? last : .max) }
        }
    }
}

extension LogRow.Reference {
    /// Returns whether another row wins over this one (data rule 6).
    func isOlder(than other: Self) -> Bool {
        (timestamp, device) < (other.timestamp, other.device)
    }

    /// The row under its writer's name, regardless of the log that contains it.
    var written: Self { Self(device: device.writer, timestamp: timestamp) }
}

extension DeviceID {
    /// The device that wrote the rows of this device's log. In a log of rows that a merge copied
    /// (`own|device`), the device after the bar; otherwise, the device itself.
    var writer: DeviceID {
        guard let bar = name.utf8.lastIndex(of: UInt8(ascii: "|")) else { return self }
        return (try? DeviceID(String(name[name.index(after: bar)...]))) ?? self
    }
}

extension [Int] {
    /// Returns the number of elements of a sorted array that are less than `limit`.
    fileprivate func count(before limit: Int) -> Int {
        indices.firstPosition { self[$0] >= limit }
    }
}

extension LogReader {
    /// Returns the newest rows of keys (ten thousand per key at most) up to an instant, oldest
    /// first, without their values.
    ///
    /// - Parameters:
    ///   - forHeads: Whether to digest values and to read the parents that the newest row's writer
    ///     recorded.
    ///   - wholeCount: The number of newest rows per key to read with their values.
    func graphRows(
        _ keys: [String], through instant: Timestamp?, forHeads: Bool = false,
        wholeCount: Int = 0
    ) throws -> [RowGraph.Part] {
        let (time, id) = (form.timestamp, form.id)
        // The value of a PARStore 1 row determines whether the row is valid.
        let readsValues = forHeads || wholeCount > 0 || form.format == .parstore1
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
            var whole: [LogRow] = []
            var known: [LogRow.Reference] = []
            rows.bind(1, copying: key)
            rows.bind(2, min(instant ?? .latest, .latest).microseconds)
            rows.bind(3, lastID ?? .max)
            defer { rows.reset() }
            while try rows.step() {
                guard let node = node(rows, digestsValue: forHeads) else { continue }
                nodes.append(node)
                if nodes.count <= wholeCount, let row = wholeRow(rows, node, key) {
                    whole.append(row)
                }
            }
            let isForked = try forks?.contains(Array(key.utf8)) ?? false
            // The recorded parents include the parents of reverted rows.
            if !isForked, nodes.allSatisfy(\.reverts.isEmpty), let latest {
                latest.bind(1, copying: key)
                defer { latest.reset() }
                if try latest.step(), let list = latest.blob(0) {
                    known = references(list).parents
                }
            }
            nodes.reverse()
            return RowGraph.Part(
                device: device, format: form.format, isForked: isForked, rows: nodes,
                known: known, whole: whole)
        }
    }

    /// Returns the statement's current row, `node`, with its value. Returns `nil` if the value
    /// is longer than 4 KiB or too long to be loaded.
    private func wholeRow(_ rows: Stepper, _ node: RowGraph.Node, _ key: String) -> LogRow? {
        guard let id = rows.integer(0) else { return nil }
        let value = values.content(rows, 3)
        switch value {
        case .long: return nil
        case .bytes(let bytes) where bytes.count > 4_096: return nil
        case .bytes, .removal, nil: break
        }
        return LogRow(
            device: device, id: id, timestamp: node.reference.timestamp, key: key,
            content: value, parentTimestamp: node.parentTimestamp, parents: node.parents,
            reverts: node.reverts)
    }

    /// Returns the current row of the statement, or `nil` if it is invalid.
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
            reverts: named?.reverted ?? [])
    }
}
