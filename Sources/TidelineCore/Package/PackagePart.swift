import Foundation
import Replication
import Synchronization

/// What belongs to a package as a whole and to none of its stores: its devices, its blobs, and that
/// files were written which no part follows.
final class PackagePart: SessionPart {
    let panes: [Pane]
    private let package: StorePackage
    private let own: DeviceID?
    private let stores: [any SessionPart]
    private let doctor: DoctorPart
    private let arrivals: Arrivals
    private let blobs: BlobList
    private let state = Mutex(State())

    private struct State {
        /// The files as they were when they were last told of.
        var stamps: [DeviceFile: FileStamp] = [:]
        var watcher: FolderWatcher?
        var isGone = false
        /// `nil` until they are counted.
        var blobCount: Int?
        /// Whether blobs are being counted, and whether some came or went meanwhile.
        var isCounting = false
        var isCountOld = false

        /// Whether there is something to count; else counting ends.
        mutating func beginsToCount() -> Bool {
            isCounting = isCountOld
            isCountOld = false
            return isCounting
        }
    }

    /// Stores that are read when somebody asks, and have no rows to follow: that they were written
    /// is what there is to tell.
    private static let wholeFiles: [DatabaseKind: String] = [.catalog: "catalog"]

    /// - Parameters:
    ///   - own: The device whose writes are told as this one's.
    ///   - stores: The parts of the package that tell of devices.
    ///   - doctor: The part that tells what is wrong with their files.
    init(
        _ package: StorePackage, own: DeviceID?, stores: [any SessionPart], doctor: DoctorPart,
        arrivals: Arrivals, blobs: BlobList
    ) {
        let stores = stores + [doctor]
        self.package = package
        self.own = own
        self.stores = stores
        self.doctor = doctor
        self.arrivals = arrivals
        self.blobs = blobs
        panes = [
            Pane(
                .devices,
                DevicesSource(of: package.path) {
                    SessionStatus.Device.merging(stores.map(\.status))
                }),
            Pane(.blobs, BlobsSource(package.blobs, blobs)),
        ]
    }

    var status: PartStatus {
        let devices = SessionStatus.Device.merging(stores.map(\.status))
        let (isGone, blobCount) = state.withLock { ($0.isGone, $0.blobCount) }
        var counts = [PaneID.devices: devices.count]
        counts[.blobs] = blobCount
        return PartStatus(phase: isGone ? .gone : nil, counts: counts)
    }

    // What happens to blobs is told by the stores that follow the package. That it goes and comes
    // back is told by them too, but a store that was still being read then knows nothing of it.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        for file in currentFiles() { _ = isNew(file) }
        let watcher = try? FolderWatcher(package) { [weak self] in self?.apply($0, emit) }
        if watcher != nil { blobs.follow() }
        state.withLock { $0.watcher = watcher }
        countBlobs(emit)
    }

    /// Counts the blobs, while nobody waits for it.
    private func countBlobs(_ emit: @escaping @Sendable (SessionEvent) -> Void) {
        let begins = state.withLock { state in
            state.isCountOld = true
            defer { state.isCounting = true }
            return !state.isCounting
        }
        guard begins else { return }
        Task.detached(priority: .utility) { [weak self] in
            while let time = self?.countOnce(emit) {
                // Those that come one after the other are counted together, in a tenth of the time.
                try? await Task.sleep(for: time * 10)
            }
        }
    }

    /// - Returns: How long it took; `nil` where there was nothing new to count.
    private func countOnce(_ emit: @Sendable (SessionEvent) -> Void) -> Duration? {
        guard state.withLock({ $0.beginsToCount() }) else { return nil }
        let start = ContinuousClock.now
        // What cannot be read has no number.
        let count = try? blobs.current().entries.count
        let isOther = state.withLock { state in
            defer { state.blobCount = count }
            return state.blobCount != count
        }
        if isOther { emit(SessionEvent(.status, date: Date())) }
        return .now - start
    }

    private func apply(
        _ change: PackageChange, _ emit: @escaping @Sendable (SessionEvent) -> Void
    ) {
        if change.isGone { noteGone(true, emit) }
        if change.isBack { noteGone(false, emit) }
        if !change.blobs.isEmpty || change.needsRescan || change.isBack {
            blobs.note(change.needsRescan || change.isBack ? [""] : change.blobs)
            countBlobs(emit)
        }
        doctor.filesChanged(
            change.needsRescan ? Set(currentFiles(DatabaseKind.allCases)) : change.files)
        let files = change.needsRescan ? change.files.union(currentFiles()) : change.files
        for file in files.sorted(by: { $0.device < $1.device }) {
            guard let store = Self.wholeFiles[file.kind] else {
                arrivals.note(file, change.since)
                continue
            }
            guard isNew(file) else { continue }
            var event = SessionEvent(.status, date: Date(), device: file.device)
            event.report = EventReport(
                writtenBy: file.device, own: own, store: store, rows: nil, keys: [],
                latency: ContinuousClock.now - change.since)
            emit(event)
        }
    }

    private func noteGone(_ isGone: Bool, _ emit: (SessionEvent) -> Void) {
        state.withLock { $0.isGone = isGone }
        emit(
            isGone
                ? SessionEvent(.deleted, date: Date(), summary: "the store is gone")
                : SessionEvent(.returned, date: Date(), summary: "the store is there again"))
    }

    private func currentFiles(
        _ kinds: some Sequence<DatabaseKind> = PackagePart.wholeFiles.keys
    ) -> [DeviceFile] {
        ((try? package.devices()) ?? []).flatMap { folder in
            kinds.filter(folder.has).map { DeviceFile(folder.id, $0) }
        }
    }

    /// Whether a file is another than when it was last looked at.
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
    func close() async { state.withLock { $0.watcher = nil } }
}

extension PaneID {
    /// The devices of a package.
    public static let devices = PaneID("devices", of: "package")
    /// The files under `Blobs/`.
    public static let blobs = PaneID("blobs", of: "package")
}
