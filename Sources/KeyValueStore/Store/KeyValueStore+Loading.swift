import Dispatch
import Replication
import Synchronization

extension KeyValueStore {
    /// Reads all logs, or reads them anew. Waits for it. A store that was closed is opened again.
    ///
    /// A device's log that cannot be read does not keep the others from being read; `devices` says
    /// what is wrong with it, and what was known of it before stays. Changes that are not saved yet
    /// stay.
    ///
    /// - Throws: `ReplicationError` if the package or this device's folder in it is not what it
    ///   should be; ``KeyValueError``: `.insideTransaction`, `.notLoaded` if it was closed meanwhile.
    /// - Complexity: For `tideline-2` O(*n*) in the number of keys of each log, whatever their
    ///   history; for PARStore 1 in the number of rows.
    public func load() throws {
        let closing = closing
        guard let files else { return reopen(after: closing) }
        try files.onQueue {
            reopen(after: closing)
            try loadOnQueue(savesFirst: true)
        }
    }

    /// Reads all logs, or reads them anew. A store that was closed is opened again.
    ///
    /// - Throws: As ``load()-(())``, and `CancellationError` for a task that is cancelled already.
    /// - Throws: As the form that waits.
    /// - Complexity: As the form that waits.
    public func load() async throws {
        let closing = closing
        // A task that is cancelled before the store is closed does not open it again.
        try Task.checkCancellation()
        try await onQueue { store in
            store.reopen(after: closing)
            try store.loadOnQueue(savesFirst: true)
        }
    }

