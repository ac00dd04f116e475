import GRDB
import Replication

/// A loader that reads all logs of a package into a new cache.
///
/// First, each log provides its newest row per key. When the winners are known, their values are
/// read, and the values of losing heads are compared. The cost therefore grows with the number of
/// live keys. For logs in PARStore 1's format, it grows with the number of all rows.
struct StoreLoader: ~Copyable {
    struct Log: ~Copyable {
        let folder: DeviceFolder
        let number: DeviceNumber
        let path: String
        let head: KeyValueHead
        let stamp: FileStamp
        let content: LoadedLog
        /// The cache's entry for each key of the log.
        var entries = GrowingBuffer<UInt32>()
    }

    /// The results of earlier attempts to read the package.
    private struct Attempts {
        /// Whether to compare the table of newest rows with the rows when a log is opened. Set
        /// after an attempt that failed to read values.
        var checksRows = false
        /// The logs to leave out, with the reasons.
        var refused: [DeviceID: ReplicationError] = [:]
    }

    private struct Fetch {
        let id: Int64
        let entry: UInt32
        let isWinner: Bool
    }

    private struct Unresolved {
        let entry: UInt32
        let referrer: DeviceNumber
        let timestamp: Int64
        var isKnown = false
    }

    var cache = LogsCache()
    /// The result for each log, without devices that have none.
    private(set) var results:
        [DeviceID: Result<LogLoad<LoadedStore, KeyValueNotes>.Found, ReplicationError>] = [:]
    /// Entries for which a device's rows are not a chain or are in several logs.
    private(set) var forked: Set<UInt32> = []
    /// For each row of the cache, the row's number in its log.
    private var ids = GrowingBuffer<Int64>()
    /// Parents that PARStore 1 rows name and that are not the newest row of any device.
    private var unresolved: [Unresolved] = []

    /// The maximum length of values to load. Longer ones stay in their logs.
    private let longest: Int

    private init(longest: Int) { self.longest = longest }

    /// The number of failed attempts after which a changing log is skipped.
    private static let patience = 4

    /// Reads the logs of `folders`. If a log can't be read, its error is reported and none of its
    /// rows are used. The other logs are still read.
    ///
    /// - Parameters:
    ///   - numbering: Devices that keep their numbers, in order.
    ///   - longest: The maximum length of values to load.
    static func load(
        _ folders: [DeviceFolder], numbering: [DeviceID] = [], longest: Int
    ) -> StoreLoader {
        var attempts = Attempts()
        var attempt = 1
        while true {
            var loader = StoreLoader(longest: longest)
            for device in numbering { _ = loader.cache.number(of: device) }
            let failures = loader.read(folders, attempts)
            // Each further attempt leaves out more logs, and the number of attempts is limited.
            if failures.isEmpty { return loader }
            if attempts.checksRows {
                for (device, failure) in failures
                where !failure.isChange || attempt >= Self.patience {
                    attempts.refused[device] = failure.problem
                }
            }
            attempts.checksRows = true
            attempt += 1
        }
    }

    /// The error of reading a log's values.
    private struct Failure {
        let problem: ReplicationError
        /// Whether the file was replaced since its rows were read, so that another attempt may
        /// succeed.
        let isChange: Bool
    }

    /// Reads the logs once.
    ///
    /// - Returns: The logs whose values could not be read. If there are any, discard the cache,
    ///   because other rows win without these logs.
    private mutating func read(
        _ folders: [DeviceFolder], _ attempts: Attempts
    ) -> [DeviceID: Failure] {
        var logs = LogList()
        for folder in folders where folder.has(.logs) {
            do {
                if let refusal = attempts.refused[folder.id] { throw refusal }
                var log = try open(folder, checksRows: attempts.checksRows)
                place(&log)
                results[folder.id] = .success(.init(head: log.head, stamp: log.stamp))
                logs.append(log)
            } catch {
                results[folder.id] = .failure(ReplicationError(reading: error))
            }
        }
        logs.forEach { log in markSuperseded(log) }
        if !unresolved.isEmpty { resolveAmongLoaded(logs) }
        if cache.hasTimesAtEnd {
            for entry in 0..<UInt32(cache.entries.count) { cache.orderHeads(entry) }
        }
        let failures = fetch(logs)
        guard failures.isEmpty else { return failures }
        for entry in cache.contested.keys { cache.updateConflict(entry) }
        for rest in unresolved where !rest.isKnown {
            cache.markSuperseded(rest.entry, of: rest.referrer, parents: .parents([rest.timestamp]))
        }
        cache.trim()
        return [:]
    }

