public import Replication

/// Conflicts as of an instant, based on all rows known now.
extension KeyValueStore {
    /// Returns the keys in conflict as of an instant, in byte order.
    ///
    /// - Parameter keys: The keys to check; `nil` for all.
    /// - Throws: ``KeyValueError``, `.notLoaded`; `CancellationError` if the task is canceled.
    /// - Complexity: A search in each log for each key that several devices wrote and that has
    ///   changed since the instant. Other keys come from memory.
    public func conflictKeys(
        at instant: Timestamp, among keys: [String]? = nil
    ) throws -> [String] {
        try conflictOriginals(at: instant, among: keys).keys.sorted().texts
    }

    /// Returns the keys in conflict as of an instant. For each key, returns the row that provided
    /// the value. For current entries, ``Entry/author`` and ``Entry/authored`` identify this row.
    ///
    /// - Throws: As ``conflictKeys(at:among:)``.
    /// - Complexity: As ``conflictKeys(at:among:)``.
    public func conflictOriginals(
        at instant: Timestamp, among keys: [String]? = nil
    ) throws -> [Name: LogRow.Reference] {
        var found: [Name: LogRow.Reference] = [:]
        try forEachPastConflict(instant, keys) { heads, graph, _ in
            found[Name(heads.key)] = heads.rows.first.map { graph.restated(by: $0) }
        }
        return found
    }

    /// Returns the conflicts as of an instant, in byte order of keys.
    ///
    /// - Parameter keys: The keys to check; `nil` for all.
    /// - Throws: As ``conflictKeys(at:among:)``.
    /// - Complexity: As ``conflictKeys(at:among:)``, with memory for all rows of the keys in
    ///   conflict.
    public func conflicts(
        at instant: Timestamp, among keys: [String]? = nil
    ) throws -> [Conflict] {
        var found: [Heads] = []
        var unread: [DeviceID: String] = [:]
        try forEachPastConflict(instant, keys) { heads, graph, problems in
            var heads = heads
            heads.look(in: graph)
            found.append(heads)
            unread.merge(problems) { $1 }
        }
        found.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return try conflicts(found, unread)
    }

    /// Returns the conflict about `key` as of an instant, or `nil` if there was none.
    ///
    /// - Throws: As ``conflictKeys(at:among:)``.
    /// - Complexity: Reads all rows of the key.
    public func conflict(forKey key: String, at instant: Timestamp) throws -> Conflict? {
        try conflicts(at: instant, among: [key]).first
    }

    /// The number of keys whose rows are in memory at a time.
    private static let keysAtOnce = 512

    private func forEachPastConflict(
        _ instant: Timestamp, _ keys: [String]?,
        _ body: (Heads, RowGraph, [DeviceID: String]) -> Void
    ) throws {
        let candidates = candidates(at: instant, among: keys)
        for start in stride(from: 0, to: candidates.count, by: Self.keysAtOnce) {
            try Task.checkCancellation()
            let part = Array(
                candidates[start..<min(start + Self.keysAtOnce, candidates.count)])
            let (parts, problems) = try graphParts(
                of: part, through: instant, wholeCount: Self.wholeCount)
            let found = zip(part, parts).compactMap { key, parts in
                let graph = RowGraph(parts)
                return heads(key, graph).map { ($0, graph) }
            }
            let (rows, failed) = try fetch(
                found.flatMap { heads, _ in heads.rows.map { (heads.key, $0) } },
                besides: found.flatMap { heads, graph in heads.rows.map { graph.whole[$0] } })
            let unread = problems.merging(failed) { $1 }
            var rest = rows[...]
            for (heads, graph) in found {
                if Self.disagree(rest.prefix(heads.rows.count)) { body(heads, graph, unread) }
                rest = rest.dropFirst(heads.rows.count)
            }
        }
    }

    /// Returns the keys that may have been in conflict at the instant. These are the keys that
    /// several devices wrote, and that have changed since the instant or are in conflict now.
    private func candidates(at instant: Timestamp, among keys: [String]?) -> [String] {
        memory.withLock { memory in
            func isCandidate(_ entry: UInt32) -> Bool {
                guard let winner = memory.cache.winner(entry),
                    winner.next != LogsCache.none || memory.cache.forks[entry] != nil
                else { return false }
                return winner.timestamp > instant.microseconds
                    || memory.cache.conflicts.contains(entry)
            }
            if let keys {
                return keys.filter { memory.index(ofKey: $0).map(isCandidate) ?? false }
            }
            return (0..<UInt32(memory.cache.entries.count)).filter(isCandidate)
                .map { memory.cache.key($0) }
        }
    }

    /// Returns the rows of a key that no other row supersedes, or `nil` if there is only one.
    ///
    /// The rows are applied to a separate cache, so that the same rules apply as for the current
    /// state.
    private func heads(_ key: String, _ graph: RowGraph) -> Heads? {
        if graph.isForked {
            return heads(key, graph.heads().map(\.reference), graph)
        }
        var cache = LogsCache()
        // Only devices with rows get a number. References to other devices supersede nothing, and a
        // row may name very many.
        var numbers: [DeviceID: DeviceNumber] = [:]
        for node in graph.nodes where numbers[node.reference.device] == nil {
            numbers[node.reference.device] = cache.number(of: node.reference.device)
        }
        let bytes = Array(key.utf8)
        for node in graph.nodes {
            guard let number = numbers[node.reference.device] else { continue }
            let causalParents: CausalParents
            if let parents = node.parents {
                causalParents = .vector(
                    parents.compactMap { parent in
                        guard parent.device != node.reference.device,
                            let device = numbers[parent.device]
                        else { return nil }
                        return RowStamp(
                            device: device, timestamp: parent.timestamp.microseconds)
                    })
            } else {
                let isParstore = graph.isParstore(node.reference.device)
                causalParents =
                    (isParstore ? node.parentTimestamp : nil).map { .parents([$0.microseconds]) }
                    ?? .none
            }
            _ = cache.apply(
                NewestRow(
                    key: bytes, timestamp: node.reference.timestamp.microseconds, value: .removal,
                    causalParents: causalParents),
                of: number)
        }
        guard cache.entries.count == 1 else { return nil }
        let rows = cache.heads(0).map { cache.reference(to: $0.stamp) }
        return heads(key, rows, graph)
    }

    private func heads(
        _ key: String, _ rows: [LogRow.Reference], _ graph: RowGraph
    ) -> Heads? {
        guard rows.count > 1 else { return nil }
        return Heads(key: key, rows: rows, isPossible: graph.isParstore(rows[0].device))
    }

    /// Returns whether at least two heads have different values.
    private static func disagree(_ rows: some Sequence<LogRow?>) -> Bool {
        let digests = rows.lazy.compactMap { $0 }.map { row in
            row.loadedValue.digest(ofRowAt: row.timestamp.microseconds)
        }
        return Set(digests).count > 1
    }
}
