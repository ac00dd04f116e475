import Dispatch
import Foundation
import Replication
import Synchronization

extension KeyValueStore {
    /// Looks at all logs now and applies what is new. Without watching, this is how it is found.
    ///
    /// - Throws: `ReplicationError` if the package is gone or cannot be listed; what is wrong with
    ///   a device's log is in `devices`.
    /// - Complexity: A listing of each device's folder, and the new rows of each log that changed.
    ///   A PARStore 1 log that changed is read whole if rows were inserted among the known ones.
    public func sync() throws {
        try files?.onQueue { try syncOnQueue() }
    }

    /// Looks at all logs now and applies what is new.
    ///
    /// - Throws: As the form that waits.
    /// - Complexity: As the form that waits.
    public func sync() async throws {
        try await onQueue { try $0.syncOnQueue() }
    }

    func syncOnQueue() throws {
        guard isLoaded, let files else { return }
        let folders: [DeviceFolder]
        do {
            folders = try files.package.devices()
        } catch {
            if !files.package.isThere { noteDeleted(files) }
            throw error
        }
        noteReturned(files)
        look(at: folders, all: true, since: nil, files)
    }

    /// Applies what the watcher saw.
    func apply(_ change: PackageChange) {
        guard let files, isLoaded else { return }
        if change.isGone { noteDeleted(files) }
        if change.isBack { noteReturned(files) }
        if files.isDeleted { return }
        if change.needsRescan {
            guard let folders = try? files.package.devices() else { return }
            look(at: folders, all: true, since: change.since, files)
        } else {
            let touched = Set(change.files.filter { $0.kind == .logs }.map(\.device))
                .union(change.devices)
            let folders = touched.sorted().compactMap { try? files.package.device($0) }
            look(at: folders, all: false, since: change.since, files)
        }
        let blobs = Self.blobs(of: change, in: files.package.blobs)
        if blobs.contains(where: { $0.hasPrefix("info") }) { renameDevices(files) }
        for path in blobs.sorted().texts where files.isNews(path, in: files.package.blobs) {
            post(.blob(path: path))
        }
    }

    /// The blobs that a change is about, each by its own path: where it names a folder, those in it.
    private static func blobs(of change: PackageChange, in folder: BlobFolder) -> Set<Name> {
        var paths: Set<Name> = []
        for path in change.blobs {
            if !path.isEmpty, (try? folder.entry(path.text)) ?? nil != nil {
                paths.insert(path)
                continue
            }
            let inside = (try? folder.entries(prefix: path.isEmpty ? "" : "\(path)/")) ?? []
            paths.formUnion(inside.map { Name($0.path) })
            // An empty folder is not a blob; what is in it by now is told by its own path.
            if inside.isEmpty, !path.isEmpty, !folder.hasFolder(path.text) { paths.insert(path) }
        }
        return paths
    }

    private func noteDeleted(_ files: LogFiles) {
        guard !files.isDeleted else { return }
        files.isDeleted = true
        // What it has open went with the package.
        files.writer?.close()
        files.writer = nil
        post(.deleted)
    }

    private func noteReturned(_ files: LogFiles) {
        guard files.isDeleted, files.package.isThere else { return }
        files.isDeleted = false
        for device in files.logs.keys { files.logs[device]?.stamp = nil }
        post(.returned)
    }

    /// Whether the package went from its place while the store was open, and is not back.
    ///
    /// Waits for the store's queue, so it must not be asked inside a transaction.
    public var isDeleted: Bool { files?.answer { files?.isDeleted } ?? false }

    private func renameDevices(_ files: LogFiles) {
        let names = files.package.deviceNames()
        guard names != files.names else { return }
        files.names = names
        for device in files.logs.keys.sorted() { refreshStatus(of: device) }
    }

    private func look(
        at folders: [DeviceFolder], all: Bool, since: ContinuousClock.Instant?, _ files: LogFiles
    ) {
        for folder in folders { look(at: folder, since: since, files) }
        guard all else { return }
        let present = Set(folders.map(\.id))
        for (device, log) in files.logs where !present.contains(device) {
            if let folder = try? log.folder.refreshed() { look(at: folder, since: since, files) }
        }
    }

    private func look(
        at folder: DeviceFolder, since: ContinuousClock.Instant?, _ files: LogFiles
    ) {
        var known = files.logs[folder.id] ?? LogFiles.Known(folder: folder)
        let isNew = files.logs[folder.id] == nil
        if isNew, !folder.isThere { return }
        known.folder = folder
        files.logs[folder.id] = known
        guard folder.has(.logs) else {
            files.logs[folder.id]?.stamp = nil
            files.logs[folder.id]?.problem = known.head == nil ? nil : Self.gone
            refreshStatus(of: folder.id)
            return
        }
        do {
            try read(known, since: since, files)
            files.logs[folder.id]?.failures = 0
        } catch {
            let problem = ReplicationError(reading: error)
            files.logs[folder.id]?.failures += 1
            files.logs[folder.id]?.stamp = nil
            files.logs[folder.id]?.problem = problem
            refreshStatus(of: folder.id)
            if Self.mayHeal(problem) { scheduleRetry(folder.id, files) }
        }
    }

