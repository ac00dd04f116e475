import Foundation
import KeyValueStore
import Logging
import Replication
import Synchronization

/// The key-value store of a package as part of a session: keys, log, conflicts, devices, blobs.
final class KeyValuePart: SessionPart {
    let panes: [Pane]
    private let context: KeyValueContext
    private let keys: KeysSource
    private let conflicts: ConflictsSource
    private let log: LogSource
    private let phase = Mutex(SessionStatus.Phase.loading(stage: "reading logs", fraction: nil))
    private let conflictCount = Mutex(0)
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private static let logger = Logger(label: "tideline.key-value")

    init(package: StorePackage, device: DeviceID?, isWritable: Bool) {
        var configuration = KeyValueStore.Configuration()
        // A person waits: what takes longer is tried again behind the screen.
        configuration.lockTimeout = .seconds(2)
        let store = KeyValueStore(
            package: package, device: device, configuration: configuration)
        context = KeyValueContext(
            store: store, package: package, device: device, isWritable: isWritable)
        keys = KeysSource(context)
        conflicts = ConflictsSource(context)
        log = LogSource(context)
        panes = [
            Pane(.keys, keys), Pane(.log, log), Pane(.conflicts, conflicts),
            Pane(.devices, DevicesSource(context)), Pane(.blobs, BlobsSource(package)),
        ]
    }

