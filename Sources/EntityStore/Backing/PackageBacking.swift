import GRDB
import Replication
import Synchronization

/// The `Entities.db` files of a package: every device's is read, this device's is written.
final class PackageBacking: EntityBacking {
    let ownDevice: DeviceID?
    let package: StorePackage
    private let local: LocalDatabase?
    private let state = Mutex(State())
    private let watcher = Mutex<FolderWatcher?>(nil)

    fileprivate struct State {
        var logs: [DeviceID: Log] = [:]
        /// Names and row numbers of this device's log.
        var encoder = RowEncoder()
    }

    /// How far a device's log was read.
    fileprivate struct Log {
        var stamp: FileStamp?
        var cursor = LogCursor.start
        var nameCount = 0
        var status: EntityDeviceStatus
        /// Whether it has times that no row can have.
        var leavesOutTimes = false
        /// A row that is left out for the length of its value.
        var longRow: Int64?
    }

    /// - Parameter device: Who writes; `nil` for reading only.
    init(
        _ package: StorePackage, device: DeviceID?, options: LocalDatabase.Options = .init()
    ) {
        self.package = package
        ownDevice = device
        local = device.map { device in
            LocalDatabase(.entities, of: device, in: package, options: options) { db in
                try db.refuseTriggers()
                try EntityLogSchema.prepare(db, device: device)
            }
        }
    }

    var isThere: Bool { package.isThere }

    // MARK: Reading

    func read() throws -> BackingRead {
        try state.withLock { state in
            guard package.isThere else {
                return BackingRead(devices: state.statuses, isGone: true)
            }
            let folders = try package.devices()
            var read = BackingRead()
            let replaced = self.read(folders, &state, &read)
            if !replaced.isEmpty {
                // What the others' rows came to may rest on the log that was there before.
                var fresh = State()
                var anew = BackingRead(isAnew: true)
                _ = self.read(folders, &fresh, &anew)
                if let missing = state.missing(in: fresh, besides: replaced) {
                    // What is known of a log that cannot be read now would be lost.
                    state.keep(replaced, until: missing)
                } else {
                    (state, read) = (fresh, anew)
                }
            }
            read.devices = state.statuses
            return read
        }
    }

    /// - Returns: The devices whose logs were read before and are others now.
    private func read(
        _ folders: [DeviceFolder], _ state: inout State, _ read: inout BackingRead
    ) -> Set<DeviceID> {
        var replaced: Set<DeviceID> = []
        for (id, log) in state.logs where !folders.contains(where: { $0.id == id }) {
            state.logs[id]?.status = log.status.with(.absent, "its folder is gone")
            state.logs[id]?.stamp = nil
        }
        for folder in folders {
            let known = state.logs[folder.id]
            guard folder.has(.entities) else {
                if let known {
                    state.logs[folder.id]?.status = known.status.with(
                        .absent, "its file is gone")
                    state.logs[folder.id]?.stamp = nil
                }
                continue
            }
            var log = known ?? Log(status: EntityDeviceStatus(device: folder.id, state: .ok))
            if self.read(folder, &log, &state.encoder, &read) {
                state.logs[folder.id] = log
            } else {
                replaced.insert(folder.id)
            }
        }
        return replaced
    }

    /// - Returns: `false` for another log than the one that was read before; nothing of it is taken
    ///   in then.
    private func read(
        _ folder: DeviceFolder, _ log: inout Log, _ encoder: inout RowEncoder,
        _ read: inout BackingRead
    ) -> Bool {
        let cursor = log.cursor
        let nameCount = log.nameCount
        do {
            try folder.checkIsNoCopy()
            let path = folder.path(of: .entities)
            let outcome = try ForeignDatabase.read(path, unless: log.stamp) { db in
                try EntityLogReader.read(
                    db, device: folder.id, from: cursor, nameCount: nameCount)
            }
            guard case .read(let rows, let stamp) = outcome else { return true }
            if rows.isAnew, cursor != .start { return false }
            log.stamp = stamp
            log.status.byteCount = stamp.byteCount
            take(rows, &log, &encoder)
            if !rows.batch.isEmpty { read.batches.append(rows.batch) }
            log.status.report(rows.problem, in: folder)
            if log.leavesOutTimes, log.status.problem == nil {
                log.status.problem = Timestamp.unrecordableProblem
            }
            if let row = log.longRow, log.status.problem == nil {
                log.status.problem =
                    "row \(row) is left out: its value has more than \(EntityOperation.longestValue) "
                    + "bytes"
            }
        } catch {
            // The rows that are known stay; the next look tries again.
            log.stamp = nil
            log.status.report(error, in: folder)
        }
        return true
    }

    private func take(
        _ rows: EntityLogReader.Outcome, _ log: inout Log, _ encoder: inout RowEncoder
    ) {
        log.cursor = rows.cursor
        log.nameCount += rows.batch.names.count
        log.status.rowCount = Int(rows.cursor.lastID)
        if let last = rows.batch.rows.last {
            log.status.newest = Timestamp(microseconds: last.timestamp)
        }
        if rows.leavesOutTimes { log.leavesOutTimes = true }
        log.longRow = log.longRow ?? rows.longRow
        if rows.batch.device == ownDevice { encoder.observe(rows.batch) }
    }

    func readAll() throws -> [RowBatch] {
        try package.devices().filter { $0.has(.entities) }.compactMap { folder in
            // What cannot be read is shown by the store itself.
            let outcome = try? ForeignDatabase.read(folder.path(of: .entities)) { db in
                try EntityLogReader.read(db, device: folder.id, from: .start, nameCount: 0)
            }
            guard case .read(let rows, _)? = outcome else { return nil }
            return rows.batch
        }
    }