    private mutating func open(_ folder: DeviceFolder, checksRows: Bool) throws -> Log {
        guard let number = cache.number(of: folder.id) else {
            throw ReplicationError(.unreadable, "the package has too many devices")
        }
        try folder.checkIsNoCopy()
        let path = folder.path(of: .logs)
        var content = LoadedLog()
        let longest = longest
        let outcome = try ForeignDatabase.read(path) { database in
            try database.limitingLength(to: longest) {
                switch try LogForm.detect(database, path: path).format {
                case .tideline2:
                    return try TidelineLog.load(
                        database, into: &content, checksRows: checksRows, longest: longest)
                case .parstore1:
                    return try ParstoreLog.load(database, into: &content, longest: longest)
                }
            }
        }
        guard case .read(let head, let stamp) = outcome else {
            throw ReplicationError(.incomplete, "\(path) was not read")
        }
        try LogIdentity.check(head.notes.claimant, isOf: folder.id)
        return Log(
            folder: folder, number: number, path: path, head: head, stamp: stamp,
            content: content)
    }

    private mutating func place(_ log: inout Log) {
        for index in 0..<UInt32(log.content.keys.count) {
            let newest = log.content.newest[Int(index)]
            let entry = log.content.keys.withBytes(index) { cache.makeIndex(ofKey: $0) }
            log.entries.append(entry)
            // The device has no other row for this entry, so linking the row adds it to the cache.
            if cache.link(entry, device: log.number, timestamp: newest.timestamp) {
                ids.append(newest.id)
            }
        }
        let isTakenOver = log.folder.id.writer != log.folder.id
        let keys = isTakenOver ? Array(0..<UInt32(log.content.keys.count)) : log.content.forked
        for index in keys { forked.insert(log.entries[Int(index)]) }
    }

    /// Applies the causal parents of a log's rows, now that all rows are in place.
    private mutating func markSuperseded(_ log: borrowing Log) {
        let writers = cache.numbers(of: log.head.writers)
        for index in 0..<UInt32(log.content.keys.count) {
            let newest = log.content.newest[Int(index)]
            guard newest.causeCount > 0 else { continue }
            let entry = log.entries[Int(index)]
            for position in newest.firstCause..<newest.firstCause + newest.causeCount {
                let cause = log.content.causes[position]
                if log.head.format == .parstore1 {
                    markSuperseded(entry, log.number, namesParent: cause.timestamp)
                } else if let writer = writers[cause.writer], writer != log.number {
                    cache.markSuperseded(
                        entry, of: log.number,
                        parents: RowStamp(device: writer, timestamp: cause.timestamp))
                }
            }
        }
    }

    private mutating func markSuperseded(
        _ entry: UInt32, _ device: DeviceNumber, namesParent timestamp: Int64
    ) {
        if cache.hasRow(entry, at: timestamp, besides: device) {
            cache.markSuperseded(entry, of: device, parents: .parents([timestamp]))
        } else {
            unresolved.append(Unresolved(entry: entry, referrer: device, timestamp: timestamp))
        }
    }

    /// Resolves parents that are older rows of PARStore 1 logs. Such rows are always superseded.
    private mutating func resolveAmongLoaded(_ logs: borrowing LogList) {
        logs.forEach { log in
            guard log.head.format == .parstore1 else { return }
            var keys = GrowingBuffer<UInt32>()
            keys.append(repeating: LogsCache.none, cache.entries.count)
            for index in 0..<log.entries.count {
                keys[Int(log.entries[index])] = UInt32(index)
            }
            for index in unresolved.indices where !unresolved[index].isKnown {
                let parent = unresolved[index]
                let key = keys[Int(parent.entry)]
                guard key != LogsCache.none, parent.referrer != log.number else { continue }
                unresolved[index].isKnown = log.content.times.contains(
                    parent.timestamp, of: key)
            }
        }
    }

