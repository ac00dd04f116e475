import Dispatch
import Replication
import Synchronization

extension KeyValueStore {
    /// Reads all logs, or reads them anew. Waits for it.
    ///
    /// A device's log that cannot be read does not keep the others from being read; `devices` says
    /// what is wrong with it. Changes that are not saved yet stay.
    ///
    /// - Throws: `ReplicationError` if the package or this device's folder in it is not what it
    ///   should be; ``KeyValueError``, `.notLoaded`, after ``close()``.
    public func load() throws {
        try files?.onQueue { try loadOnQueue(savesFirst: true) }
    }

    /// Reads all logs, or reads them anew.
    public func load() async throws {
        try await onQueue { try $0.loadOnQueue(savesFirst: true) }
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
        let known = memory.withLock { $0.cache.devices }
        let loader = StoreLoader.load(folders, numbering: known)
        files.names = package.deviceNames()
        for log in files.logs.values { log.retry?.cancel() }
        files.logs = [:]
        for report in loader.reports {
            files.logs[report.folder.id] = LogFiles.Known(
                folder: report.folder, head: report.head, stamp: report.stamp,
                failures: report.problem == nil ? 0 : 1)
        }
        let reports = loader.reports
        let format = ownFormat(reports)
        files.writer?.close()
        files.writer = nil
        let forked = loader.forked.map { loader.cache.key($0) }
        install(loader, format: format, forkGraphs(forked, files))
        for report in reports where report.problem?.code == .incomplete || report.head?.gap != nil {
            scheduleRetry(report.folder.id, files)
        }
        AllocatorMemory.giveBack()
    }

    private func watch(_ files: LogFiles, _ package: StorePackage) throws {
        guard configuration.watchesFolder, files.watcher == nil else { return }
        files.watcher = try FolderWatcher(package) { [weak self] change in
            guard let self else { return }
            files.queue.async { self.apply(change) }
        }
    }

    /// The form that this device's log has or would get.
    private func ownFormat(_ reports: [StoreLoader.Report]) -> LogFormat {
        if let own = reports.first(where: { $0.folder.id == device })?.head { return own.format }
        if let format = configuration.format { return format }
        let isParstore = reports.contains { $0.head?.format == .parstore1 }
        return isParstore ? .parstore1 : .tideline2
    }

    private func install(
        _ loader: consuming StoreLoader, format: LogFormat, _ forks: [Name: RowGraph]
    ) {
        let reports = loader.reports
        var fresh: LogsCache? = loader.cache
        memory.withLock { memory in
            guard var cache = fresh.take() else { return }
            memory.own = device.flatMap { cache.number(of: $0) }
            memory.ownIsParstore = format == .parstore1
            memory.cache = cache
            memory.generation += 1
            memory.phase = .loaded
            memory.reapplyPending()
            memory.install(forks)
            memory.devices = reports.map { report in
                var status = DeviceStatus(report.folder.id, isOwn: report.folder.id == device)
                describe(&status, memory)
                if let problem = report.problem { describe(&status, problem) }
                return status
            }
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

    /// Brings a device's status up to date with its log and its rows in memory.
    func describe(_ status: inout DeviceStatus, _ memory: borrowing Memory) {
        guard let files, let log = files.logs[status.device] else { return }
        status.name = files.names[status.device] ?? status.device.name
        status.findings = log.folder.findings
        status.bytes = log.stamp?.byteCount ?? status.bytes
        if let number = memory.cache.knownNumber(of: status.device) {
            status.keys = memory.cache.keyCounts[Int(number)]
        }
        guard let head = log.head else {
            status.state = .absent
            status.problem =
                conflictCopyProblem(log.folder)
                ?? log.folder.copy.map { "it is \($0.explanation)" }
            return
        }
        status.format = head.format
        status.rows = head.rowCount - head.leftOutCount
        status.leavesOutRows = head.leftOutCount > 0
        status.first = head.first.map(Timestamp.init(microseconds:))
        status.last = head.last.map(Timestamp.init(microseconds:))
        status.hasClockProblem = status.last.map(configuration.clock.isImplausible) ?? false
        status.state = head.gap == nil ? .ok : .incomplete
        status.problem = head.gap
        status.lastID = head.gap == nil ? nil : head.cursor
        status.problem = status.problem ?? conflictCopyProblem(log.folder)
        if head.leavesOutTimes {
            status.problem = status.problem ?? Timestamp.unrecordableProblem
        }
        if let copy = log.folder.copy {
            status.problem = status.problem ?? "it is \(copy.explanation)"
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

    func describe(_ status: inout DeviceStatus, _ problem: ReplicationError) {
        switch problem.code {
        case .incomplete, .busy: status.state = .incomplete
        case .notFound: status.state = .absent
        default: status.state = .unreadable
        }
        status.problem = problem.message
    }
}

extension Memory {
    /// Enters the rows that are not in the log yet into a cache that was made from the logs.
    mutating func reapplyPending() {
        guard let own else { return }
        for row in pending.rows {
            let knowledge: Knowledge =
                ownIsParstore
                ? .parents(row.parentTimestamp.map { [$0] } ?? [])
                : .vector(Array(pending.known(of: row)))
            _ = cache.apply(
                NewestRow(
                    key: Array(pending.key(of: row)), timestamp: row.timestamp,
                    value: pending.value(of: row).map(Array.init), knowledge: knowledge),
                of: own)
        }
    }
}
