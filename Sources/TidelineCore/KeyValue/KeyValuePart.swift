import Foundation
public import KeyValueStore
public import Replication
import Synchronization

/// The key-value store of a package as part of a session: keys, log, conflicts.
public final class KeyValuePart: SessionPart {
    public let panes: [Pane]
    private let context: KeyValueContext
    private let log: LogSource
    /// Told of blobs before whoever asks for them anew is.
    private let blobs: BlobList?
    private let phase = Mutex(SessionStatus.Phase.loading(stage: "reading logs", fraction: nil))
    /// Whether what is written meanwhile is taken in, and told.
    private let follows: Bool
    private let listening = Mutex<Task<Void, Never>?>(nil)
    private let loading = Mutex<Task<Void, any Error>?>(nil)
    /// When each device wrote, as it was known last, and what was known of its log then.
    private let knownActivity = Mutex<
        [DeviceID: (status: DeviceStatus, samples: [Activity.Sample])]
    >([:])

    init(
        package: StorePackage, device: DeviceID?, isWritable: Bool, follows: Bool = true,
        blobs: BlobList? = nil
    ) {
        self.follows = follows
        self.blobs = blobs
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = follows
        // A person waits: what takes longer is tried again behind the screen.
        if follows { configuration.lockTimeout = .seconds(2) }
        let store = KeyValueStore(
            package: package, device: device, configuration: configuration)
        context = KeyValueContext(
            store: store, package: package, device: device, isWritable: isWritable)
        log = LogSource(context)
        panes = [
            Pane(.keys, KeysSource(context)), Pane(.log, log),
            Pane(.conflicts, ConflictsSource(context), listsConflicts: true),
        ]
    }

    public var status: PartStatus {
        let store = context.store
        let conflictCount = store.conflictCount
        return PartStatus(
            phase: phase.withLock { $0 }, ownDevice: context.device,
            devices: store.devices.map(DeviceReport.init), conflictCount: conflictCount,
            counts: [
                .keys: store.count, .log: store.rowCount, .conflicts: conflictCount,
            ],
            unsaved: context.unsaved)
    }

    /// How the store gets on with each log; `nil` before all of them were read.
    var logStatuses: [DeviceStatus]? {
        phase.withLock { $0 } == .live ? context.store.devices : nil
    }

    /// Begins to read the logs; where the part follows them, what comes is told from then on.
    public func start(emit: @escaping @Sendable (SessionEvent) -> Void) {
        if follows {
            let events = context.store.events()
            listening.withLock {
                $0 = Task { [weak self] in
                    for await event in events { self?.handle(event, emit) }
                }
            }
        }
        let loading = Task { [weak self, context, follows] in
            do {
                try await context.store.load()
                if !follows { self?.phase.withLock { $0 = .live } }
            } catch {
                self?.phase.withLock { $0 = .failed(SessionFailure(error)) }
                emit(SessionEvent(.status, date: Date(), summary: String(describing: error)))
                throw error
            }
        }
        self.loading.withLock { $0 = loading }
    }

    public func loadedStore() async throws -> KeyValueStore {
        try await loading.withLock { $0 }?.value
        return context.store
    }

    private func handle(
        _ event: KeyValueStore.Event, _ emit: @Sendable (SessionEvent) -> Void
    ) {
        let own = context.device
        // This device counts once it has written.
        let devices = context.store.devices.count { !($0.isOwn && $0.state == .absent) }
        let report = EventReport(event, own: own, deviceCount: devices)
        tell(event) {
            var event = $0
            event.report = report
            emit(event)
        }
    }

    private func tell(_ event: KeyValueStore.Event, _ emit: (SessionEvent) -> Void) {
        let date = event.date
        switch event.kind {
        case .loaded(_, let keyCount, let rows):
            // This device counts once it has written.
            let devices = context.store.devices.count { $0.state != .absent }
            context.noteChange(isLoad: true)
            phase.withLock { $0 = .live }
            emit(
                SessionEvent(
                    .loaded, date: date,
                    summary: "loaded \(Counted.text(keyCount, "key")), "
                        + "\(Counted.text(rows, "row")) of " + Counted.text(devices, "device")))
        case .changed(let changes):
            emit(changed(changes, device: context.device, isOwn: true, rows: nil, date: date))
        case .synced(let sync):
            emit(
                changed(
                    sync.changes, device: sync.device, isOwn: sync.device == context.device,
                    rows: sync, date: date))
        case .conflict(let key, let devices, let writer):
            context.noteChange()
            let names = devices.map(context.name(of:)).joined(separator: ", ")
            emit(
                SessionEvent(
                    .conflict(.conflicts, RowID(key)), date: date, device: writer,
                    summary: "≠ \(key): \(names)", elsewhere: [.keys: [RowID(key): .conflict]]))
        case .resolved(let key):
            context.noteChange()
            emit(
                SessionEvent(
                    .resolved(.keys, RowID(key)), date: date, summary: "resolved \(key)"))
        case .device: emit(SessionEvent(.devices, date: date))
        case .blob(let path):
            blobs?.note([Name(path)])
            // Devices may be called otherwise, which lists that were made do not know.
            if path.hasPrefix(StorePackage.deviceNameFolder) { context.noteChange() }
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
            emit(SessionEvent(.deleted, date: date, summary: "the store is gone"))
        case .returned:
            phase.withLock { $0 = .live }
            context.noteChange()
            emit(SessionEvent(.returned, date: date, summary: "the store is there again"))
        }
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
        context.noteChange()
        let names = changes.keys
        let subject =
            switch names.count {
            case 0: sync.map { "\($0.rows) rows, no value changed" } ?? ""
            case 1: names[0]
            default: Self.several(names)
            }
        return SessionEvent(
            .changed(.keys, rows: marks, isOwn: isOwn), date: date, device: device,
            summary: Self.exchange(changes)
                ?? "\(changes.counts(rows: sync?.rows ?? 0)) \(subject)",
            elsewhere: [.conflicts: marks, .log: sync.map { log.marks(ofNew: $0) } ?? [:]],
            written: isOwn ? nil : sync?.oldest, rowCount: sync?.rows ?? changes.keys.count)
    }

