import Foundation
import GRDB
public import Replication
import Synchronization

extension KeyValueStore {
    /// A log that history can be read from.
    struct ReadableLog {
        let device: DeviceID
        let path: String
        let lastID: Int64?
        let leavesOutRows: Bool
        /// Values of more bytes stay in it.
        let longest: Int
    }

    /// Some rows of all logs, in the order of their timestamps.
    ///
    /// Rows that are not on disk yet are written first. Reading happens on the caller's thread, not
    /// on the store's queue. Of a key, the rows of a device are there from when the first of them was
    /// taken in.
    ///
    /// - Parameters:
    ///   - limit: At most this many rows.
    ///   - byteLimit: About as many bytes of values, and one row at least; there are more rows then,
    ///     or may be.
    /// - Throws: ``KeyValueError``, `.notLoaded`. A log that cannot be read is told in the page.
    /// - Complexity: O(*limit*) in each log, whatever its length, unless a prefix that fits few
    ///   rows makes it look at many; of a key's rows, in the logs of those devices that wrote it and of
    ///   those that are not read whole.
    public func rows(
        _ filter: RowFilter = RowFilter(), _ start: PageStart = .oldest, limit: Int,
        byteLimit: Int = .max
    ) throws -> RowPage {
        var page = RowPage(rows: [], hasMore: false, unread: [:])
        guard limit > 0 else { return page }
        let isBackward: Bool
        switch start {
        case .oldest, .after: isBackward = false
        case .newest, .before: isBackward = true
        }
        let isSelective = isSelective(filter)
        // Of a log that was not read to its limit, later rows are not known.
        var horizon: RowPosition?
        saveBeforeReading()
        page.unread = try forEachLog(
            devices(filter), longest: filter.longestValue
        ) { reader in
            let bounds = filter.bounds(from: start)
            var condition = reader.condition(bounds)
            reader.add(start, to: &condition)
            // Where few keys fit, their rows are sorted; where many do, time is walked along.
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

    /// The rows later than `timestamp`, oldest first; all rows without one.
    ///
    /// - Parameters:
    ///   - device: Only this device's rows.
    ///   - prefix: Only rows of keys that begin with this; case counts.
    /// - Throws: As ``rows(since:device:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows that are returned.
    public func rows(
        since timestamp: Timestamp?, device: DeviceID? = nil, prefix: String = ""
    ) throws -> [LogRow] {
        guard timestamp != .distantFuture else { return [] }
        return try allRows(
            RowFilter(
                devices: device.map { [$0] }, prefix: prefix, from: timestamp?.successor))
    }

    /// The rows from one instant to another, both included, oldest first.
    ///
    /// - Throws: As ``rows(since:device:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows that are returned.
    public func rows(
        from: Timestamp, through: Timestamp, device: DeviceID? = nil
    ) throws -> [LogRow] {
        try allRows(RowFilter(devices: device.map { [$0] }, from: from, through: through))
    }

    /// All rows of a key, oldest first.
    ///
    /// - Throws: As ``rows(since:device:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows of the key.
    public func rows(forKey key: String, device: DeviceID? = nil) throws -> [LogRow] {
        try allRows(RowFilter(devices: device.map { [$0] }, key: key))
    }

    /// The newest row of each key that begins with `prefix`, deletions included, in byte order of
    /// keys.
    ///
    /// - Parameter device: Only this device's rows.
    /// - Throws: As ``rows(since:device:)``.
    /// - Complexity: O(*n* log *n*) in the number of rows of these keys, superseded ones included.
    public func newestRows(prefix: String, device: DeviceID? = nil) throws -> [LogRow] {
        var newest: [Name: LogRow] = [:]
        let filter = RowFilter(devices: device.map { [$0] }, prefix: prefix)
        for row in try allRows(filter) { newest[row.key] = row }
        return newest.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// For each of `rows` the newest row of its key, of any device, that is older than it; keys
    /// without one are left out.
    ///
    /// - Parameter device: Only this device's rows are looked at.
    public func predecessors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> [Name: LogRow] {
        let (found, unread) = try readablePredecessors(of: rows, device: device)
        try failIfUnread(unread)
        return found
    }

    /// As ``predecessors(of:)``, among the rows of logs that can be read.
    ///
    /// - Returns: The rows, and the devices whose logs could not be read, with the reasons.
    /// - Throws: ``KeyValueError``, `.notLoaded`.
    /// - Complexity: As ``predecessors(of:)``.
    public func readablePredecessors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> (rows: [Name: LogRow], unread: [DeviceID: String]) {
        try neighbours(of: rows, device) { reader, row in
            guard row.timestamp > .earliest else { return nil }
            return try reader.newestRow(
                row.key, through: Timestamp(microseconds: row.timestamp.microseconds - 1))
        }
    }

    /// For each of `rows` the newest row of its key, of any device, that is newer than it; keys
    /// without one are left out.
    ///
    /// - Parameter device: Only this device's rows are looked at.
    public func successors(
        of rows: [LogRow], device: DeviceID? = nil
    ) throws -> [Name: LogRow] {
        let (found, unread) = try neighbours(of: rows, device) { reader, row in
            let newest = try reader.newestRow(row.key, through: .distantFuture)
            return newest.flatMap { $0.timestamp > row.timestamp ? $0 : nil }
        }
        try failIfUnread(unread)
        return found
    }

    private func neighbours(
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

    /// How many rows fit a filter. At once where it names no key, prefix or time; from memory for
    /// those up to an instant while a list of the past is held.
    ///
    /// - Throws: ``KeyValueError``, `.notLoaded`; `ReplicationError`, `.unreadable`, if a log that
    ///   is asked cannot be read.
    /// - Complexity: O(*n*) in the number of rows counted, unless nothing but devices is asked for.
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

    /// All rows of a device, with their values whatever length these have.
    func wholeRows(of device: DeviceID) throws -> [LogRow] {
        try allRows(RowFilter(devices: [device]), longest: .max)
    }

    private func allRows(_ filter: RowFilter, longest: Int? = nil) throws -> [LogRow] {
        saveBeforeReading()
        var rows: [LogRow] = []
        try failIfUnread(
            forEachLog(devices(filter), longest: longest) { reader in
                var found: [LogRow] = []
                try reader.forEach(reader.condition(filter), "") {
                    found.append($0)
                    return true
                }
                return found
            } merge: {
                rows += $0
            })
        return rows.sorted { $0.position < $1.position }
    }

    /// Whether a prefix fits so few keys that their rows are found sooner than those of a time.
    private func isSelective(_ filter: RowFilter) -> Bool {
        if filter.key != nil { return false }
        guard let prefix = filter.prefix, !prefix.isEmpty else { return false }
        let all = memory.withLock { $0.cache.entries.count }
        return entryList(prefix: prefix, includesRemoved: true).count < max(64, all / 50)
    }

    /// The devices in whose logs there can be rows that fit a filter; `nil`: any.
    private func devices(_ filter: RowFilter) -> Set<DeviceID>? {
        guard let key = filter.key else { return filter.devices }
        return Set(writers(of: [key], among: filter.devices).keys)
    }

    /// The devices in whose logs there can be rows of some keys, with the places of the keys in the
    /// list: those that memory knows to have written them, and all keys for those of which not all is
    /// known.
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

    /// The logs that were read, in byte order of devices.
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

    /// Writes the rows that are not on disk yet: history is asked for with them in PARStore.
    private func saveBeforeReading() {
        // What cannot be written is told by an event, and what could not be a moment ago is not waited
        // for; the past is there all the same.
        if hasUnsavedChanges, saveProblem == nil { try? save() }
    }

    /// Reads each log as it is: nothing is written.
    ///
    /// - Parameters:
    ///   - longest: Values of more bytes stay in their logs; `nil`: as configured.
    ///   - read: Is called for several logs at a time.
    ///   - merge: Is called for one after the other, in the order of devices.
    /// - Returns: What could not be read, and why.
    func forEachLog<Result: Sendable>(
        _ devices: Set<DeviceID>?, longest: Int? = nil,
        _ read: @Sendable (LogReader) throws -> Result, merge: (Result) -> Void
    ) throws -> [DeviceID: String] {
        guard isLoaded else { throw KeyValueError(.notLoaded, "the store is not loaded") }
        var unread: [DeviceID: String] = [:]
        var rest = readableLogs(devices, longest: longest ?? configuration.longestValue)[...]
        while !rest.isEmpty {
            // So few that what they hold does not add up before it is merged.
            let logs = Array(rest.prefix(64))
            rest = rest.dropFirst(logs.count)
            let found = logs.concurrentMap(inChunksOf: 1) { log in
                Swift.Result { try LogReader.read(log, read) }
            }
            for (log, found) in zip(logs, found) {
                switch found {
                case .success(let result): if let result { merge(result) }
                case .failure(let error): unread[log.device] = "\(error)"
                }
            }
        }
        note(unread)
        return unread
    }

    /// Has `devices` name the logs of which rows of the past cannot be read, until they change.
    func note(_ unread: [DeviceID: String]) {
        guard let files, !unread.isEmpty else { return }
        files.queue.async { [weak self] in
            for (device, problem) in unread where files.follower.problem(of: device) == nil {
                files.pastProblems[device] = "its history cannot be read: \(problem)"
                self?.refreshStatus(of: device)
            }
        }
    }

    func failIfUnread(_ unread: [DeviceID: String]) throws {
        guard let (device, problem) = unread.min(by: { $0.key < $1.key }) else { return }
        throw ReplicationError(.unreadable, "the log of \(device) cannot be read: \(problem)")
    }
}

extension LogReader {
    /// Bounds the times on the sides on which nothing else does, so that an index finds where rows
    /// begin that can count. Of two bounds on one side SQLite takes one for its way along the index,
    /// and looks at every row between it and the other.
    fileprivate func addMissingBounds(
        _ bounds: KeyValueStore.RowFilter, _ start: KeyValueStore.PageStart,
        to condition: inout Condition
    ) {
        var (hasFirst, hasLast) = (bounds.from != nil, bounds.through != nil)
        switch start {
        case .oldest, .newest: break
        case .after: hasFirst = true
        case .before: hasLast = true
        }
        if !hasFirst {
            condition.add(
                "\(form.timestamp) >= ?", .integer(Timestamp.earliest.microseconds))
        }
        if !hasLast {
            condition.add("\(form.timestamp) <= ?", .integer(Timestamp.latest.microseconds))
        }
    }

    /// Restricts a condition to the rows on one side of a position.
    func add(_ start: KeyValueStore.PageStart, to condition: inout Condition) {
        let pair = "(\(form.timestamp), \(form.id))"
        switch start {
        case .oldest, .newest: break
        case .after(let position):
            let id =
                device == position.device ? position.id : device > position.device ? .min : .max
            condition.add(
                "\(pair) > (?, ?)", .integer(position.timestamp.microseconds), .integer(id))
        case .before(let position):
            let id =
                device == position.device ? position.id : device > position.device ? .min : .max
            condition.add(
                "\(pair) < (?, ?)", .integer(position.timestamp.microseconds), .integer(id))
        }
    }
}

extension KeyValueStore.RowFilter {
    /// The filter for rows of a page: without a bound that the page's start makes needless, and with
    /// none beyond the times that a row can have.
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
