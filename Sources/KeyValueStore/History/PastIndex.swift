import Dispatch
import Foundation
import GRDB
import Replication
import Synchronization

/// Of which key each row of the logs is, and when it was written: by it every state of the past is
/// found without a look at the logs. 12 bytes a row, and 16 bytes a key for the state that was asked
/// for last, from which the next one is made.
///
/// It lives as long as somebody holds a list that was made by it, and takes new rows in when it is
/// asked again.
final class PastIndex: Sendable {
    /// The load by whose numbers it knows the keys.
    let generation: Int

    private let logs = Mutex<[DeviceID: LogTimes]>([:])
    /// Logs that were found unreadable, until something else is known of them.
    private let unreadable = Mutex<[DeviceID: (sign: LogTimes.Sign, problem: String)]>([:])
    /// The rows that won at the instant that was asked for last.
    private let latest = Mutex<PastWinners?>(nil)
    /// One thread reads, others wait for what it finds.
    private let reading = Mutex<Void>(())

    init(generation: Int) { self.generation = generation }

    /// The rows of all logs as far as they are known now, in byte order of devices, and the logs
    /// that cannot be read, with the reasons.
    ///
    /// - Complexity: O(*n*) in the rows that are new since the last call; of a log that was replaced,
    ///   or has PARStore 1's form and changed, in all its rows.
    func times(of store: KeyValueStore) -> (logs: [LogTimes], unread: [DeviceID: String]) {
        reading.withLock { _ in
            let found = Mutex<[DeviceID: LogTimes]>([:])
            let failed = Mutex<[DeviceID: String]>([:])
            let signs = Dictionary(
                store.devices.map { ($0.device, LogTimes.Sign($0)) }, uniquingKeysWith: { $1 })
            let wanted = store.readableLogs(nil, longest: store.configuration.longestValue)
            let known = logs.withLock { $0 }
            let left = unreadable.withLock { $0 }
            DispatchQueue.concurrentPerform(iterations: wanted.count) { number in
                let log = wanted[number]
                guard let sign = signs[log.device] else { return }
                if let left = left[log.device], left.sign == sign {
                    failed.withLock { $0[log.device] = left.problem }
                    return
                }
                let old = known[log.device]
                if let old, old.sign == sign {
                    found.withLock { $0[log.device] = old }
                    return
                }
                do {
                    let read = try LogReader.read(log) { reader in
                        try LogTimes(extending: old, to: sign, reader, store.memory)
                    }
                    if let read { found.withLock { $0[log.device] = read } }
                } catch {
                    failed.withLock { $0[log.device] = "\(error)" }
                }
            }
            let times = found.withLock { $0 }
            logs.withLock { $0 = times }
            return (times.values.sorted { $0.device < $1.device }, failed.withLock { $0 })
        }
    }

    /// The newest row of each key up to an instant.
    ///
    /// - Parameter count: How many keys there are.
    /// - Complexity: O(*n*) in the number of rows; forward from the instant that was asked for last
    ///   in the rows between them and those that came since, backward with a look at the number of
    ///   each row's key.
    func winners(through instant: Int64, of logs: [LogTimes], count: Int) -> [PastWinners.Winner] {
        latest.withLock { latest in
            if latest?.takeIn(logs, count: count) != true {
                latest = PastWinners(logs, count: count)
            }
            latest?.move(to: instant, in: logs)
            return latest?.winners ?? []
        }
    }

    /// Leaves a log out until something else is known of it: rows of it could not be read.
    func leaveOut(_ unread: [DeviceID: String]) {
        logs.withLock { logs in
            unreadable.withLock { unreadable in
                for (device, problem) in unread {
                    guard let log = logs.removeValue(forKey: device) else { continue }
                    unreadable[device] = (log.sign, problem)
                }
            }
        }
    }
}

/// The rows of one log in its order: of which key, and when.
struct LogTimes: Sendable {
    /// What tells that a log has not changed, without a look at it.
    struct Sign: Hashable {
        let format: LogFormat?
        let lastID: Int64?
        let rows: Int
        let last: Timestamp?

        init(_ status: DeviceStatus) {
            format = status.format
            lastID = status.lastID
            rows = status.rows
            last = status.last
        }
    }

    let device: DeviceID
    private(set) var sign: Sign
    private var identity: UUID?
    /// What it was read as from the log's beginning; the same where rows came since.
    private(set) var origin = UUID()
    private(set) var timestamps: [Int64] = []
    /// Numbers of keys, with ``removal`` where the row removes its key.
    private(set) var entries: [UInt32] = []
    private var firstID: Int64 = 0
    /// Where they are not consecutive.
    private var ids: [Int64]?
    /// Whether no row is older than the one before it.
    private var isInOrder = true

    static let removal: UInt32 = 1 << 31

    func id(at position: Int) -> Int64 { ids?[position] ?? firstID + Int64(position) }

