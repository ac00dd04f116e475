import Replication

extension KeyValueStore {
    /// The number of keys in conflict. Concurrent rows with equal values aren't a conflict.
    public var conflictCount: Int { memory.withLock { $0.cache.conflicts.count } }

    /// The keys in conflict, in byte order.
    ///
    /// - Complexity: As ``entryList(prefix:includesRemoved:)``.
    public var conflictKeys: [String] {
        memory.withLock { memory in
            guard !memory.cache.conflicts.isEmpty else { return [] }
            return memory.cache.ordered().filter { memory.cache.conflicts.contains($0) }
                .map { memory.cache.key($0) }
        }
    }

    /// Returns all conflicts, in byte order of keys.
    ///
    /// A device whose log can't be read now doesn't hide other devices' rows; see
    /// ``Conflict/unread``.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`, if the store is closed during the call.
    /// - Complexity: To find common ancestors, reads all rows of each key in conflict from the logs
    ///   that contain the key. Each log is opened at most twice, regardless of the number of
    ///   conflicts. It is opened only once if the sides and their common ancestors are among each
    ///   device's newest two rows of the keys.
    public func conflicts() throws -> [Conflict] { try conflicts(among: conflictKeys) }

    /// Returns the conflict about `key`, or `nil` if there is none.
    ///
    /// - Throws: As ``conflicts()``.
    /// - Complexity: Reads all rows of the key, at most ten thousand per log.
    public func conflict(forKey key: String) throws -> Conflict? {
        try conflicts(among: [key]).first
    }

    /// The number of newest rows per key and log whose values are read together with the graph. Two
    /// are usually enough: the head, and the row that the head builds on.
    static let wholeCount = 2

    /// Returns the conflicts of the given keys, in the order of the keys. Keys without a conflict
    /// are left out.
    ///
    /// - Throws: As ``conflicts()``.
    /// - Complexity: As ``conflicts()``, for these keys.
    public func conflicts(among keys: [String]) throws -> [Conflict] {
        let found = heads(ofKeysInConflict: keys)
        guard !found.isEmpty else { return [] }
        let (parts, unread) = try graphParts(
            of: found.map(\.key), through: nil, wholeCount: Self.wholeCount)
        let looked = Array(zip(found, parts)).concurrentMap(inChunksOf: 64) { heads, parts in
            var heads = heads
            heads.look(in: RowGraph(parts))
            return heads
        }
        return try conflicts(looked, unread)
    }

    /// Reads the values of the heads of keys and of their common ancestors.
    func conflicts(_ found: [Heads], _ unread: [DeviceID: String]) throws -> [Conflict] {
        var unread = unread
        let (rows, failed) = try fetch(
            found.flatMap { heads in heads.named.map { (heads.key, $0) } },
            besides: found.flatMap(\.read))
        unread.merge(failed) { $1 }
        var rest = rows[...]
        return found.compactMap { heads in
            let own = rest.prefix(heads.sides.count)
            rest = rest.dropFirst(heads.sides.count)
            let base = heads.base == nil ? nil : rest.popFirst() ?? nil
            guard let head = heads.rows.first,
                let winner = (own.first ?? nil) ?? winnerInMemory(heads.key, head)
            else { return nil }
            var missing: [DeviceID: String] = [:]
            for (side, row) in zip(heads.sides, own) where row == nil {
                missing[side.device] = unread[side.device] ?? whyMissing(side.device)
            }
            return Conflict(
                key: heads.key, winner: winner, others: own.dropFirst().compactMap { $0 },
                base: base, isPossible: heads.isPossible, unread: missing,
                devices: heads.sides.map(\.device), heads: heads.rows)
        }
    }

    /// Returns the reason that a row in memory is missing in its device's log.
    private func whyMissing(_ device: DeviceID) -> String {
        if let package {
            if !package.exists { return "the store was deleted" }
            if (try? package.device(device).has(.logs)) != true { return "its log was deleted" }
        }
        return "the row is no longer in its log"
    }

    /// Returns the winner for `key` with the information in memory, if it is the given row.
    private func winnerInMemory(_ key: String, _ reference: LogRow.Reference) -> LogRow? {
        entry(forKey: key)?.row.flatMap { $0.reference == reference ? $0 : nil }
    }

    /// Returns, for each key, the rows up to an instant with their causal parents: one part per
    /// log, and one part for unsaved rows.
    func graphParts(
        of keys: [String], through instant: Timestamp?, forHeads: Bool = false,
        wholeCount: Int = 0
    ) throws -> (parts: [[RowGraph.Part]], unread: [DeviceID: String]) {
        var parts = Array(repeating: [RowGraph.Part](), count: keys.count)
        let places = memory.withLock { $0.knownWriters(of: keys) }
        // Pending rows are copied before the logs are read, so that a row saved in the meantime is
        // found twice rather than not at all.
        let waiting = pendingRows(of: keys)
        let unread = try forEachLog(Set(places.keys)) { reader in
            let places = places[reader.device] ?? []
            return (
                places,
                try reader.graphRows(
                    places.map { keys[$0] }, through: instant, forHeads: forHeads,
                    wholeCount: wholeCount)
            )
        } merge: { places, found in
            for (place, part) in zip(places, found) where !part.rows.isEmpty {
                parts[place].append(part)
            }
        }
        for (place, key) in keys.enumerated() where !waiting.isEmpty {
            let written = Set(parts[place].flatMap { $0.rows.map(\.reference) })
            let rows = (waiting[Name(key)] ?? []).filter { row in
                row.timestamp <= instant ?? .latest && !written.contains(row.reference)
            }
            memory.withLock { $0.add(rows, to: &parts[place]) }
        }
        return (parts, unread)
    }