    /// Both names where one key went and one came, as a key with another name does: that the value is
    /// the same is not known without reading the log.
    private static func exchange(_ changes: KeyValueStore.Changes) -> String? {
        guard changes.byKey.count == 2,
            let old = changes.byKey.first(where: \.value.isRemoval),
            let new = changes.byKey.first(where: \.value.isNew)
        else { return nil }
        return "removed \(old.key.text), set \(new.key.text)"
    }

    /// What keys share, or the first of them where that is nothing.
    private static func several(_ names: [String]) -> String {
        let beginning = commonBeginning(names)
        guard beginning.isEmpty else { return beginning + "…" }
        return names.prefix(2).joined(separator: ", ") + (names.count > 2 ? ", …" : "")
    }

    private static func commonBeginning(_ names: [String]) -> String {
        guard let first = names.first, let last = names.last else { return "" }
        // They are sorted: what the first and the last share, all share.
        return first.commonPrefix(with: last)
    }

    public func reload() async throws {
        // What could not be loaded may be there by now.
        if case .failed = phase.withLock({ $0 }) { try await context.store.load() }
        try await context.store.sync()
    }

    public func setWritable(_ isWritable: Bool) { context.isWritable = isWritable }

    public func activity(buckets: Int) async throws -> Activity {
        let devices = context.store.devices
        let known = knownActivity.withLock { $0 }
        // Only the logs that have changed are looked at.
        let changed = devices.filter { known[$0.device]?.status != $0 }
        let found = try context.store.timeline(devices: Set(changed.map(\.device))).samples
        return knownActivity.withLock { known in
            for status in changed {
                let samples = Self.samples(found[status.device] ?? [])
                // Of a file that is half there for a while the rows stay known, and so does when
                // they were written.
                if samples.isEmpty, status.rows > 0 { continue }
                known[status.device] = (status, samples)
            }
            let present = Set(devices.map(\.device))
            known = known.filter { present.contains($0.key) }
            return Activity(known.mapValues(\.samples).filter { !$0.value.isEmpty })
        }
    }

    private static func samples(
        _ found: [(timestamp: Timestamp, rank: Int)]
    ) -> [Activity.Sample] {
        var rank = 0
        return found.map { sample in
            defer { rank = sample.rank }
            return Activity.Sample(sample.timestamp, max(0, sample.rank - rank))
        }
    }

    public func step(from instant: Timestamp, backwards: Bool, device: DeviceID?) async throws
        -> Timestamp?
    { try context.store.nearestTimestamp(to: instant, backwards: backwards, device: device) }

    public func writes(at instant: Timestamp, device: DeviceID?) async throws -> [PastWrite] {
        try context.writes(at: instant, device: device)
    }

    public func withdraw() async throws -> [String] {
        defer { context.noteChange() }
        return try context.store.withdrawUnsavedChanges()
    }

    public func close() async {
        listening.withLock { $0 }?.cancel()
        loading.withLock { $0 }?.cancel()
        let keys = context.store.unsavedKeys
        do {
            try context.store.close()
        } catch {
            context.lost = UnsavedChanges(subjects: keys, reason: String(describing: error))
        }
    }
}

extension DeviceReport {
    /// What the key-value store has of a device.
    init(_ status: DeviceStatus) {
        self.init(status, in: PaneID.keys.part, format: status.format?.rawValue)
        name = status.name
        isPlain = true
        if status.hasClockProblem { notes.append("its clock is more than a day ahead") }
        // The entity store tells of what was left beside its own files.
        let entities = Name(DatabaseKind.entities.fileName.lowercased())
        for finding in status.findings where status.problem?.contains(finding.name) != true {
            if let original = finding.original, Name(original.lowercased()) == entities { continue }
            let text = "\(finding.name.quoted) is \(finding.explanation)"
            if finding.role == .conflictCopy { copies.append(text) } else { remarks.append(text) }
        }
    }
}

extension PaneID {
    /// The keys of the dictionary, with their values.
    public static let keys = PaneID("keys")
    /// The rows of all logs, by time.
    public static let log = PaneID("log", of: "keys")
    /// The keys on which devices disagree.
    public static let conflicts = PaneID("conflicts", of: "keys")
}
