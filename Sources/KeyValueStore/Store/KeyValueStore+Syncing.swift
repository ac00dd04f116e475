import Replication

extension KeyValueStore {
    /// Checks all logs now and applies new rows. If the store doesn't watch the folder, call this
    /// to find new rows.
    ///
    /// - Throws: `ReplicationError` if the package is missing or can't be listed. Problems of a
    ///   device's log are in `devices`.
    /// - Complexity: A listing of each device's folder, and the new rows of each changed log. A
    ///   changed PARStore 1 log is fully read if rows were inserted among the known ones.
    public func sync() throws {
        try files?.onQueue { try files?.follower.sync() }
    }

    /// Checks all logs now and applies new rows.
    ///
    /// - Throws: As the synchronous form.
    /// - Complexity: As the synchronous form.
    public func sync() async throws {
        try await onQueue { try $0.files?.follower.sync() }
    }

    /// Whether the package was deleted or moved away while the store was open, and is still
    /// missing.
    ///
    /// Waits for the store's queue, so don't access this property inside a transaction.
    public var isDeleted: Bool { files?.answer { files?.follower.isDeleted } ?? false }

    /// Applies changes that the follower found, on the store's queue.
    func take(_ event: LogEvent<KeyValueLog>) {
        guard let files else { return }
        switch event {
        case .loaded(let loaded, let kept, _):
            guard let loader = loaded.take() else { return }
            install(loader, keeping: kept, files)
            if configuration.watchesFolder { files.listBlobs() }
            AllocatorMemory.releaseFreeMemory()
        case .rows(let rows):
            // If the follower finds the rows of an earlier write in the log, that write succeeded.
            if rows.isBehindWrite { memory.withLock { $0.pending.end(isWritten: true) } }
            let hadProblem = files.pastProblems.removeValue(forKey: rows.device) != nil
            countRows(of: rows.device, files)
            apply(rows.batch, of: rows.device, latency: rows.since)
            readBrokenValues(of: rows.device)
            if hadProblem { refreshStatus(of: rows.device) }
        case .device(let status, let isNotable): note(status, isNotable: isNotable, files)
        case .blobs(let changed):
            let blobs = Self.blobs(changed, in: files.package.blobs)
            if blobs.contains(where: { $0.hasPrefix(StorePackage.deviceNameFolder) }) {
                renameDevices(files)
            }
            let isListed = changed.contains("")
            for path in blobs.sorted().texts
            where files.isNews(path, in: files.package.blobs, isListed: isListed) {
                post(.blob(path: path))
            }
        case .deleted: post(.deleted)
        case .returned: post(.returned)
        }
    }

    /// Returns the paths of the changed blobs. A changed folder stands for the blobs in it.
    private static func blobs(_ changed: Set<Name>, in folder: BlobFolder) -> Set<Name> {
        var paths: Set<Name> = []
        for path in changed {
            if !path.isEmpty, (try? folder.entry(path.text)) ?? nil != nil {
                paths.insert(path)
                continue
            }
            let inside = (try? folder.entries(prefix: path.isEmpty ? "" : "\(path)/")) ?? []
            paths.formUnion(inside.map { Name($0.path) })
            // An empty folder is not a blob. Files created in it later are reported by their own
            // paths.
            if inside.isEmpty, !path.isEmpty, !folder.hasFolder(path.text) { paths.insert(path) }
        }
        return paths
    }

    private func renameDevices(_ files: LogFiles) {
        let names = files.package.deviceNames()
        guard names != files.names else { return }
        files.names = names
        for status in files.follower.statuses { note(status, isNotable: false, files) }
    }

    // MARK: Status

    /// Updates the reported status of a device after a change outside its log.
    func refreshStatus(of device: DeviceID) {
        guard let files, let status = files.follower.status(of: device) else { return }
        note(status, isNotable: false, files)
    }

    /// Updates the row count of a known device before its rows are reported, because subscribers
    /// may request it.
    private func countRows(of device: DeviceID, _ files: LogFiles) {
        guard let rows = files.follower.status(of: device)?.rows else { return }
        memory.withLock { memory in
            guard memory.phase == .loaded,
                let index = memory.devices.firstIndex(where: { $0.device == device })
            else { return }
            memory.totalRows += rows - memory.devices[index].rows
            memory.devices[index].rows = rows
        }
    }

    private func note(_ status: DeviceStatus, isNotable: Bool, _ files: LogFiles) {
        memory.withLock { memory in
            guard memory.phase == .loaded else { return }
            let status = complete(status, memory, files)
            let index = memory.devices.firstIndex { $0.device == status.device }
            let former = index.map { memory.devices[$0] }
            if status.isOwn { noteOwn(status, &memory, files) }
            memory.totalRows += status.rows - (former?.rows ?? 0)
            if let index {
                memory.devices[index] = status
            } else {
                memory.devices.append(status)
                memory.devices.sort { $0.device < $1.device }
            }
            // The follower reports changes of the log's status. Other changes are reported
            // immediately.
            let isOther = former?.state == status.state && former?.notable != status.notable
            if isNotable || isOther { post(.device(status), in: memory) }
        }
    }

    /// Completes a device's status with values that only the store has.
    func complete(
        _ status: DeviceStatus, _ memory: borrowing Memory, _ files: LogFiles
    ) -> DeviceStatus {
        var status = status
        status.name = files.names[status.device] ?? status.device.name
        if let number = memory.cache.knownNumber(of: status.device) {
            status.keys = memory.cache.keyCounts[Int(number)]
        }
        status.problem =
            status.problem ?? files.pastProblems[status.device]
            ?? memory.problem(ofValuesOf: status.device)
        return status
    }

    /// Records the reason, if any, why nothing may be appended to this device's log.
    func noteOwn(_ status: DeviceStatus, _ memory: inout Memory, _ files: LogFiles) {
        memory.ownProblem = status.refusal.map {
            Memory.OwnProblem(reason: $0, cause: files.follower.problem(of: status.device))
        }
    }
}
