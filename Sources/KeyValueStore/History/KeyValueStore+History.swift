import Foundation
public import Replication

extension KeyValueStore {
    /// A log from which history can be read.
    struct ReadableLog {
        let device: DeviceID
        let path: String
        let lastID: Int64?
        let leavesOutRows: Bool
        /// The maximum length of values to load. Longer ones stay in the log.
        let longest: Int
    }

    /// Returns rows of all logs, in the order of their timestamps.
    ///
    /// Unsaved rows are saved first. Reading happens on the caller's thread, not on the store's
    /// queue. With a filter for a key, a device's rows are included only if the store has loaded
    /// one of the device's rows of the key, or hasn't read the device's log completely.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows.
    ///   - byteLimit: The approximate maximum size of the values. The page has at least one row; if
    ///     it reaches the limit, more rows may follow.
    /// - Throws: ``KeyValueError``, `.notLoaded`. Logs that can't be read are listed in the page.
    /// - Complexity: O(*limit*) per log, regardless of its length, unless a prefix that matches few
    ///   rows requires scanning many. For a single key, searches only the logs of the devices that
    ///   wrote it, and the logs that aren't fully read.
    public func rows(
        _ filter: RowFilter = RowFilter(), _ start: PageStart = .oldest, limit: Int,
        byteLimit: Int = .max
    ) throws -> RowPage {
        var page = RowPage(rows: [], hasMore: false, unread: [:])
        guard limit > 0 else { return page }
        let isBackward = start.isBackward
        let isSelective = isSelective(filter)
        // If a log reached its limit, its later rows are unknown.
        var horizon: RowPosition?
        saveBeforeReading()
        page.unread = try forEachLog(
            devices(filter), longest: filter.longestValue
        ) { reader in
            let bounds = filter.bounds(from: start)
            var condition = reader.condition(bounds)
            reader.add(start, to: &condition)
            // If few keys match, sorting their rows is faster than walking along the index of
            // times.
            let time = isSelective ? "+\(reader.form.timestamp)" : reader.form.timestamp
            if !isSelective, filter.key == nil {
                reader.addMissingBounds(bounds, start, to: &condition)
            }
            let direction = isBackward ? "DESC" : "ASC"
            var rows: [LogRow] = []
            var bytesLeft = byteLimit
            try reader.forEach(
                condition,
                "ORDER BY \(time) \(direction), \(reader.form.id) \(direction) LIMIT \(limit + 1)"
            ) {
                rows.append($0)
                bytesLeft -= min(bytesLeft, $0.bytes?.count ?? 0)
                return bytesLeft > 0
            }
            return (rows, isCut: bytesLeft <= 0)
        } merge: { rows, isCut in
            page.rows += rows
            guard isCut, let last = rows.last?.position else { return }
            horizon = horizon.map { isBackward ? max($0, last) : min($0, last) } ?? last
        }
        if let horizon {
            page.rows.removeAll { isBackward ? $0.position < horizon : $0.position > horizon }
        }
        page.rows.sort { isBackward ? $0.position > $1.position : $0.position < $1.position }
        page.hasMore = page.rows.count > limit || horizon != nil
        page.rows = Array(page.rows.prefix(limit))
        if isBackward { page.rows.reverse() }
        return page
    }

    /// Returns the rows later than `timestamp`, oldest first, or all rows if it is `nil`.
    ///
    /// - Parameters:
    ///   - device: The device whose rows are searched; `nil` for all devices.
    ///   - prefix: Only rows of keys with this prefix (case-sensitive).
    /// - Throws: ``KeyValueError``, `.notLoaded`; `ReplicationError`, `.unreadable`, if a log can't
    ///   be read.
    /// - Complexity: O(*n* log *n*) in the number of rows returned.
    public func rows(
        since timestamp: Timestamp?, device: DeviceID? = nil, prefix: String = ""
    ) throws -> [LogRow] {
        guard timestamp != .distantFuture else { return [] }
        return try allRows(
            RowFilter(
                devices: device.map { [$0] }, prefix: prefix, from: timestamp?.successor))
    }

