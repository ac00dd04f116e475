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
        /// The time of the row before, of the same log, that it knows without naming it.
        fileprivate(set) var previous: Timestamp?
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
        /// The newest rows with their values, as far as they were asked for and are not large.
        var whole: [LogRow] = []
    }

    /// The oldest first: each wins over those before it. So rows are found by searching, and where
    /// keys have few rows, which is what keys have, nothing is hashed.
    private(set) var nodes: [Node] = []
    /// Whether some log's rows are not a chain, a device's rows stand in several logs, or some are
    /// taken back.
    private(set) var isForked = false
    /// Whether some rows stand in another log than their writer's.
    private var hasTakenOver = false
    private var known: [LogRow.Reference: [LogRow.Reference]] = [:]
    private var parstore: Set<DeviceID> = []
    /// Those of the rows that were read with their values.
    private(set) var whole: [LogRow.Reference: LogRow] = [:]

    /// - Parameter parts: In byte order of devices.
    init(_ parts: [Part]) {
        for part in parts { take(part) }
        if parts.count > 1 { arrange() }
    }

    /// Whether a log has PARStore 1's form.
    func isParstore(_ device: DeviceID) -> Bool { parstore.contains(device) }

    mutating func add(_ part: Part) {
        take(part)
        arrange()
    }

    private mutating func take(_ part: Part) {
        if part.format == .parstore1 { parstore.insert(part.device) }
        if part.device.writer != part.device { hasTakenOver = true }
        if part.isForked || hasTakenOver { isForked = true }
        let first = nodes.count
        for var row in part.rows {
            if !row.takesBack.isEmpty {
                // It knows what it names and no more.
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

    /// Sorts the rows. What is in its log by now and waited for that a moment ago is one row.
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

    // MARK: Finding rows, by their places among `nodes`

    /// The place of the first row for which `isBefore` is not so.
    private func firstPlace(after isBefore: (LogRow.Reference) -> Bool) -> Int {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(nodes[middle].reference) { low = middle + 1 } else { high = middle }
        }
        return low
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

    /// The places of a row, in whichever logs it stands.
    private func places(writtenAs row: LogRow.Reference) -> [Int] {
        let row = row.written
        guard hasTakenOver else { return place(of: row).map { [$0] } ?? [] }
        return places(at: row.timestamp).filter { nodes[$0].reference.written == row }
    }

    /// What a row names: rows by their places, and rows that are not here.
    private struct Links {
        var places: [Int] = []
        /// For each name of a row that is not here its writer, and the place that the row would have.
        /// The name stands for the writer's rows before that place.
        var absent: [(writer: DeviceID, end: Int)] = []
    }

    /// What a row says, or is known, to build on.
    private func links(of place: Int) -> Links {
        let node = nodes[place]
        let reference = node.reference
        var links = Links()
        func add(_ name: LogRow.Reference) {
            let found = places(writtenAs: name)
            guard found.isEmpty else { return links.places += found }
            let end = firstPlace { $0.timestamp <= name.timestamp }
            links.absent.append((name.device.writer, end))
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

    /// The rows of each writer, by their places.
    private func placesByWriter() -> [DeviceID: [Int]] {
        Dictionary(grouping: nodes.indices) { writer(at: $0) }
    }

    private func writer(at place: Int) -> DeviceID {
        let device = nodes[place].reference.device
        return hasTakenOver ? device.writer : device
    }

    /// The places of the rows that a row says, or is known, to build on.
    private func parents(of place: Int) -> [Int] {
        let links = links(of: place)
        return links.places
            + links.absent.flatMap { name in
                (0..<name.end).filter { writer(at: $0) == name.writer }
            }
    }

    /// The rows that a row says, or is known, to build on.
    func parents(of reference: LogRow.Reference) -> [LogRow.Reference] {
        guard let place = place(of: reference) else { return [] }
        return parents(of: place).map { nodes[$0].reference }
    }

    /// The row before, of the same log, that a row knows without naming it.
    func previous(of row: LogRow.Reference) -> LogRow.Reference? {
        node(row)?.previous.map { LogRow.Reference(device: row.device, timestamp: $0) }
    }

    /// The rows that others take back, those left out that `besides` names.
    func takenBack(besides: Set<LogRow.Reference> = []) -> Set<LogRow.Reference> {
        guard isForked else { return [] }
        var found: Set<LogRow.Reference> = []
        for node in nodes where !besides.contains(node.reference) {
            found.formUnion(takenBack(by: node))
        }
        return found
    }

    /// A row by its writer and timestamp, in whichever logs it stands.
    func rows(writtenAs row: LogRow.Reference) -> [Node] {
        places(writtenAs: row).map { nodes[$0] }
    }

    /// The rows that build on `rows`, directly or not, those left out that are taken back.
    func rows(buildingOn rows: Set<LogRow.Reference>) -> [Node] {
        let gone = takenBack()
        var building = rows
        // Rows that took back what is among `building` without knowing that, and are taken back
        // themselves: who builds on one of those knows what it took back.
        var revealing: Set<LogRow.Reference> = []
        // The first of each writer's rows among these, for names of rows that are not here.
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
            if leads(to: building, firstBuilding) || isLed && node.takesBack.isEmpty {
                building.insert(node.reference)
                firstBuilding[writer] = min(place, firstBuilding[writer] ?? place)
            } else if gone.contains(node.reference),
                isLed || takenBack(by: node).contains(where: building.contains)
            {
                revealing.insert(node.reference)
                firstRevealing[writer] = min(place, firstRevealing[writer] ?? place)
            }
        }
        return building.subtracting(rows).subtracting(gone).compactMap(node)
    }

    /// The rows that one row takes back, as far as they are here.
    private func takenBack(by node: Node) -> [LogRow.Reference] {
        node.takesBack.flatMap { rows(writtenAs: $0) }.map(\.reference)
            .filter { $0.isOlder(than: node.reference) }
    }

    /// The row whose value a row says again because it takes others back; itself where it takes back
    /// none, or where that row is not here.
    func restated(by row: LogRow.Reference) -> LogRow.Reference {
        var row = row
        while let node = node(row), !node.takesBack.isEmpty, let name = node.parents?.first,
            let next = rows(writtenAs: name).first?.reference, next.isOlder(than: row)
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
        let superseded = superseded(behind: ignored)
        // A row that stands in two logs is one.
        var seen: [LogRow.Reference: Set<Int>] = [:]
        return nodes.indices.reversed()
            .filter { !superseded[$0] && !ignored.contains(nodes[$0].reference) }
            .map { nodes[$0] }
            .filter { seen[$0.reference.written, default: []].insert($0.digest).inserted }
    }

    /// Whether a row that builds on another takes its place: if it wins over it, and among rows of
    /// the last day always.
    private func supersedes(_ row: Int, _ known: Int) -> Bool {
        known < row
            || known > row && nodes[row].reference.timestamp >= .lastDay
                && nodes[known].reference.timestamp >= .lastDay
    }

    /// For each row whether another one supersedes it: one that names it, or names an `ignored` row
    /// that knows it.
    ///
    /// A row that takes others back knows what it names and no more, though its writer knew those
    /// others; a row that builds on it knows them too.
    ///
    /// The rows are visited from the newest to the oldest. What a row supersedes through an ignored
    /// one, an older row that comes there too would supersede in vain. So each ignored row is looked
    /// at once, whatever the number of rows that lead to it.
    ///
    /// - Complexity: O(*n* log *n*) in the number of rows and of the names in them.
    private func superseded(behind ignored: Set<LogRow.Reference>) -> [Bool] {
        var walk = SupersedingWalk(count: nodes.count)
        var writers: [DeviceID: [Int]]?
        for row in nodes.indices.reversed() where !ignored.contains(nodes[row].reference) {
            var next = [(place: row, isNarrow: true)]
            while let step = next.popLast() {
                let links = links(of: step.place)
                let node = nodes[step.place]
                let isNarrow = step.isNarrow && !node.takesBack.isEmpty
                var named = links.places
                if step.place != row, !step.isNarrow {
                    named += takenBack(by: node).compactMap(place(of:))
                }
                for name in links.absent {
                    writers = writers ?? placesByWriter()
                    // Its own rows it knows up to itself at most.
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

    /// What is found out on the way through a graph.
    private struct SupersedingWalk {
        var isSuperseded: [Bool]
        /// The place before which all rows of a writer are superseded.
        private(set) var limits: [DeviceID: Int] = [:]
        private var visited: [Bool] = []
        private var visitedNarrowly: [Bool] = []
        private var ends: [DeviceID: Int] = [:]
        private var narrowEnds: [DeviceID: Int] = [:]

        init(count: Int) { isSuperseded = Array(repeating: false, count: count) }

        mutating func limit(_ writer: DeviceID, to end: Int) {
            limits[writer] = max(limits[writer] ?? 0, end)
        }

        /// Notes that a row is visited.
        ///
        /// - Returns: Whether it wasn't before.
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

        /// Those of a writer's rows before `end` that were not returned yet.
        mutating func unseen(
            _ places: [Int], of writer: DeviceID, before end: Int, _ isNarrow: Bool
        ) -> [Int] {
            let former = (isNarrow ? narrowEnds[writer] : ends[writer]) ?? 0
            guard former < end else { return [] }
            if isNarrow { narrowEnds[writer] = end } else { ends[writer] = end }
            return Array(places[places.count(before: former)..<places.count(before: end)])
        }
    }

    /// The newest row that all of `heads` build on.
    ///
    /// Rows are visited from the newest to the oldest, each with the heads that lead to it. A row
    /// is older than those that build on it, so when one is visited, all ways to it are known.
    func newestCommonAncestor(of heads: [LogRow.Reference]) -> LogRow.Reference? {
        // Which heads lead to each row, and to all of its writer's rows up to it.
        var reached = WaysTable(rows: nodes.count, heads: heads.count)
        var spread: WaysTable?
        var writers: [DeviceID: [Int]] = [:]
        var queue = Heap<Int>()
        for (index, head) in heads.enumerated() {
            guard let place = place(of: head) else { return nil }
            reached.insert(index, at: place)
            queue.insert(place)
        }
        let takenBack = takenBack()
        var isVisited = Array(repeating: false, count: nodes.count)
        while let next = queue.popMax() {
            guard !isVisited[next] else { continue }
            isVisited[next] = true
            let reference = nodes[next].reference
            if reached.isFull(at: next), !takenBack.contains(reference) { return reference }
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
                var ways = spread ?? WaysTable(rows: nodes.count, heads: heads.count)
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

    /// For each row a set of heads.
    private struct WaysTable {
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

        mutating func form(at row: Int, from other: Int, of table: WaysTable) {
            for word in 0..<width { words[row * width + word] |= table.words[other * width + word] }
        }

        func isEmpty(at row: Int) -> Bool {
            (0..<width).allSatisfy { words[row * width + $0] == 0 }
        }

        func isFull(at row: Int) -> Bool {
            (0..<width).allSatisfy { words[row * width + $0] == ($0 == width - 1 ? last : .max) }
        }
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

extension [Int] {
    /// The number of elements of a sorted array that are less than `limit`.
    fileprivate func count(before limit: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LogReader {
    /// The newest rows of keys (ten thousand of each at most) up to an instant, oldest first,
    /// without their values.
    ///
    /// - Parameters:
    ///   - forHeads: Whether values are digested, and what the newest row's writer recorded is read
    ///     too.
    ///   - wholeCount: Of so many of the newest rows of each key all is read.
    func graphRows(
        _ keys: [String], through instant: Timestamp?, forHeads: Bool = false,
        wholeCount: Int = 0
    ) throws -> [RowGraph.Part] {
        let (time, id) = (form.timestamp, form.id)
        // Of a PARStore 1 row the value tells whether it counts.
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
            var isForked = false
            var known: [LogRow.Reference] = []
            var bytes = key
            try bytes.withUTF8 { bytes in
                rows.bind(1, text: bytes)
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
                known: known, whole: whole)
        }
    }

    /// The row that the statement stands on, which is `node`; `nil` for one of which nobody may
    /// want so much in memory.
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
            takesBack: node.takesBack)
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
