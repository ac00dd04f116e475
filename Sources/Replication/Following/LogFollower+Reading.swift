import Dispatch

extension LogFollower {
    /// Checks all logs for changes now. Without watching, this is the only way to find new rows.
    ///
    /// - Throws: ``ReplicationError`` if the package is missing or can't be listed. Problems of a
    ///   single log are in its status.
    /// - Complexity: A listing of each device's folder, and the new rows of each changed log.
    public func sync() throws {
        guard isFollowing else { return }
        let folders: [DeviceFolder]
        do {
            folders = try package.devices()
        } catch {
            if !package.exists { noteDeleted() }
            throw error
        }
        noteReturned()
        look(at: folders, andFormer: true, since: nil)
    }

    /// Processes a change that the watcher reported.
    func apply(_ change: PackageChange) {
        guard isFollowing else { return }
        if change.isDeleted { noteDeleted() }
        if change.hasReturned { noteReturned() }
        if isDeleted { return }
        if change.needsRescan {
            guard let folders = try? package.devices() else { return }
            look(at: folders, andFormer: true, since: change.since)
        } else {
            let touched = Set(change.files.filter { $0.kind == log.kind }.map(\.device))
                .union(change.devices)
            let folders = touched.sorted().compactMap { try? package.device($0) }
            look(at: folders, andFormer: false, since: change.since)
        }
        if !change.blobs.isEmpty { send(.blobs(change.blobs)) }
    }

    private func noteDeleted() {
        guard !isDeleted else { return }
        isDeleted = true
        // The open files were deleted with the package.
        closeDatabase()
        send(.deleted)
    }

    private func noteReturned() {
        guard isDeleted, package.exists else { return }
        isDeleted = false
        for device in known.keys { known[device]?.stamp = nil }
        send(.returned)
    }

    private func look(
        at folders: [DeviceFolder], andFormer: Bool, since: ContinuousClock.Instant?
    ) {
        for folder in folders { look(at: folder, since: since) }
        guard andFormer else { return }
        let present = Set(folders.map(\.id))
        for (device, log) in known where !present.contains(device) {
            if let folder = try? log.folder.refreshed() { look(at: folder, since: since) }
        }
    }

    private func look(at folder: DeviceFolder, since: ContinuousClock.Instant?) {
        let device = folder.id
        if known[device] == nil {
            guard folder.exists else { return }
            known[device] = Known(folder: folder)
        }
        known[device]?.folder = folder
        known[device]?.isWanted = false
        do {
            try read(folder, since: since)
        } catch {
            known[device]?.stamp = nil
            known[device]?.problem = ReplicationError(reading: error)
        }
        refreshStatus(of: device)
        if known[device]?.mustBeLookedAtAgain == true {
            scheduleRetry(device)
        } else {
            known[device]?.failures = 0
            known[device]?.retry?.cancel()
            known[device]?.retry = nil
        }
    }

    private func read(_ folder: DeviceFolder, since: ContinuousClock.Instant?) throws {
        let device = folder.id
        let former = known[device]
        guard folder.has(log.kind) else {
            known[device]?.stamp = nil
            known[device]?.problem = Self.absence(of: folder, wasThere: former?.head != nil)
            return
        }
        guard
            let (reading, stamp) = try log.read(
                folder, unless: former?.stamp, after: former?.head, limits: .brief)
        else { return }
        guard case .rows(let batch, let head) = reading else {
            return try readReplaced(device)
        }
        known[device]?.head = head
        known[device]?.stamp = stamp
        known[device]?.byteCount = stamp.byteCount
        known[device]?.problem = nil
        send(
            .rows(
                LogRows(
                    device: device, batch: batch, head: head,
                    formerCount: former?.head?.rowCount ?? 0, since: since,
                    isBehindWrite: false)))
    }

    /// Reads all logs again after one was replaced, because merged rows of other logs may depend on
    /// it.
    func readReplaced(_ device: DeviceID) throws {
        guard let missing = try readAll(because: device) else { return }
        throw ReplicationError(
            .incomplete,
            "it was replaced by another log, which can be read only after the log of \(missing)")
    }

