public import Foundation
public import Replication

/// Reverting rows of this device: a key gets the value that results from all other rows.
extension KeyValueStore {
    /// A row of this device that can be reverted, and the state that its key would then have.
    public struct Reversion: Sendable {
        @Name public private(set) var key: String
        /// The row's timestamp.
        public let timestamp: Timestamp
        /// The value of the key without the row, as a binary property list; `nil` for none.
        public let bytes: Data?
        /// The devices that are in conflict about the key once the row is reverted, the winner's
        /// first. Empty if reverting the row doesn't reopen a conflict.
        public let reopened: [DeviceID]
        /// Whether the conflict stays resolved anyway, because this device's log has PARStore 1's
        /// format. Its rows name one parent and can't express that they have seen less than earlier
        /// rows.
        public let losesConflict: Bool
        /// The heads that the key would have without this row, the winner first.
        fileprivate let heads: [RowGraph.Node]
        fileprivate let sides: [LogRow.Reference]
        /// The row itself, and this device's rows that build on it.
        fileprivate let rows: [LogRow.Reference]
        fileprivate let seen: Seen

        /// Decodes and returns the value.
        ///
        /// - Throws: ``PropertyListError`` for bytes that are not a value.
        public func value() throws(PropertyListError) -> PropertyList? {
            guard let bytes else { return nil }
            return try PropertyList(binary: bytes)
        }
    }

    /// The state of a key in memory, to detect changes.
    fileprivate struct Seen: Sendable, Equatable {
        let newest: Timestamp?
        let heads: [LogRow.Reference]
    }

    /// Returns the newest timestamp of this device's rows for `key`, or `nil` if there are none.
    public func ownTimestamp(forKey key: String) -> Timestamp? {
        memory.withLock { memory in
            guard let entry = memory.index(ofKey: key), let own = memory.own,
                let row = memory.cache.row(of: own, in: entry)
            else { return nil }
            return Timestamp(microseconds: memory.cache.rows[Int(row)].timestamp)
        }
    }

    /// Returns the effect of reverting a row of this device. Nothing is written.
    ///
    /// Later rows of this device may have restored this row's value, for example by reverting other
    /// rows. Those later rows are reverted together with this row.
    ///
    /// - Throws: ``KeyValueError``: `.notFound` if the row doesn't exist or is already reverted,
    ///   `.builtOn` if another row builds on it; `ReplicationError` if a log can't be read now,
    ///   because rows of that log may build on the row to revert.
    /// - Complexity: Reads all rows of the key.
    public func reversion(_ key: String, writtenAt timestamp: Timestamp) throws -> Reversion {
        try reversions([(key, timestamp)])[0]
    }

    /// Returns the effect of reverting rows of this device for different keys, in order. Nothing is
    /// written.
    ///
    /// - Throws: As ``reversion(_:writtenAt:)``.
    /// - Complexity: Reads all rows of the keys. Each log is opened at most twice.
    public func reversions(
        _ wanted: [(key: String, timestamp: Timestamp)]
    ) throws -> [Reversion] {
        guard let device else { throw KeyValueError.withoutDevice }
        let keys = wanted.map(\.key)
        let (seen, isParstore) = memory.withLock { memory in
            (keys.map { memory.seen($0) }, memory.ownIsParstore)
        }
        let (parts, unread) = try graphParts(of: keys, through: nil, forHeads: true)
        try failIfUnread(unread)
        let remains = try zip(wanted, parts).map { wanted, parts in
            try Remains(
                without: LogRow.Reference(device: device, timestamp: wanted.timestamp),
                of: wanted.key, in: RowGraph(parts), isParstore: isParstore)
        }
        // Without the missing rows, the keys would get older values.
        let lost = Set(remains.flatMap { $0.missing.map(\.device) })
        try failIfUnread(unreadLogs.filter { lost.contains($0.key) })
        let winners = zip(keys, remains).compactMap { key, remains in
            remains.heads.first.map { (key: key, row: $0.reference) }
        }
        let (rows, missing) = try fetch(winners)
        try failIfUnread(missing)
        var found = rows[...]
        return try wanted.indices.map { place in
            let (key, remains) = (keys[place], remains[place])
            var bytes: Data?
            if !remains.heads.isEmpty {
                guard let row = found.removeFirst() else { throw KeyValueError(changed: key) }
                bytes = row.isLeftInLog ? try self.bytes(of: row) : row.bytes
            }
            let sides = remains.sides
            return Reversion(
                key: key, timestamp: wanted[place].timestamp, bytes: bytes,
                reopened: remains.isConflict && !isParstore ? sides.map(\.device) : [],
                losesConflict: remains.isConflict && isParstore, heads: remains.heads,
                sides: sides, rows: remains.taken, seen: seen[place])
        }
    }