    // MARK: Values

    /// Reads the winners' values, and compares the values of the losing heads.
    ///
    /// - Returns: The logs that failed.
    private mutating func fetch(_ logs: borrowing LogList) -> [DeviceID: Failure] {
        var wanted = Array(repeating: [Fetch](), count: cache.devices.count)
        for entry in 0..<UInt32(cache.entries.count) {
            var row = cache.entries[Int(entry)].firstRow
            var isWinner = true
            while row != LogsCache.none {
                let known = cache.rows[Int(row)]
                if isWinner || !known.isSuperseded {
                    wanted[Int(known.device)].append(
                        Fetch(id: ids[Int(row)], entry: entry, isWinner: isWinner))
                }
                isWinner = false
                row = known.next
            }
        }
        ids = GrowingBuffer()
        var failures: [DeviceID: Failure] = [:]
        logs.forEach { log in
            var fetches = wanted[Int(log.number)]
            wanted[Int(log.number)] = []
            fetches.sort { $0.id < $1.id }
            let asks = log.head.format == .tideline2 && unresolved.contains { !$0.isKnown }
            guard !fetches.isEmpty || asks else { return }
            do {
                _ = try ForeignDatabase.read(log.path) { database in
                    try read(fetches, log, database)
                    if asks { try resolve(log, database) }
                }
            } catch {
                let stamp = try? FileStamp(ofFileAt: log.path)
                failures[log.folder.id] = Failure(
                    problem: ReplicationError(reading: error), isChange: stamp != log.stamp)
            }
        }
        return failures
    }

    private mutating func read(
        _ fetches: [Fetch], _ log: borrowing Log, _ database: Database
    ) throws {
        let form: LogForm = log.head.format == .tideline2 ? .tideline2 : .parstore1
        try ValueColumn.reading(form.value, in: database, upTo: longest) {
            try read(fetches, log, form, database, $0)
        }
    }

    private mutating func read(
        _ fetches: [Fetch], _ log: borrowing Log, _ form: LogForm, _ database: Database,
        _ values: ValueColumn
    ) throws {
        let rows = try Stepper(
            database,
            """
            SELECT \(form.timestamp), \(form.key), \(values.sql) FROM \(form.table)
            WHERE \(form.id) = ?
            """)
        for fetch in fetches {
            rows.bind(1, fetch.id)
            defer { rows.reset() }
            let row = cache.row(of: log.number, in: fetch.entry)
            guard try rows.step(), let row,
                rows.integer(0) == cache.rows[Int(row)].timestamp, let key = rows.text(1),
                cache.withKey(fetch.entry, { $0.elementsEqual(key) })
            else {
                throw ReplicationError(
                    .incomplete, "\(log.path) changes faster than it can be read")
            }
            let value = values.content(rows, 2)
            if !fetch.isWinner {
                cache.contested[fetch.entry, default: [:]][log.number] = LoadedValue(value)
                    .digest(ofRowAt: cache.rows[Int(row)].timestamp)
            } else if case .bytes(let bytes) = value {
                cache.setValue(fetch.entry, bytes)
            } else {
                cache.setValue(fetch.entry, LoadedValue(value))
            }
        }
    }

    /// Resolves parents that are older rows of a tideline-2 log, which are not all in memory.
    private mutating func resolve(_ log: borrowing Log, _ database: Database) throws {
        let rows = try Stepper(database, "SELECT 1 FROM log WHERE key = ? AND timestamp = ?")
        for index in unresolved.indices where !unresolved[index].isKnown {
            let parent = unresolved[index]
            let isFound = try cache.withKey(parent.entry) { key in
                rows.bind(1, text: key)
                rows.bind(2, parent.timestamp)
                defer { rows.reset() }
                return try rows.step()
            }
            if isFound { unresolved[index].isKnown = true }
        }
    }
}