    func onQueue<Result: Sendable>(
        _ body: @escaping @Sendable (KeyValueStore) throws -> Result
    ) async throws -> Result where Result: Sendable {
        guard let files else { return try body(self) }
        return try await withCheckedThrowingContinuation { continuation in
            files.queue.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    func loadOnQueue(savesFirst: Bool) throws {
        guard let files, let package else { return }
        guard memory.withLock({ $0.phase != .closed }) else {
            throw KeyValueError(.notLoaded, "The store is closed")
        }
        // What cannot be written now is kept in memory, and tried again.
        if savesFirst, isLoaded { try? saveOnQueue() }
        try watch(files, package)
        var folders = try package.devices()
        if let device, !folders.contains(where: { $0.id == device }) {
            folders.append(try package.device(device))
        }
        // A folder that has gone may come back: what was read of it stays too.
        let present = Set(folders.map(\.id))
        let former = files.logs
        folders += former.values.filter { $0.head != nil && !present.contains($0.folder.id) }
            .compactMap { try? $0.folder.refreshed() }
        let known = memory.withLock { $0.cache.devices }
        let loader = StoreLoader.load(
            folders, numbering: known, longest: configuration.longestValue)
        files.names = package.deviceNames()
        for log in files.logs.values { log.retry?.cancel() }
        files.logs = [:]
        var kept: [DeviceID] = []
        for report in loader.reports {
            let device = report.folder.id
            var log = LogFiles.Known(
                folder: report.folder, head: report.head, stamp: report.stamp,
                problem: report.problem, failures: report.problem == nil ? 0 : 1)
            if report.head == nil, let head = former[device]?.head {
                log.head = head
                log.problem = report.problem ?? Self.gone
                kept.append(device)
            }
            files.logs[device] = log
        }
        files.writer?.close()
        files.writer = nil
        // What takes rows back and is not written yet is in no log's table.
        let waiting = memory.withLock { memory in
            let pending = memory.pending.all
            return pending.rows.filter { !$0.takesBack.isEmpty }
                .map { String(decoding: pending.key(of: $0), as: UTF8.self) }
        }
        let forked = loader.forked.map { loader.cache.key($0) } + waiting
        install(loader, keeping: kept, forkGraphs(forked, files), files)
        for (device, log) in files.logs
        where log.problem.map(Self.mayHeal) ?? (log.head?.gap != nil) {
            scheduleRetry(device, files)
        }
        AllocatorMemory.giveBack()
    }

    private func watch(_ files: LogFiles, _ package: StorePackage) throws {
        guard configuration.watchesFolder, files.watcher == nil else { return }
        files.watcher = try PackageWatch.subscribe(to: package) { [weak self] change in
            guard let self else { return }
            files.queue.async { self.apply(change) }
        }
    }

    /// The form that this device's log has or would get.
    private func ownFormat(_ files: LogFiles) -> LogFormat {
        if let own = device.flatMap({ files.logs[$0]?.head }) { return own.format }
        if let format = configuration.format { return format }
        let isParstore = files.logs.values.contains { $0.head?.format == .parstore1 }
        return isParstore ? .parstore1 : .tideline2
    }

    /// - Parameters:
    ///   - kept: Devices whose logs cannot be read now, and were before.
    ///   - forks: The rows of keys that a device has written in several places.
    private func install(
        _ loader: consuming StoreLoader, keeping kept: [DeviceID], _ forks: [Name: RowGraph],
        _ files: LogFiles
    ) {
        let reports = loader.reports
        let format = ownFormat(files)
        var fresh: LogsCache? = loader.cache
        memory.withLock { memory in
            guard var cache = fresh.take() else { return }
            let left = cache.keep(
                kept.compactMap { cache.knownNumber(of: $0) }, of: memory.cache)
            cache.keepSoundValues(of: memory.cache)
            // What is missing of them is found when all of their rows are read again.
            for device in left { files.logs[cache.devices[Int(device)]]?.head = nil }
            memory.own = device.flatMap { cache.number(of: $0) }
            memory.ownIsParstore = format == .parstore1
            memory.cache = cache
            memory.generation += 1
            memory.phase = .loaded
            _ = memory.reapply(memory.pending.all)
            memory.install(forks)
            memory.devices = reports.map { report in
                var status = DeviceStatus(report.folder.id, isOwn: report.folder.id == device)
                describe(&status, memory)
                return status
            }
            memory.devices.sort { $0.device < $1.device }
            if let own = memory.devices.first(where: \.isOwn) { noteOwn(own, &memory) }
            memory.totalRows = memory.devices.reduce(0) { $0 + $1.rows }
            if let own = memory.own {
                configuration.clock.observe(
                    Timestamp(microseconds: memory.cache.newest[Int(own)]))
            }
            post(
                .loaded(
                    devices: memory.devices.count, keys: memory.cache.liveCount,
                    rows: memory.totalRows))
        }
    }

    /// Remembers why nothing may be appended to this device's log, where that is so.
    func noteOwn(_ status: DeviceStatus, _ memory: inout Memory) {
        memory.ownProblem = status.refusal.map {
            Memory.OwnProblem(reason: $0, cause: files?.logs[status.device]?.problem)
        }
    }

    /// Brings a device's status up to date with its log and its rows in memory.
    func describe(_ status: inout DeviceStatus, _ memory: borrowing Memory) {
        guard let files, let log = files.logs[status.device] else { return }
        status.name = files.names[status.device] ?? status.device.name
        status.findings = log.folder.findings
        status.bytes = log.stamp?.byteCount ?? status.bytes
        if let number = memory.cache.knownNumber(of: status.device) {
            status.keys = memory.cache.keyCounts[Int(number)]
        }
        status.state = .absent
        status.problem = nil
        if let head = log.head { describe(&status, head) }
        let copy = log.folder.copy.map { "it is \($0.explanation)" }
        status.problem =
            status.problem ?? conflictCopyProblem(log.folder) ?? copy ?? log.pastProblem
        status.problem = status.problem ?? memory.problem(ofValuesOf: status.device)
        if let problem = log.problem { describe(&status, problem) }
    }

    private func describe(_ status: inout DeviceStatus, _ head: LogHead) {
        status.form = head.format.rawValue
        status.rows = head.rowCount - head.leftOutCount
        status.leavesOutRows = head.leftOutCount > 0
        status.first = head.first.map(Timestamp.init(microseconds:))
        status.last = head.last.map(Timestamp.init(microseconds:))
        status.hasClockProblem = status.last.map(configuration.clock.isImplausible) ?? false
        status.state = head.gap == nil ? .ok : .incomplete
        status.problem = head.gap
        status.lastID = head.gap == nil ? nil : head.cursor
        if head.leavesOutTimes {
            status.problem = status.problem ?? Timestamp.unrecordableProblem
        }
    }

    /// What a conflict copy of a log means, and the way out.
    private func conflictCopyProblem(_ folder: DeviceFolder) -> String? {
        let copy = folder.findings.first {
            $0.role == .conflictCopy && $0.original?.lowercased() == "logs.db"
        }
        guard let copy, let package else { return nil }
        return "\(copy.name.debugDescription) is another version of its log, kept by a sync "
            + "service because it was written in two places; its rows are not in the store: take them over "
            + "with tideline merge \(package.path.debugDescription) "
            + "\("\(folder.path)/\(copy.name)".debugDescription), then delete it"
    }

    /// Whether looking again at a log may show something else.
    static func mayHeal(_ problem: ReplicationError) -> Bool {
        problem.code == .incomplete || problem.code == .unreadable
    }

    /// What is wrong with a log that was known and is not there any more.
    static let gone = ReplicationError(.notFound, "the log has gone")

    private func describe(_ status: inout DeviceStatus, _ problem: ReplicationError) {
        switch problem.code {
        case .incomplete, .busy: status.state = .incomplete
        case .notFound: status.state = .absent
        default: status.state = .unreadable
        }
        status.problem = problem.message
    }
}

extension Memory {
    /// Which values of a device cannot be read, of those that win.
    fileprivate func problem(ofValuesOf device: DeviceID) -> String? {
        let broken = cache.brokenValues(of: device)
        guard let first = broken.first else { return nil }
        let others = broken.count > 1 ? ", nor those of \(broken.count - 1) other keys" : ""
        return "the value of \(cache.key(first).debugDescription) cannot be read\(others): "
            + "it is not a property list"
    }

    /// Enters rows of this device's that the cache does not have as they are: it was made from the
    /// logs, or they got other timestamps.
    ///
    /// - Returns: The entries whose winners they are.
    mutating func reapply(_ batch: RowBatch) -> Set<UInt32> {
        guard let own else { return [] }
        var entries: Set<UInt32> = []
        for row in batch.rows {
            let knowledge: Knowledge =
                ownIsParstore
                ? .parents(row.parentTimestamp.map { [$0] } ?? [])
                : .vector(Array(batch.known(of: row)))
            let outcome = cache.apply(
                NewestRow(
                    key: Array(batch.key(of: row)), timestamp: row.timestamp,
                    value: LoadedValue(batch.value(of: row).map(Array.init)),
                    knowledge: knowledge),
                of: own)
            if outcome.winnerChanged { entries.insert(outcome.entry) }
        }
        return entries
    }
}