    /// How many rows have a timestamp up to `instant`.
    ///
    /// - Complexity: O(log *n*) in the rows where their times are in order, else O(*n*).
    func count(through instant: Timestamp) -> Int {
        isInOrder
            ? end(of: instant.microseconds)
            : timestamps.reduce(0) { $1 <= instant.microseconds ? $0 + 1 : $0 }
    }

    /// Where the rows are that can lie after one instant and up to another: all of them where their
    /// times are not in order.
    func positions(after: Int64, through: Int64) -> Range<Int> {
        guard isInOrder else { return timestamps.indices }
        let start = end(of: after)
        return start..<max(start, end(of: through))
    }

    /// The first position with a later timestamp, where they are in order.
    private func end(of instant: Int64) -> Int {
        var (low, high) = (0, timestamps.count)
        while low < high {
            let middle = (low + high) / 2
            if timestamps[middle] <= instant { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// - Parameter old: What was read before, which is continued where the log still is the same.
    init(
        extending old: LogTimes?, to sign: Sign, _ reader: LogReader, _ memory: MemoryLock
    ) throws {
        let identity =
            reader.form.format == .tideline2
            ? try LogIdentity.fetch(from: reader.database)?.identity : nil
        if let old, try old.isContinued(by: reader, identity) {
            self = old
            self.sign = sign
        } else {
            device = reader.device
            self.sign = sign
            self.identity = identity
        }
        try read(reader, memory)
    }

    /// Whether the log still begins with the rows that were read.
    private func isContinued(by reader: LogReader, _ identity: UUID?) throws -> Bool {
        guard let identity, identity == self.identity, let last = timestamps.last else {
            return false
        }
        return try reader.timestamp(ofRow: id(at: timestamps.count - 1)) == last
    }

    private mutating func read(_ reader: LogReader, _ memory: MemoryLock) throws {
        let last = timestamps.isEmpty ? nil : id(at: timestamps.count - 1)
        // The keys of some rows at a time are looked up under one lock.
        let batchSize = 4_096
        var keys: [UInt8] = []
        var batch: [(id: Int64, timestamp: Int64, end: Int, isRemoval: Bool)] = []
        func take(_ times: inout LogTimes) {
            let numbers = memory.withLock { memory in
                var start = 0
                return keys.withUnsafeBufferPointer { keys in
                    batch.map { row -> UInt32? in
                        defer { start = row.end }
                        return memory.cache.index(
                            ofKey: UnsafeBufferPointer(rebasing: keys[start..<row.end]))
                    }
                }
            }
            for (row, number) in zip(batch, numbers) {
                guard let number, number < Self.removal else { continue }
                times.append(row.id, row.timestamp, row.isRemoval ? number | Self.removal : number)
            }
            batch.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
        }
        try reader.forEachKey(after: last) { id, timestamp, key, isRemoval in
            keys.append(contentsOf: key)
            batch.append((id, timestamp, keys.count, isRemoval))
            if batch.count == batchSize { take(&self) }
        }
        take(&self)
    }

    private mutating func append(_ id: Int64, _ timestamp: Int64, _ entry: UInt32) {
        if timestamps.isEmpty { firstID = id }
        if let last = timestamps.last, timestamp < last { isInOrder = false }
        if ids == nil, id != firstID &+ Int64(timestamps.count) {
            ids = timestamps.indices.map { firstID + Int64($0) }
        }
        ids?.append(id)
        timestamps.append(timestamp)
        entries.append(entry)
    }
}

extension LogReader {
    /// Calls `body` with number, timestamp and key of all rows behind one, in the order of the log,
    /// and whether they remove the key.
    fileprivate func forEachKey(
        after last: Int64?,
        _ body: (Int64, Int64, UnsafeBufferPointer<UInt8>, _ isRemoval: Bool) -> Void
    ) throws {
        // Type and length of a value are known without loading it.
        let value =
            form.format == .parstore1
            ? values.sql : "typeof(\(form.value)) <> 'blob' OR length(\(form.value)) = 0"
        let rows = try Stepper(
            database,
            """
            SELECT \(form.id), \(form.timestamp), \(form.key), \(value) FROM \(form.table)
            WHERE \(form.id) > ? AND \(form.id) <= ? ORDER BY \(form.id)
            """)
        rows.bind(1, last ?? .min)
        rows.bind(2, lastID ?? .max)
        while try rows.step() {
            guard let id = rows.integer(0), let timestamp = rows.timestamp(1),
                let key = rows.text(2)
            else { continue }
            if form.format == .tideline2 {
                body(id, timestamp, key, rows.integer(3) == 1)
            } else {
                let content = values.content(rows, 3)
                guard ParstoreLog.countsAsValue(content) else { continue }
                if case .removal = content {
                    body(id, timestamp, key, true)
                } else {
                    body(id, timestamp, key, false)
                }
            }
        }
    }

    fileprivate func timestamp(ofRow id: Int64) throws -> Int64? {
        let rows = try Stepper(
            database, "SELECT \(form.timestamp) FROM \(form.table) WHERE \(form.id) = ?")
        rows.bind(1, id)
        return try rows.step() ? rows.timestamp(0) : nil
    }
}