    /// Returns the reason why a device has no readable log, or `nil` if it hasn't created one yet.
    static func absence(of folder: DeviceFolder, wasThere: Bool) -> ReplicationError? {
        if let problem = folder.problem { return ReplicationError(.noPermission, problem) }
        return wasThere ? .logIsMissing : nil
    }

    /// Reads a device's log again after a pause, and then after increasing pauses.
    ///
    /// Events during a pause cause additional reads, which don't affect the schedule.
    func scheduleRetry(_ device: DeviceID) {
        guard let log = known[device], log.retry == nil else { return }
        let doubled = options.firstPause * (1 << min(log.failures, 16))
        known[device]?.retry = options.scheduler.schedule(
            after: min(options.longestPause, doubled)
        ) { [weak self] in
            guard let self else { return }
            queue.async { self.retry(device) }
        }
    }

    private func retry(_ device: DeviceID) {
        guard isFollowing, let log = known[device], log.retry != nil else { return }
        known[device]?.retry = nil
        known[device]?.failures += 1
        if let folder = try? log.folder.refreshed() { look(at: folder, since: nil) }
    }

    // MARK: Status

    /// The status of each device's log, in order of devices. Devices without a log are included.
    public var statuses: [DeviceStatus] {
        known.values.map { status($0) }.sorted { $0.device < $1.device }
    }

    /// Returns the status of one device's log; `nil` for an unknown device.
    public func status(of device: DeviceID) -> DeviceStatus? { known[device].map { status($0) } }

    private func status(_ log: Known) -> DeviceStatus {
        var status = DeviceStatus(log.folder.id, isOwn: log.folder.id == device)
        status.findings = log.folder.findings
        status.isCopy = log.folder.copy?.isCertain == true
        status.bytes = log.byteCount
        if let head = log.head { status.note(head) }
        status.hasClockProblem = status.last.map(options.clock.isImplausible) ?? false
        if status.problem == nil { noteCopies(in: log.folder, &status) }
        if let problem = log.problem { status.note(problem) }
        status.isEarly = status.state == .incomplete && log.failures == 0
        // A sync service may also remove a log from the disk after it was read.
        if status.state == .absent, let placeholder = log.folder.placeholder(for: self.log.kind) {
            status.state = .incomplete
            // A conflict copy can't be merged before the log is downloaded.
            status.problem = "\(placeholder.name.quoted) is \(placeholder.explanation)"
            status.suggestion = nil
        }
        return status
    }

    /// Adds a problem to a status if there is a conflict copy of the log. If there is no conflict
    /// copy of the log, adds a problem if the folder itself may be a copy.
    private func noteCopies(in folder: DeviceFolder, _ status: inout DeviceStatus) {
        let copy = folder.findings.first { finding in
            finding.role == .conflictCopy
                && finding.original.flatMap(DatabaseKind.init(fileName:)) == log.kind
        }
        if let copy {
            status.problem = "\(copy.name.quoted) is \(copy.explanation); it is not read"
            status.suggestion = log.suggestion(
                forCopyAt: "\(folder.path)/\(copy.name)", in: package)
        } else if let copy = folder.copy {
            status.problem = "it is \(copy.explanation)"
            status.suggestion = copy.suggestion
        }
    }

    /// Reports the status of a device's log if it changed.
    ///
    /// An incomplete file is usually still being written, so it is read once more before
    /// subscribers are notified. If a caller has already seen the problem, subscribers are notified
    /// when it no longer exists.
    public func refreshStatus(of device: DeviceID) {
        guard let log = known[device] else { return }
        let status = status(log)
        let isNews =
            reported[device]?.notable != status.notable
            || statusesSent[device]?.notable != status.notable
        let isNotable = !status.isEarly && isNews
        guard isNotable || statusesSent[device] != status else { return }
        statusesSent[device] = status
        if isNotable { reported[device] = status }
        send(.device(status, isNotable: isNotable))
    }
}
