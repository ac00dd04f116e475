import Dispatch

extension LogFollower {
    /// Looks at all logs now. Without watching, this is how news is found.
    ///
    /// - Throws: ``ReplicationError`` if the package is gone or cannot be listed; what is wrong with
    ///   one log is in its status.
    /// - Complexity: A listing of each device's folder, and the new rows of each log that changed.
    public func sync() throws {
        guard isFollowing else { return }
        let folders: [DeviceFolder]
        do {
            folders = try package.devices()
        } catch {
            if !package.isThere { noteDeleted() }
            throw error
        }
        noteReturned()
        look(at: folders, andFormer: true, since: nil)
    }

    /// Looks at what the watcher saw changed.
    func apply(_ change: PackageChange) {
        guard isFollowing else { return }
        if change.isGone { noteDeleted() }
        if change.isBack { noteReturned() }
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
        // What is open went with the package.
        closeDatabase()
        send(.deleted)
    }

    private func noteReturned() {
        guard isDeleted, package.isThere else { return }
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
            guard folder.isThere else { return }
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

    /// What the other logs' rows came to may rest on the log that was there before, so all are read
    /// anew.
    func readReplaced(_ device: DeviceID) throws {
        guard let missing = try readAll(because: device) else { return }
        throw ReplicationError(
            .incomplete,
            "another log stands in its place, which is read when that of \(missing) can be")
    }

    /// Why a device has no log that could be read; `nil` where it just has none yet.
    static func absence(of folder: DeviceFolder, wasThere: Bool) -> ReplicationError? {
        if let problem = folder.problem { return ReplicationError(.noPermission, problem) }
        return wasThere ? .logIsGone : nil
    }

    /// Looks at a device's log again after a pause, and then after longer and longer ones.
    ///
    /// Events in between look too, and change nothing about when that is.
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

    /// How each device's log stands, by device. Devices without one are among them.
    public var statuses: [DeviceStatus] {
        known.values.map { status($0) }.sorted { $0.device < $1.device }
    }

    /// How one device's log stands; `nil` for a device that is not known.
    public func status(of device: DeviceID) -> DeviceStatus? { known[device].map { status($0) } }

    private func status(_ log: Known) -> DeviceStatus {
        var status = DeviceStatus(log.folder.id, isOwn: log.folder.id == device)
        status.findings = log.folder.findings
        status.bytes = log.byteCount
        if let head = log.head { status.note(head) }
        status.hasClockProblem = status.last.map(options.clock.isImplausible) ?? false
        status.problem =
            status.problem ?? conflictCopy(in: log.folder)
            ?? log.folder.copy.map { "it is \($0.explanation)" }
        if let problem = log.problem { status.note(problem) }
        status.isEarly = status.state == .incomplete && log.failures == 0
        return status
    }

    /// What a conflict copy of a log means, and the way out.
    private func conflictCopy(in folder: DeviceFolder) -> String? {
        let copy = folder.findings.first { finding in
            finding.role == .conflictCopy
                && finding.original.flatMap(DatabaseKind.init(fileName:)) == log.kind
        }
        guard let copy else { return nil }
        let (advice, command) = DatabaseKind.wayOut(
            ofCopy: "\(folder.path)/\(copy.name)", of: log.kind, in: package)
        return
            "\(copy.name.quoted) is \(copy.explanation); nothing of it is read: "
            + advice + (command.map { ": \($0)" } ?? "")
    }

    /// Tells how a device's log stands, if it changed.
    ///
    /// A file that is half there is most often being written: it gets a second look before anybody
    /// is told. Whoever asked meanwhile has seen it all the same, and is told of its end.
    public func refreshStatus(of device: DeviceID) {
        guard let log = known[device] else { return }
        let status = status(log)
        let isNews =
            told[device]?.notable != status.notable
            || statusesSent[device]?.notable != status.notable
        let isNotable = !status.isEarly && isNews
        guard isNotable || statusesSent[device] != status else { return }
        statusesSent[device] = status
        if isNotable { told[device] = status }
        send(.device(status, isNotable: isNotable))
    }
}