    func contribute(to status: inout SessionStatus) {
        let store = context.store
        status.phase = phase.withLock { $0 }
        status.ownDevice = context.device
        status.conflictCount = conflictCount.withLock { $0 }
        if let unsaved = context.unsaved { status.unsaved = status.unsaved + unsaved }
        status.counts[.keys] = store.count
        status.counts[.log] = store.rowCount
        status.counts[.conflicts] = status.conflictCount
        let devices = context.devices
        status.counts[.devices] = devices.count
        for device in devices {
            status.devices.append(
                SessionStatus.Device(
                    id: device.device, name: device.name, state: device.state.rawValue,
                    problem: device.problem, rows: device.rows, newest: device.last,
                    isOwn: device.isOwn))
            if let problem = device.problem {
                status.problems.append("\(device.name): \(problem)")
            }
            if device.hasClockProblem {
                status.problems.append("\(device.name): its clock is more than a day ahead")
            }
            for finding in device.findings
            where finding.role == .conflictCopy && device.problem?.contains(finding.name) != true {
                status.problems.append(
                    "\(device.name): \(finding.name.debugDescription) is \(finding.explanation)")
            }
        }
    }

    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        let events = context.store.events()
        let listening = Task { [weak self] in
            for await event in events { self?.handle(event, emit) }
        }
        let loading = Task { [weak self, context] in
            do {
                try await context.store.load()
            } catch {
                self?.phase.withLock { $0 = .failed(String(describing: error)) }
                emit(SessionEvent(.status, date: Date(), summary: String(describing: error)))
            }
        }
        tasks.withLock { $0 = [listening, loading] }
    }

    private func handle(
        _ event: KeyValueStore.Event, _ emit: @Sendable (SessionEvent) -> Void
    ) {
        let date = event.date
        switch event.kind {
        case .loaded(_, let keyCount, let rows):
            // This device counts once it has written.
            let devices = context.store.devices.count { $0.state != .absent }
            keys.storeLoaded()
            conflicts.storeLoaded()
            storeChanged()
            phase.withLock { $0 = .live }
            emit(
                SessionEvent(
                    .loaded, date: date,
                    summary: "loaded \(keyCount) keys, \(rows) rows of \(devices) devices"))
        case .changed(let changes):
            emit(changed(changes, device: context.device, isOwn: true, rows: nil, date: date))
        case .synced(let sync):
            emit(
                changed(
                    sync.changes, device: sync.device, isOwn: sync.device == context.device,
                    rows: sync, date: date))
        case .conflict(let key, let devices):
            storeChanged()
            let names = devices.map(context.name(of:)).joined(separator: ", ")
            emit(
                SessionEvent(
                    .conflict(RowID(key)), date: date, device: devices.first,
                    summary: "≠ \(key): \(names)"))
        case .resolved(let key):
            storeChanged()
            emit(SessionEvent(.resolved(RowID(key)), date: date, summary: "resolved \(key)"))
        case .device(let status):
            emit(
                SessionEvent(
                    .device(state: status.state.rawValue, problem: status.problem), date: date,
                    device: status.device,
                    summary: "is \(status.state.rawValue)"
                        + (status.problem.map { ": \($0)" } ?? "")))
        case .blob(let path):
            emit(SessionEvent(.blob(path), date: date, summary: "blob \(path)"))
        case .saveFailed(let message):
            let keys = context.store.unsavedKeys.joined(separator: ", ")
            emit(
                SessionEvent(
                    .status, date: date,
                    summary: keys.isEmpty
                        ? "not written: \(message)"
                        : "not written yet: \(keys): \(message)"))
        case .saved:
            emit(SessionEvent(.status, date: date, summary: "nothing waits to be written"))
        case .deleted:
            phase.withLock { $0 = .gone }
            emit(SessionEvent(.deleted, date: date, summary: "the package is gone"))
        case .returned:
            phase.withLock { $0 = .live }
            storeChanged()
            emit(SessionEvent(.status, date: date, summary: "the package is there again"))
        }
    }

    private func storeChanged() {
        keys.storeChanged()
        conflicts.storeChanged()
        log.storeChanged()
        let count = context.store.conflictCount
        conflictCount.withLock { $0 = count }
    }

    /// One line for many keys: `+3 note/2/…`.
    private func changed(
        _ changes: KeyValueStore.Changes, device: DeviceID?, isOwn: Bool,
        rows sync: KeyValueStore.Sync?, date: Date
    ) -> SessionEvent {
        var marks: [RowID: RowMark] = [:]
        for (key, change) in changes.byKey {
            marks[RowID(key.text)] =
                change.isRemoval ? .gone : change.isNew ? .new : .changed
        }
        storeChanged()
        let names = changes.keys
        let subject =
            switch names.count {
            case 0: sync.map { "\($0.rows) rows, no value changed" } ?? ""
            case 1: names[0]
            default: Self.commonBeginning(names) + "…"
            }
        return SessionEvent(
            .changed(.keys, rows: marks, isOwn: isOwn), date: date, device: device,
            summary: "+\(max(names.count, sync?.rows ?? 0)) \(subject)",
            elsewhere: sync.map { [.log: log.marks(ofNew: $0)] } ?? [:])
    }

    private static func commonBeginning(_ names: [String]) -> String {
        guard let first = names.first, let last = names.last else { return "" }
        // They are sorted: what the first and the last share, all share.
        return first.commonPrefix(with: last)
    }

    func reload() async {
        do {
            // What could not be loaded may be there by now.
            if case .failed = phase.withLock({ $0 }) { try await context.store.load() }
            try await context.store.sync()
        } catch {
            Self.logger.error("reading anew: \(error)")
        }
    }

    func setWritable(_ isWritable: Bool) { context.isWritable = isWritable }

    func timeline(buckets: Int) async throws -> Timeline? {
        let timeline = try context.store.timeline()
        let instants = timeline.samples.values.flatMap { $0.map(\.timestamp) }
        guard let first = instants.min(), let last = instants.max() else { return nil }
        return Timeline(
            first: first, last: last,
            activity: timeline.samples.mapValues {
                Self.activity($0, from: first, to: last, buckets: max(1, min(buckets, 10_000)))
            })
    }

    func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { try context.store.nearestTimestamp(to: instant, backwards: backwards, device: device) }

    /// Rows a bucket, from samples of a log's rows: what lies between two samples is spread evenly.
    private static func activity(
        _ samples: [(timestamp: Timestamp, rank: Int)], from first: Timestamp, to last: Timestamp,
        buckets: Int
    ) -> [Int] {
        var counts = [Int](repeating: 0, count: buckets)
        let span = Double(last.microseconds) - Double(first.microseconds)
        var rank = 0
        for sample in samples {
            let offset = Double(sample.timestamp.microseconds) - Double(first.microseconds)
            let bucket = span > 0 ? Int(offset / span * Double(buckets - 1)) : 0
            counts[max(0, min(bucket, buckets - 1))] += max(0, sample.rank - rank)
            rank = sample.rank
        }
        return counts
    }

    func withdraw() async throws -> [String] { try context.store.withdrawUnsavedChanges() }

    func close() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        let keys = context.store.unsavedKeys
        do {
            try context.store.close()
        } catch {
            context.lost = UnsavedChanges(subjects: keys, reason: String(describing: error))
        }
    }
}
