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
        try files?.onQueue { try files?.follower.sync() }
    }

    /// Looks at all logs now and applies what is new.
    ///
    /// - Throws: As the form that waits.
    /// - Complexity: As the form that waits.
    public func sync() async throws {
        try await onQueue { try $0.files?.follower.sync() }
    }

    /// Whether the package went from its place while the store was open, and is not back.
    ///
    /// Waits for the store's queue, so it must not be asked inside a transaction.
    public var isDeleted: Bool { files?.answer { files?.follower.isDeleted } ?? false }

    /// Merges what the follower read, on the store's queue.
    func take(_ news: LogNews<KeyValueLog>) {
        guard let files else { return }
        switch news {
        case .loaded(let loaded, let kept, _):
            guard let loader = loaded.take() else { return }
            install(loader, keeping: kept, files)
            if configuration.watchesFolder { files.listBlobs() }
            AllocatorMemory.giveBack()
        case .rows(let rows):
            // What was written is on disk when rows are found behind it.
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

    /// The blobs that a change is about, each by its own path: where it names a folder, those in it.
    private static func blobs(_ changed: Set<Name>, in folder: BlobFolder) -> Set<Name> {
        var paths: Set<Name> = []
        for path in changed {
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

    private func renameDevices(_ files: LogFiles) {
        let names = files.package.deviceNames()
        guard names != files.names else { return }
        files.names = names
        for status in files.follower.statuses { note(status, isNotable: false, files) }
    }

    // MARK: Status

    /// Brings what is told about a device up to date, where that is not for its log's sake.
    func refreshStatus(of device: DeviceID) {
        guard let files, let status = files.follower.status(of: device) else { return }
        note(status, isNotable: false, files)
    }

    /// Counts the rows of a known device before they are told of: whoever hears of them asks how many
    /// there are.
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
            // How the log stands is told when the follower says so, the rest at once.
            let isOther = former?.state == status.state && former?.notable != status.notable
            if isNotable || isOther { post(.device(status), in: memory) }
        }
    }

    /// A device's status with what only the store knows.
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

    /// Remembers why nothing may be appended to this device's log, where that is so.
    func noteOwn(_ status: DeviceStatus, _ memory: inout Memory, _ files: LogFiles) {
        memory.ownProblem = status.refusal.map {
            Memory.OwnProblem(reason: $0, cause: files.follower.problem(of: status.device))
        }
    }
}