    /// Returns the rows between two instants, inclusive, oldest first.
    ///
    /// - Throws: As ``rows(since:device:prefix:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows returned.
    public func rows(
        from: Timestamp, through: Timestamp, device: DeviceID? = nil
    ) throws -> [LogRow] {
        try allRows(RowFilter(devices: device.map { [$0] }, from: from, through: through))
    }

    /// Returns all rows of a key, oldest first.
    ///
    /// - Throws: As ``rows(since:device:prefix:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows of the key.
    public func rows(forKey key: String, device: DeviceID? = nil) throws -> [LogRow] {
        try allRows(RowFilter(devices: device.map { [$0] }, key: key))
    }

    /// Returns the newest row of each key that starts with `prefix`, including deletions, in byte
    /// order of keys.
    ///
    /// - Parameter device: The device whose rows are searched; `nil` for all devices.
    /// - Throws: As ``rows(since:device:prefix:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows of these keys, including superseded ones.
    public func newestRows(prefix: String, device: DeviceID? = nil) throws -> [LogRow] {
        var newest: [Name: LogRow] = [:]
        let filter = RowFilter(devices: device.map { [$0] }, prefix: prefix)
        for row in try allRows(filter) { newest[row.key] = row }
        return newest.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Returns, for each of `rows`, the previous row of its key. Keys without an older row are left
    /// out.
    ///
    /// - Parameter device: The device whose rows are searched; `nil` for all devices.
    /// - Throws: As ``readablePredecessors(of:device:)``; `ReplicationError`, `.unreadable`, if a
    ///   log can't be read.
    public func predecessors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> [Name: LogRow] {
        let (found, unread) = try readablePredecessors(of: rows, device: device)
        try failIfUnread(unread)
        return found
    }

    /// Returns, for each of `rows`, the previous row of its key in the logs that can be read.
    ///
    /// - Returns: The rows, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: For each row, a search in each log that may contain the row's key.
    public func readablePredecessors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> (rows: [Name: LogRow], unread: [DeviceID: String]) {
        try neighbors(of: rows, device) { reader, row in
            guard row.timestamp > .earliest else { return nil }
            return try reader.newestRow(
                row.key, through: Timestamp(microseconds: row.timestamp.microseconds - 1))
        }
    }

    /// Returns, for each of `rows`, the newest row of its key. Leaves out keys whose newest row is
    /// in `rows`.
    ///
    /// - Parameter device: The device whose rows are searched; `nil` for all devices.
    /// - Throws: As ``predecessors(of:device:)``.
    /// - Complexity: As ``readablePredecessors(of:device:)``.
    public func successors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> [Name: LogRow] {
        let (found, unread) = try neighbors(of: rows, device) { reader, row in
            let newest = try reader.newestRow(row.key, through: .distantFuture)
            return newest.flatMap { $0.timestamp > row.timestamp ? $0 : nil }
        }
        try failIfUnread(unread)
        return found
    }

    private func neighbors(
        of rows: [LogRow], _ device: DeviceID?,
        _ find: @Sendable (LogReader, LogRow) throws -> LogRow?
    ) throws -> (rows: [Name: LogRow], unread: [DeviceID: String]) {
        var found: [Name: LogRow] = [:]
        saveBeforeReading()
        let writers = writers(of: rows.map(\.key), among: device.map { [$0] })
        let unread = try forEachLog(Set(writers.keys)) { reader in
            try (writers[reader.device] ?? []).map { rows[$0] }.compactMap { try find(reader, $0) }
        } merge: {
            for row in $0 where found[row.key].map({ $0.position < row.position }) ?? true {
                found[row.key] = row
            }
        }
        return (found, unread)
    }

    /// Returns the number of rows that match a filter. This is immediate for a filter without a
    /// key, prefix, or time. While a list of past entries is retained, counts up to an instant need
    /// no access to the logs.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`; `ReplicationError`, `.unreadable`, if a required
    ///   log can't be read.
    /// - Complexity: O(*n*) in the number of rows counted, unless the filter only selects devices.
    public func rowCount(_ filter: RowFilter) throws -> Int {
        if filter.key == nil, filter.prefix == nil, filter.from == nil {
            if let through = filter.through {
                if let count = heldCount(through: through, filter.devices) { return count }
            } else {
                return devices.reduce(0) { sum, status in
                    filter.devices.map { $0.contains(status.device) } ?? true
                        ? sum + status.rows : sum
                }
            }
        }
        saveBeforeReading()
        var count = 0
        try failIfUnread(
            forEachLog(devices(filter)) {
                try $0.count($0.condition(filter))
            } merge: {
                count += $0
            })
        return count
    }

    /// Returns all rows of a device, with their values regardless of length.
    func wholeRows(of device: DeviceID) throws -> [LogRow] {
        try allRows(RowFilter(devices: [device]), longest: .max)
    }

    private func allRows(_ filter: RowFilter, longest: Int? = nil) throws -> [LogRow] {
        saveBeforeReading()
        var rows: [LogRow] = []
        try failIfUnread(
            forEachLog(devices(filter), longest: longest) {
                try $0.rows($0.condition(filter))
            } merge: {
                rows += $0
            })
        return rows.sorted { $0.position < $1.position }
    }

    /// Returns whether a prefix matches so few keys that searching by key is faster than by time.
    private func isSelective(_ filter: RowFilter) -> Bool {
        if filter.key != nil { return false }
        guard let prefix = filter.prefix, !prefix.isEmpty else { return false }
        let all = memory.withLock { $0.cache.entries.count }
        return entryList(prefix: prefix, includesRemoved: true).count < max(64, all / 50)
    }

    /// Returns the devices whose logs may contain rows that match a filter; `nil` for any.
    private func devices(_ filter: RowFilter) -> Set<DeviceID>? {
        guard let key = filter.key else { return filter.devices }
        return Set(writers(of: [key], among: filter.devices).keys)
    }

    /// Returns the devices whose logs may contain rows of the given keys, each with the indices of
    /// those keys. For a log that isn't fully read, returns the indices of all keys.
    func writers(of keys: [String], among devices: Set<DeviceID>? = nil) -> [DeviceID: [Int]] {
        memory.withLock { memory in
            var writers = memory.knownWriters(of: keys)
            for status in memory.devices where status.state != .ok {
                writers[status.device] = Array(keys.indices)
            }
            return devices.map { devices in writers.filter { devices.contains($0.key) } }
                ?? writers
        }
    }

    /// Returns the logs that were read, in byte order of devices.
    func readableLogs(_ devices: Set<DeviceID>?, longest: Int) -> [ReadableLog] {
        guard let package else { return [] }
        return memory.withLock { $0.devices }.compactMap { status in
            guard status.format != nil || status.isOwn,
                devices.map({ $0.contains(status.device) }) ?? true,
                let folder = try? package.device(status.device), folder.has(.logs)
            else { return nil }
            return ReadableLog(
                device: status.device, path: folder.path(of: .logs), lastID: status.lastID,
                leavesOutRows: status.leavesOutRows, longest: longest)
        }
    }

    /// Saves unsaved rows, because PARStore's history includes them. Errors are ignored.
    func saveBeforeReading() {
        // An event reports a failure, which must not prevent reading the history. After a recent
        // failure, don't try again.
        if hasUnsavedChanges, saveProblem == nil { try? save() }
    }

    /// Reads each log in its current state, without writing.
    ///
    /// - Parameters:
    ///   - longest: The maximum length of values to load; `nil` for the configured maximum.
    ///   - read: Called concurrently for several logs.
    ///   - merge: Called for one log after the other, in the order of devices.
    /// - Returns: The logs that could not be read, with the reasons.
    func forEachLog<Result: Sendable>(
        _ devices: Set<DeviceID>?, longest: Int? = nil,
        _ read: @Sendable (LogReader) throws -> Result, merge: (Result) -> Void
    ) throws -> [DeviceID: String] {
        guard isLoaded else { throw KeyValueError(.notLoaded, "the store is not loaded") }
        var unread: [DeviceID: String] = [:]
        var rest = readableLogs(devices, longest: longest ?? configuration.longestValue)[...]
        while !rest.isEmpty {
            // The batch size limits the memory of results that are not merged yet.
            let logs = Array(rest.prefix(64))
            rest = rest.dropFirst(logs.count)
            let found = logs.concurrentMap(inChunksOf: 1) { log in
                Swift.Result { try LogReader.read(log, read) }
            }
            for (log, found) in zip(logs, found) {
                switch found {
                case .success(let result): merge(result)
                case .failure(let error): unread[log.device] = "\(error)"
                }
            }
        }
        note(unread)
        return unread
    }

    /// Shows in `devices` that the history of these logs can't be read, until they change.
    func note(_ unread: [DeviceID: String]) {
        guard let files, !unread.isEmpty else { return }
        files.queue.async { [weak self] in
            for (device, problem) in unread where files.follower.problem(of: device) == nil {
                files.pastProblems[device] = "its history can't be read: \(problem)"
                self?.refreshStatus(of: device)
            }
        }
    }

    func failIfUnread(_ unread: [DeviceID: String]) throws {
        guard let (device, problem) = unread.min(by: { $0.key < $1.key }) else { return }
        throw ReplicationError(.unreadable, "the log of \(device) can't be read: \(problem)")
    }
}

extension LogReader {
    /// Adds the missing bounds on time, so that an index finds the first valid row. A filter must
    /// have only one bound per side: if there are two, SQLite uses one bound for the index and
    /// scans every row between them.
    fileprivate func addMissingBounds(
        _ bounds: KeyValueStore.RowFilter, _ start: KeyValueStore.PageStart,
        to condition: inout Condition
    ) {
        let hasPosition = start.position != nil
        if bounds.from == nil, !hasPosition || start.isBackward {
            condition.add(
                "\(form.timestamp) >= ?", .integer(Timestamp.earliest.microseconds))
        }
        if bounds.through == nil, !hasPosition || !start.isBackward {
            condition.add("\(form.timestamp) <= ?", .integer(Timestamp.latest.microseconds))
        }
    }