    private func pendingRows(of keys: [String]) -> [Name: [LogRow]] {
        guard hasUnsavedChanges else { return [:] }
        let names = Set(keys.map { Name($0) })
        return memory.withLock { $0.pendingRows(of: names) }
    }

    /// The heads of a key: the rows that no row superseded.
    struct Heads {
        let key: String
        /// The heads, the winner first.
        let rows: [LogRow.Reference]
        /// The rows that provide the value of each head: the head itself, or the row that it
        /// restores by reverting others.
        private(set) var sides: [LogRow.Reference]
        private(set) var isPossible: Bool
        /// The newest row that all sides build on.
        private(set) var base: LogRow.Reference?
        /// The rows of ``named`` that were read with the graph.
        private(set) var read: [LogRow?] = []

        init(key: String, rows: [LogRow.Reference], isPossible: Bool) {
            self.key = key
            self.rows = rows
            self.isPossible = isPossible
            sides = rows
        }

        /// Finds the rows that provide the values of the heads, and their common ancestor.
        mutating func look(in graph: RowGraph) {
            base = graph.newestCommonAncestor(of: rows)
            sides = rows.map(graph.restated)
            if let side = sides.first, side != rows.first {
                isPossible = graph.isParstore(side.device)
            }
            read = named.map { graph.whole[$0] }
        }

        /// The rows of the conflict: its sides and their common ancestor, if any.
        var named: [LogRow.Reference] { sides + (base.map { [$0] } ?? []) }
    }

    private func heads(ofKeysInConflict keys: [String]) -> [Heads] {
        memory.withLock { memory in
            let parstore = memory.parstoreDevices
            return keys.compactMap { key in
                guard let entry = memory.index(ofKey: key), memory.cache.conflicts.contains(entry)
                else { return nil }
                let rows = memory.references(memory.cache.heads(entry))
                return Heads(
                    key: key, rows: rows,
                    isPossible: rows.first.map { parstore.contains($0.device) } ?? false)
            }
        }
    }

    /// Reads rows by key, device, and timestamp, including unsaved rows.
    ///
    /// - Parameter read: The rows of `wanted` that are already available.
    /// - Returns: The rows found, in the order of `wanted`, and the devices whose logs could not be
    ///   read.
    func fetch(
        _ wanted: [(key: String, row: LogRow.Reference)], besides read: [LogRow?]? = nil,
        longest: Int? = nil
    ) throws -> (rows: [LogRow?], unread: [DeviceID: String]) {
        var rows = read ?? [LogRow?](repeating: nil, count: wanted.count)
        let missing = rows.indices.filter { rows[$0] == nil }
        let places = Dictionary(grouping: missing) { wanted[$0].row.device }
        let waiting = pendingRows(of: wanted.map(\.key))
        let unread = try forEachLog(Set(places.keys), longest: longest) { reader in
            let places = places[reader.device] ?? []
            let names = places.lazy.map { (wanted[$0].key, wanted[$0].row.timestamp) }
            return (places, try reader.rows(named: names))
        } merge: { places, found in
            for (place, row) in zip(places, found) { rows[place] = row }
        }
        for (place, wanted) in wanted.enumerated() where !waiting.isEmpty && rows[place] == nil {
            rows[place] = waiting[Name(wanted.key)]?.first { $0.reference == wanted.row }
        }
        return (rows, unread)
    }
}

extension Memory {
    /// The devices whose logs have PARStore 1's format.
    var parstoreDevices: Set<DeviceID> {
        Set(devices.lazy.filter { $0.format == .parstore1 }.map(\.device))
    }

    /// Returns the keys that each device wrote, as indices into `keys`.
    func knownWriters(of keys: [String]) -> [DeviceID: [Int]] {
        var places = Array(repeating: [Int](), count: cache.devices.count)
        for (place, key) in keys.enumerated() {
            guard let entry = index(ofKey: key) else { continue }
            for row in cache.rowIndices(entry) {
                places[Int(cache.rows[Int(row)].device)].append(place)
            }
        }
        var result: [DeviceID: [Int]] = [:]
        for (device, places) in zip(cache.devices, places) where !places.isEmpty {
            result[device] = places
        }
        return result
    }

    func references(_ rows: [LogsCache.Row]) -> [LogRow.Reference] {
        rows.map { cache.reference(to: $0.stamp) }
    }

    /// Returns the devices with heads of an entry in conflict, the winner's first.
    func sides(of entry: UInt32) -> [DeviceID] {
        cache.heads(entry).map { original(of: $0, on: entry).device }
    }

    /// Returns the row that provides the value of an entry's head. This is another row if the head
    /// restores that row's value.
    func original(of head: LogsCache.Row, on entry: UInt32) -> LogRow.Reference {
        let fork = cache.forks[entry]?.first {
            $0.device == head.device && $0.timestamp == head.timestamp
        }
        return cache.reference(to: fork?.side ?? head.stamp)
    }
}