    private enum Reading {
        case update(LogUpdate)
        /// All rows of a PARStore 1 log, to compare with what is known.
        case comparison(LogUpdate)
        /// Another log is in its place.
        case replaced
    }

    private func read(
        _ known: LogFiles.Known, since: ContinuousClock.Instant?, _ files: LogFiles
    ) throws {
        let device = known.folder.id
        try known.folder.checkIsNoCopy()
        let path = known.folder.path(of: .logs)
        let longest = configuration.longestValue
        let outcome = try ForeignDatabase.read(path, unless: known.stamp) { database -> Reading in
            let format = try LogForm.detect(database, path: path).format
            if let head = known.head, head.format != format { return .replaced }
            switch format {
            case .tideline2:
                return try TidelineLog.update(database, behind: known.head, longest: longest)
                    .map(Reading.update) ?? .replaced
            case .parstore1:
                if let update = try ParstoreLog.update(
                    database, behind: known.head, longest: longest)
                {
                    return .update(update)
                }
                return try ParstoreLog.update(database, behind: nil, longest: longest)
                    .map(Reading.comparison) ?? .replaced
            }
        }
        guard case .read(let reading, let stamp) = outcome else { return }
        switch reading {
        case .update(let update):
            try LogIdentity.check(update.head.claimant, isOf: device)
            finish(update, of: device, stamp, since: since, isComparison: false, files)
        case .comparison(let update):
            if hasLostRows(update, of: device, since: known.head) {
                try reload()
            } else {
                finish(update, of: device, stamp, since: since, isComparison: true, files)
            }
        case .replaced:
            try reload()
        }
    }

    private func finish(
        _ update: LogUpdate, of device: DeviceID, _ stamp: FileStamp,
        since: ContinuousClock.Instant?, isComparison: Bool, _ files: LogFiles
    ) {
        let former = files.logs[device]?.head
        files.logs[device]?.head = update.head
        files.logs[device]?.stamp = stamp
        files.logs[device]?.problem = nil
        files.logs[device]?.pastProblem = nil
        var update = update
        if isComparison { update.count = max(0, update.head.rowCount - (former?.rowCount ?? 0)) }
        apply(update, of: device, latency: since, isComparison: isComparison)
        readBrokenValues(of: device)
        if update.head.gap != nil { scheduleRetry(device, files) }
    }

    /// Whether rows that were read before are not among all rows of a PARStore 1 log.
    private func hasLostRows(
        _ update: LogUpdate, of device: DeviceID, since head: LogHead?
    ) -> Bool {
        guard let head, update.head.rowCount >= head.rowCount else { return true }
        return memory.withLock { memory in
            guard let number = memory.cache.knownNumber(of: device) else { return false }
            var found = 0
            for row in update.rows {
                let entry = row.key.withUnsafeBufferPointer { memory.cache.index(ofKey: $0) }
                guard let entry, let known = memory.cache.row(of: number, in: entry) else {
                    continue
                }
                if memory.cache.rows[Int(known)].timestamp > row.timestamp { return true }
                found += 1
            }
            return found < memory.cache.keyCounts[Int(number)]
        }
    }

    /// Looks again later: after a second, then after longer and longer waits, up to a minute.
    func scheduleRetry(_ device: DeviceID, _ files: LogFiles) {
        guard let log = files.logs[device] else { return }
        log.retry?.cancel()
        let wait = Duration.seconds(min(60, 1 << min(log.failures, 6)))
        files.logs[device]?.retry = configuration.scheduler.schedule(after: wait) { [weak self] in
            guard let self else { return }
            files.queue.async {
                guard self.isLoaded, let log = files.logs[device],
                    let folder = try? log.folder.refreshed()
                else { return }
                self.look(at: folder, since: nil, files)
            }
        }
    }

    /// Brings what is told about a device up to date, and tells it if it changed.
    func refreshStatus(of device: DeviceID) {
        memory.withLock { memory in
            let index = memory.devices.firstIndex { $0.device == device }
            let former = index.map { memory.devices[$0] }
            var status = former ?? DeviceStatus(device, isOwn: device == self.device)
            describe(&status, memory)
            if status.isOwn { noteOwn(status, &memory) }
            memory.totalRows += status.rows - (former?.rows ?? 0)
            if let index {
                memory.devices[index] = status
            } else {
                memory.devices.append(status)
                memory.devices.sort { $0.device < $1.device }
            }
            if former.map(Self.notable) != Self.notable(status) { post(.device(status)) }
        }
    }

    /// A status without what every row changes.
    private static func notable(_ status: DeviceStatus) -> DeviceStatus {
        var status = status
        (status.rows, status.keys, status.bytes) = (0, 0, 0)
        (status.first, status.last) = (nil, nil)
        return status
    }
}