    /// The rows of a key that remain in effect if a row of this device is reverted.
    private struct Remains {
        /// The row, and this device's rows that build on it.
        let taken: [LogRow.Reference]
        /// The rows that no remaining row supersedes, the winner first.
        let heads: [RowGraph.Node]
        /// The rows that provide the values of the heads.
        let sides: [LogRow.Reference]
        let isConflict: Bool
        /// The missing parents of the taken rows.
        let missing: [LogRow.Reference]

        init(
            without row: LogRow.Reference, of key: String, in graph: RowGraph, isParstore: Bool
        ) throws(KeyValueError) {
            guard let node = graph.rows(writtenAs: row).first else {
                throw KeyValueError(
                    .notFound, "\(row.device) did not write \(key.quoted) at that time")
            }
            guard !graph.reverted().contains(node.reference) else {
                throw KeyValueError(
                    .notFound, "the write to \(key.quoted) is already reverted")
            }
            let itself = graph.rows(writtenAs: row).map(\.reference)
            let later = graph.rows(buildingOn: Set(itself))
            try KeyValueStore.check(later, on: node, key)
            var taken = later.map(\.reference) + itself
            if isParstore { taken += graph.rowsOfOneWrite(before: row) }
            let heads = graph.heads(without: Set(taken))
            self.taken = taken
            self.heads = heads
            sides = heads.map { graph.restated(by: $0.reference) }
            isConflict = heads.contains { $0.digest != heads.first?.digest }
            missing = taken.flatMap { graph.node($0)?.parents ?? [] }
                .filter { graph.rows(writtenAs: $0).isEmpty }
        }
    }

    private static func check(
        _ later: [RowGraph.Node], on row: RowGraph.Node, _ key: String
    ) throws(KeyValueError) {
        let own = row.reference.device.writer
        let others = later.filter { $0.reference.device.writer != own }
        let candidates = others.isEmpty ? later : others
        guard let newest = candidates.max(by: { $0.reference.isOlder(than: $1.reference) }),
            !others.isEmpty || newest.digest != row.digest
        else { return }
        let device = newest.reference.device.writer
        let time = newest.reference.timestamp
        let text =
            others.isEmpty
            ? "this device wrote \(key.quoted) again at \(time.iso8601); undo that write first"
            : "\(device.name) wrote \(key.quoted) at \(time.iso8601), based on this write; "
                + "instead of reverting this write, set the key to the value that you want"
        var error = KeyValueError(.builtOn, text)
        error.laterWrite = KeyValueError.LaterWrite(
            key: key, device: device, isOwn: others.isEmpty, timestamp: time)
        throw error
    }

    /// Reverts rows of this device. Afterward, each key has, on every device, the value or conflict
    /// that it would have if the reverted row had never been written.
    ///
    /// All rows are reverted as one transaction and one event, or none. If no conflict is reopened,
    /// the previous value is written in the same way as by ``set(_:forKey:ifNewestIs:)``.
    /// Otherwise, the written row repeats the winner's value, has the winner as its only parent,
    /// and names the reverted rows (``LogRow/reverts``).
    ///
    /// - Throws: ``KeyValueError``: `.changedSinceRead` if a key changed since its reversion was
    ///   created, and the errors of `set`. After an error, nothing is changed.
    public func revert(_ plans: [Reversion]) throws(KeyValueError) {
        guard !plans.isEmpty else { return }
        try memory.withLock { memory throws(KeyValueError) in
            try checkWritable(memory)
            for plan in plans where memory.seen(plan.key) != plan.seen {
                throw KeyValueError(changed: plan.key)
            }
            let times = try memory.ticks(plans.map(\.key), clock: configuration.clock)
            var written: [Memory.Written] = []
            for (plan, time) in zip(plans, times) {
                written.append(memory.revert(plan, at: time))
            }
            posted(written, in: memory)
            for row in written where memory.cache.conflicts.contains(row.entry) {
                post(
                    .conflict(
                        key: memory.cache.key(row.entry), devices: memory.sides(of: row.entry),
                        by: device),
                    in: memory)
            }
        }
        saveSoon()
    }