    // MARK: Writing

    func append(
        _ operations: [EntityOperation], timestamp: Timestamp
    ) throws -> BackingAppend {
        guard let local, let device = ownDevice else {
            throw EntityStoreError(.readOnly, "the store is read-only")
        }
        return try state.withLock { state in
            var log =
                state.logs[device]
                ?? Log(status: EntityDeviceStatus(device: device, state: .ok))
            let mark = state.encoder.mark
            do {
                let written = try local.write { db in
                    try Self.append(
                        operations, timestamp, device, log.cursor, log.nameCount,
                        &state.encoder, db)
                }
                log.cursor = written.cursor
                log.nameCount = written.nameCount
                log.status.rowCount = Int(written.cursor.lastID)
                log.status.newest = written.cursor.mark.map(Timestamp.init(microseconds:))
                state.logs[device] = log
                return written.append
            } catch {
                state.encoder.rollBack(to: mark)
                throw error
            }
        }
    }

    private struct Written {
        var append: BackingAppend
        var cursor: LogCursor
        var nameCount: Int
    }

    private static func append(
        _ operations: [EntityOperation], _ timestamp: Timestamp, _ device: DeviceID,
        _ cursor: LogCursor, _ nameCount: Int, _ encoder: inout RowEncoder, _ db: Database
    ) throws -> Written {
        let others = try EntityLogReader.read(
            db, device: device, from: cursor, nameCount: nameCount)
        if others.isAnew, cursor != .start { throw StaleLog() }
        if let problem = others.problem { throw problem }
        encoder.observe(others.batch)
        // Time does not run back (data rule 7), whatever another process wrote meanwhile.
        let newest = others.batch.rows.lazy.map(\.timestamp).max()
        let last = [newest, others.cursor.mark].compactMap { $0 }
            .filter(Timestamp.isRecordable).max()
        let timestamp = max(
            timestamp, last.map { Timestamp(microseconds: $0).successor } ?? timestamp)
        guard timestamp.isRecordable else {
            throw EntityStoreError(
                .timeOutOfRange, "this device's log leaves no time to write at")
        }
        let firstName = UInt32(nameCount + others.batch.names.count + 1)
        let own = try encoder.encode(operations, device: device, timestamp: timestamp)
        try EntityLogWriter.append(own, firstName: firstName, to: db)
        return Written(
            append: BackingAppend(others: others.batch.isEmpty ? nil : others.batch, own: own),
            cursor: LogCursor(
                identity: others.cursor.identity,
                lastID: own.rows.last.map { Int64($0.id) } ?? others.cursor.lastID,
                mark: own.rows.last?.timestamp ?? others.cursor.mark),
            nameCount: Int(firstName) - 1 + own.names.count)
    }

    // MARK: Watching

    func watch(_ wake: @escaping @Sendable () -> Void) {
        // Where the package is gone already the next read tells.
        let started = try? FolderWatcher(package) { change in
            let concerns =
                change.needsRescan || change.isGone || !change.devices.isEmpty
                || change.files.contains { $0.kind == .entities }
            if concerns { wake() }
        }
        watcher.withLock { $0 = started }
        // What was written since it was read, and before watching began.
        wake()
    }

    func close() {
        watcher.withLock { watcher in
            watcher?.stop()
            watcher = nil
        }
        local?.close()
    }
}

/// This device's log is not the one that was read: a file was restored or replaced. The store reads
/// anew and tries again.
struct StaleLog: Error {}

extension PackageBacking.State {
    /// A device of which rows are known here and none could be read into `fresh`.
    fileprivate func missing(
        in fresh: PackageBacking.State, besides replaced: Set<DeviceID>
    ) -> DeviceID? {
        logs.filter { device, log in
            log.cursor != .start && !replaced.contains(device)
                && fresh.logs[device].map { $0.cursor.lastID < log.cursor.lastID } ?? true
        }.keys.min()
    }

    /// Leaves what is known of logs that are others now as it is.
    fileprivate mutating func keep(_ replaced: Set<DeviceID>, until missing: DeviceID) {
        for device in replaced {
            guard let log = logs[device] else { continue }
            logs[device]?.stamp = nil
            logs[device]?.status = log.status.with(
                .incomplete,
                "another log stands in its place, which is read when that of \(missing) can be")
        }
    }

    fileprivate var statuses: [EntityDeviceStatus] {
        logs.values.map(\.status).sorted { $0.device < $1.device }
    }
}

extension EntityDeviceStatus {
    fileprivate func with(_ state: State, _ problem: String?) -> EntityDeviceStatus {
        var status = self
        status.state = state
        status.problem = problem
        return status
    }

    fileprivate mutating func report(_ error: (any Error)?, in folder: DeviceFolder) {
        guard let error else {
            let copies = folder.findings.filter {
                $0.role == .conflictCopy && $0.original == DatabaseKind.entities.fileName
            }
            self = with(
                .ok,
                copies.first.map { copy in
                    "\(copy.name.debugDescription) is another version of its entities, kept by a sync "
                        + "service because they were written in two places: take them over with tideline "
                        + "entities export \("\(folder.path)/\(copy.name)".debugDescription) and "
                        + "tideline entities import, then delete it"
                }
                    ?? folder.copy.map { "it is \($0.explanation)" })
            return
        }
        let code = (error as? ReplicationError)?.code
        let isPartial = code == .incomplete || code == .notFound
        self = with(isPartial ? .incomplete : .unreadable, "\(error)")
    }
}
