import Foundation
import Replication
import Synchronization

/// The part for the package as a whole: its devices, its blobs, and changes of files that no other
/// part follows.
final class PackagePart: SessionPart {
    let panes: [Pane]
    let conflicts: (any ConflictListing)?
    private let package: StorePackage
    private let own: DeviceID?
    private let stores: [any SessionPart]
    private let doctor: DoctorPart
    private let models: [any DataModel]
    /// The names of stores that are read on request and have no rows to follow. Only their writes
    /// are reported.
    private let unfollowed: [DatabaseKind: String]
    private let arrivals: ArrivalTimes
    private let blobs: BlobList
    private let writing: WriteAccess
    private let state = Mutex(State())

    private struct State {
        /// The stamps of the files that were last reported.
        var stamps: [DeviceFile: FileStamp] = [:]
        var watcher: PackageWatcher?
        var isMissing = false
        /// The number of blobs; `nil` until they are counted.
        var blobCount: Int?
        var blobConflictCount = 0
        /// Whether blobs are being counted, and whether some have changed since the count started.
        var isCounting = false
        var isCountOld = false

        /// Starts counting if something has changed; otherwise returns `false`.
        mutating func beginsToCount() -> Bool {
            isCounting = isCountOld
            isCountOld = false
            return isCounting
        }
    }

    /// Creates the part.
    ///
    /// - Parameters:
    ///   - stores: The parts of the package that report devices.
    ///   - doctor: The part that reports problems with files.
    init(
        _ package: StorePackage, _ session: PackageSession, models: [any DataModel],
        stores: [any SessionPart], doctor: DoctorPart
    ) {
        let stores = stores + [doctor]
        self.package = package
        self.models = models
        self.stores = stores
        self.doctor = doctor
        own = session.device
        arrivals = session.arrivals
        blobs = session.blobs
        unfollowed = Dictionary(
            keepingFirst: models.compactMap { model in
                model.unfollowedName.map { (model.kind, $0) }
            })
        writing = WriteAccess(as: session.device, isUnlocked: session.isWritable)
        let files = BlobsSource(package.blobs, session.blobs, writing)
        let devices = DevicesSource(
            of: package, writing, blobs: files,
            keys: stores.lazy.compactMap { $0 as? KeyValuePart }.first,
            documents: stores.lazy.compactMap { $0 as? DocumentStorePart }.first
        ) { SessionStatus.Device.merging(stores.map(\.status)) }
        panes = [Pane(.devices, devices, in: .package), Pane(.blobs, files, in: .package)]
        conflicts = BlobConflicts(files, undoing: devices)
    }

    var status: PartStatus {
        let devices = SessionStatus.Device.merging(stores.map(\.status))
        let (isMissing, blobCount, conflictCount) = state.withLock {
            ($0.isMissing, $0.blobCount, $0.blobConflictCount)
        }
        var counts = [PaneID.devices: devices.count]
        counts[.blobs] = blobCount
        return PartStatus(
            phase: isMissing ? .missing : nil, ownDevice: own, conflictCount: conflictCount,
            counts: counts)
    }

    // A store that is still loading doesn't report changes of blobs, or that the package
    // disappeared or returned. So this part also watches the package.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        for file in currentFiles(unfollowed.keys) { _ = isNew(file) }
        let watcher = try? PackageWatcher(package) { [weak self] in self?.apply($0, emit) }
        if watcher != nil { blobs.follow() }
        state.withLock { $0.watcher = watcher }
        countBlobs(emit)
    }

    /// Counts the blobs in the background.
    private func countBlobs(_ emit: @escaping @Sendable (SessionEvent) -> Void) {
        let begins = state.withLock { state in
            state.isCountOld = true
            defer { state.isCounting = true }
            return !state.isCounting
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [weak self] in
            while let time = self?.countOnce(emit) {
                // Count once for changes in quick succession, so that counting takes at most a
                // tenth of the time.
                try? await Task.sleep(for: time * 10)
            }
        }
    }

    /// Counts the blobs.
    ///
    /// - Returns: The duration; `nil` if nothing has changed.
    private func countOnce(_ emit: @Sendable (SessionEvent) -> Void) -> Duration? {
        guard state.withLock({ $0.beginsToCount() }) else { return nil }
        let start = ContinuousClock.now
        // An unreadable folder has no count.
        let found = try? blobs.current()
        let count = found.map { $0.entries.count + $0.missing.count }
        let conflictCount = found?.conflicts.count ?? 0
        let isOther = state.withLock { state in
            defer { (state.blobCount, state.blobConflictCount) = (count, conflictCount) }
            return state.blobCount != count || state.blobConflictCount != conflictCount
        }
        if isOther { emit(SessionEvent(.status, date: Date())) }
        return .now - start
    }

    private func apply(
        _ change: PackageChange, _ emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        // First, because the stores read these files at the same time.
        for file in change.files where unfollowed[file.kind] == nil {
            arrivals.note(file, from: change.since, to: change.until)
        }
        if change.isDeleted { notePresence(true, emit) }
        if change.hasReturned { notePresence(false, emit) }
        if !change.blobs.isEmpty || change.needsRescan || change.hasReturned {
            blobs.note(change.needsRescan || change.hasReturned ? [""] : change.blobs)
            countBlobs(emit)
        }
        doctor.filesChanged(
            change.needsRescan ? Set(currentFiles(models.map(\.kind))) : change.files)
        var files = change.files
        if change.needsRescan { files.formUnion(currentFiles(unfollowed.keys)) }
        for device in change.devices {
            files.formUnion(unfollowed.keys.map { DeviceFile(device, $0) })
        }
        for file in files.sorted(by: { $0.device < $1.device }) {
            guard let store = unfollowed[file.kind], isNew(file) else { continue }
            var event = SessionEvent(.status, date: Date(), device: file.device)
            event.report = EventReport(
                writtenBy: file.device, own: own, store: store, rows: nil, keys: [],
                latency: ContinuousClock.now - change.since)
            emit(event)
        }
    }

    private func notePresence(_ isMissing: Bool, _ emit: (SessionEvent) -> Void) {
        state.withLock { $0.isMissing = isMissing }
        emit(.store(isMissing: isMissing))
    }

    private func currentFiles(_ kinds: some Sequence<DatabaseKind>) -> [DeviceFile] {
        ((try? package.devices()) ?? []).flatMap { folder in
            kinds.filter(folder.has).map { DeviceFile(folder.id, $0) }
        }
    }

    /// Returns whether a file has changed since the last call.
    private func isNew(_ file: DeviceFile) -> Bool {
        let stamp = (try? package.device(file.device)).flatMap {
            try? FileStamp(ofFileAt: $0.path(of: file.kind))
        }
        return state.withLock { state in
            guard state.stamps[file] != stamp else { return false }
            state.stamps[file] = stamp
            return true
        }
    }

    func reload() async {}
    func setWritable(_ isWritable: Bool) { writing.isUnlocked = isWritable }
    func close() async { state.withLock { $0.watcher = nil } }
}

extension PaneID {
    /// The devices of a package.
    public static let devices = PaneID("devices", of: "package")
    /// The files in `Blobs/`.
    public static let blobs = PaneID("blobs", of: "package")
}