    /// If a row reverts other rows (``LogRow/reverts``), returns the row whose value it restores.
    /// Otherwise, or if the restored row can't be read, returns `row`.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: One look-up for each time that the value was restored.
    public func original(of row: LogRow) throws -> LogRow {
        var row = row
        while !row.reverts.isEmpty, let name = row.parents?.first,
            name.isOlder(than: row.reference), let next = try fetch([(row.key, name)]).rows[0]
        {
            row = next
        }
        return row
    }

}

extension Memory {
    fileprivate func seen(_ key: String) -> KeyValueStore.Seen {
        KeyValueStore.Seen(
            newest: newest(key: key),
            heads: index(ofKey: key).map { references(cache.heads($0)) } ?? [])
    }

    /// Writes the row that reverts another.
    ///
    /// - Parameter timestamp: A timestamp from ``ticks(_:clock:)``.
    fileprivate mutating func revert(
        _ plan: KeyValueStore.Reversion, at timestamp: Timestamp
    ) -> Written {
        let value = plan.bytes.map(Array.init)
        let heads = plan.heads.map { makeStamp(of: $0.reference) }
        guard !plan.reopened.isEmpty, let own, let entry = index(ofKey: plan.key),
            let winner = heads.first ?? nil
        else { return write(key: plan.key, value: value, at: timestamp) }
        let isNew = !cache.isLive(entry)
        var key = plan.key
        key.withUTF8 {
            pending.waiting.append(
                key: $0, value: value, timestamp: timestamp.microseconds,
                parentTimestamp: winner.timestamp, parents: [winner],
                known: winner.device == own ? [] : [winner],
                reverts: Set(plan.rows.map(\.timestamp.microseconds)).sorted())
        }
        cache.write(
            entry, device: own, timestamp: timestamp.microseconds, value: value,
            namesOneParent: false)
        var fork: [LogsCache.ForkHead] = []
        for (index, head) in plan.heads.enumerated() {
            guard let stamp = heads[index], let side = makeStamp(of: plan.sides[index])
            else { continue }
            // The row replaces the winner.
            fork.append(
                LogsCache.ForkHead(
                    device: index == 0 ? own : stamp.device,
                    timestamp: index == 0 ? timestamp.microseconds : stamp.timestamp,
                    digest: head.digest, side: side))
        }
        cache.forks[entry] = fork
        cache.updateConflict(entry)
        return Written(entry: entry, timestamp: timestamp, resolved: false, isNew: isNew)
    }

    private mutating func makeStamp(of row: LogRow.Reference) -> RowStamp? {
        cache.number(of: row.device).map {
            RowStamp(device: $0, timestamp: row.timestamp.microseconds)
        }
    }
}

extension RowGraph {
    /// Returns the rows of a PARStore 1 log that were written together with a row: one for each
    /// resolved head, because a row names one parent.
    fileprivate func rowsOfOneWrite(before row: LogRow.Reference) -> [LogRow.Reference] {
        var found: [LogRow.Reference] = []
        var next = row
        while let before = previous(of: next), node(before)?.digest == node(row)?.digest,
            let gap = next.timestamp.microseconds.subtracting(before.timestamp.microseconds),
            gap <= 1_000, node(next)?.parentTimestamp != before.timestamp
        {
            found.append(before)
            next = before
        }
        return found
    }
}

extension Int64 {
    fileprivate func subtracting(_ other: Int64) -> Int64? {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? nil : difference
    }
}