    /// Restricts a condition to the rows on one side of a position.
    func add(_ start: KeyValueStore.PageStart, to condition: inout Condition) {
        guard let position = start.position else { return }
        let id = device == position.device ? position.id : device > position.device ? .min : .max
        condition.add(
            "(\(form.timestamp), \(form.id)) \(start.isBackward ? "<" : ">") (?, ?)",
            .integer(position.timestamp.microseconds), .integer(id))
    }
}

extension KeyValueStore.PageStart {
    /// Whether the last rows of the selection are returned.
    fileprivate var isBackward: Bool {
        switch self {
        case .oldest, .after: false
        case .newest, .before: true
        }
    }

    fileprivate var position: KeyValueStore.RowPosition? {
        switch self {
        case .oldest, .newest: nil
        case .after(let position), .before(let position): position
        }
    }
}

extension KeyValueStore.RowFilter {
    /// Returns the filter for a page. Drops a bound if the start of the page implies it, and clamps
    /// the others to the valid times of rows.
    fileprivate func bounds(from start: KeyValueStore.PageStart) -> Self {
        var bounds = self
        bounds.from = from.map { max($0, .earliest) }
        bounds.through = through.map { min($0, .latest) }
        switch start {
        case .oldest, .newest: break
        case .after(let position):
            if let from, from <= position.timestamp { bounds.from = nil }
        case .before(let position):
            if let through, through >= position.timestamp { bounds.through = nil }
        }
        return bounds
    }
}
