import EntityStore
import Foundation
import KeyValueStore
public import Replication
import Synchronization

/// The key-value store of a package as a part of a session: keys, log, conflicts.
public final class KeyValuePart: LogPart, FollowedPart {
    package let kind = DatabaseKind.logs
    public let panes: [Pane]
    public let conflicts: (any ConflictListing)?
    let context: KeyValueContext
    private let log: LogSource
    /// The list of blobs. Updated before subscribers are notified, so that they read the current
    /// list.
    private let blobs: BlobList?
    let lifecycle = StoreLifecycle<KeyValueStore>(stage: "reading logs")
    /// Whether the part follows and reports later changes.
    private let follows: Bool
    /// The last known activity of each device, and the status of its log at that time.
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
        // Use a short timeout, because the user waits for the write. If a write takes longer, it is
        // retried in the background.
        if follows { configuration.lockTimeout = .seconds(2) }
        let store = KeyValueStore(
            package: package, device: device, configuration: configuration)
        context = KeyValueContext(
            store: store, package: package, device: device, isWritable: isWritable)
        log = LogSource(context)
        let keys = KeysSource(context)
        panes = [Pane(.keys, keys), Pane(.log, log)]
        conflicts = KeyConflicts(context, keys: keys)
    }

    public var status: PartStatus {
        let store = context.store
        return PartStatus(
            phase: lifecycle.phase, ownDevice: context.device,
            devices: store.devices.map(DeviceReport.init), conflictCount: store.conflictCount,
            counts: [.keys: store.count, .log: store.rowCount],
            unsaved: context.unsaved)
    }

    /// Returns the list of the other devices' rows that a device has seen.
    func seen(
        by device: SessionStatus.Device, documents: SeenDocumentChanges?,
        among devices: @escaping @Sendable () -> [SessionStatus.Device]
    ) -> any RowSource {
        SeenSource(context, by: device, documents, devices)
    }

    package var logStatuses: [DeviceStatus]? {
        lifecycle.phase == .live ? context.store.devices : nil
    }

    func open() -> KeyValueStore { context.store }

    func changes(of store: KeyValueStore) -> AsyncStream<KeyValueStore.Event>? {
        follows ? store.events() : nil
    }

    func read(_ store: KeyValueStore) async throws { try await store.load() }

    func sync(_ store: KeyValueStore) async throws { try await store.sync() }

    func handle(_ event: KeyValueStore.Event, of store: KeyValueStore) {
        let own = context.device
        // This device counts only after its first write.
        let devices = store.devices.count { !($0.isOwn && $0.state == .absent) }
        let report = EventReport(event, own: own, deviceCount: devices)
        forward(event) {
            var event = $0
            event.report = report
            lifecycle.emit(event)
        }
    }

    private func forward(_ event: KeyValueStore.Event, _ emit: (SessionEvent) -> Void) {
        let date = event.date
        switch event.kind {
        case .loaded(_, let keyCount, let rows):
            // This device counts only after its first write.
            let devices = context.store.devices.count { $0.state != .absent }
            context.noteChange(isLoad: true)
            emit(
                SessionEvent(
                    .loaded, date: date,
                    summary: "loaded \(Counted.text(keyCount, "key")), "
                        + "\(Counted.text(rows, "row")) from " + Counted.text(devices, "device")))
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
            // Device names may have changed, so existing lists are outdated.
            if path.hasPrefix(StorePackage.deviceNameFolder) { context.noteChange() }
            emit(SessionEvent(.blob(path), date: date, summary: "blob \(path)"))
        case .saveFailed(let message):
            let keys = AppliedEdit.summary(context.store.unsavedKeys)
            let reason = context.store.saveFailure.map { context.reason(of: $0) } ?? message
            emit(
                SessionEvent(
                    .status, date: date,
                    summary: keys.isEmpty
                        ? "not written: \(reason)" : "not written yet: \(keys): \(reason)"))
        case .saveUnconfirmed(let message):
            emit(SessionEvent(.status, date: date, summary: message))
        case .saved:
            // The last unsaved changes were saved or discarded.
            emit(SessionEvent(.status, date: date, summary: "no unsaved changes are left"))
        case .deleted: lifecycle.setMissing(true, date: date)
        case .returned:
            context.noteChange()
            lifecycle.setMissing(false, date: date)
        }
    }

    /// Returns one event for all changed keys: `+3 note/2/…`.
    private func changed(
        _ changes: KeyValueStore.Changes, device: DeviceID?, isOwn: Bool,
        rows sync: KeyValueStore.Sync?, date: Date
    ) -> SessionEvent {
        var marks: [RowID: RowMark] = [:]
        for (key, change) in changes.byKey {
            marks[RowID(key.text)] =
                change.isRemoval ? .deleted : change.isNew ? .new : .changed
        }
        context.noteChange()
        let names = changes.keys
        let subject =
            switch names.count {
            case 0: sync.map { "\(Counted.text($0.rows, "row")), no value changed" } ?? ""
            case 1: names[0]
            default: Self.several(names)
            }
        return SessionEvent(
            .changed(.keys, rows: marks, isOwn: isOwn), date: date, device: device,
            summary: Self.exchange(changes)
                ?? "\(changes.counts(rows: sync?.rows ?? 0)) \(subject)",
            elsewhere: [.conflicts: marks, .log: sync.map { log.marks(ofNew: $0) } ?? [:]],
            values: Self.values(changes),
            written: isOwn ? nil : sync?.oldest, rowCount: sync?.rows ?? changes.keys.count)
    }

    /// The maximum number of changed keys in an event with values.
    private static let mostValues = 1_000

    /// Returns the values of keys, each on a line of at most 1,000 characters.
    private static func values(_ changes: KeyValueStore.Changes) -> [RowID: String] {
        guard changes.byKey.count <= mostValues else { return [:] }
        let values = changes.byKey.map { key, change in
            let text =
                change.isRemoval
                ? "deleted"
                : change.value?.line ?? PropertyList.line(ofByteCount: change.byteCount)
            return (RowID(key.text), String(text.prefix(1_000)))
        }
        return Dictionary(values) { $1 }
    }

    /// Returns a summary that names both keys if one key was deleted and one was added, as by
    /// renaming. It doesn't report whether both have the same value, because that requires reading
    /// the log.
    private static func exchange(_ changes: KeyValueStore.Changes) -> String? {
        guard changes.byKey.count == 2,
            let old = changes.byKey.first(where: \.value.isRemoval),
            let new = changes.byKey.first(where: \.value.isNew)
        else { return nil }
        return "deleted \(old.key.text), set \(new.key.text)"
    }

    /// Returns the common prefix of keys. If they have none, returns the first key.
    private static func several(_ names: [String]) -> String {
        // The keys are sorted, so the prefix of the first and last is common to all.
        let beginning = (names.first ?? "").commonPrefix(with: names.last ?? "")
        guard beginning.isEmpty else { return beginning + "…" }
        return names.prefix(2).joined(separator: ", ") + (names.count > 2 ? ", …" : "")
    }

    public func setWritable(_ isWritable: Bool) { context.writing.isUnlocked = isWritable }

    public func activity(buckets: Int) async throws -> Activity {
        let devices = context.store.devices
        let known = knownActivity.withLock { $0 }
        // Read only the logs that have changed.
        let changed = devices.filter { known[$0.device]?.status != $0 }
        let found = try context.store.timeline(devices: Set(changed.map(\.device))).samples
        return knownActivity.withLock { known in
            for status in changed {
                let samples = Self.samples(found[status.device] ?? [])
                // While a file is incomplete, keep its known rows and their activity.
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
        lifecycle.cancel()
        let keys = context.store.unsavedKeys
        do {
            try context.store.close()
        } catch {
            context.lost = UnsavedChanges(subjects: keys, reason: context.reason(of: error))
        }
    }
}

extension DeviceReport {
    /// Creates the report of a device in the key-value store.
    init(_ status: DeviceStatus) {
        self.init(
            status, of: .logs, in: PaneID.keys.part, format: status.format?.rawValue,
            name: status.name)
        isPlain = true
        if status.hasClockProblem { notes.append("its newest row is more than a day ahead") }
        // The entity store reports files next to its own database.
        let entities = Name(DatabaseKind.entities.fileName.lowercased())
        for finding in status.findings where status.problem?.contains(finding.name) != true {
            if let original = finding.original, Name(original.lowercased()) == entities { continue }
            let text = "\(finding.name.quoted) is \(finding.explanation)"
            if finding.role == .conflictCopy { copies.append(text) } else { remarks.append(text) }
        }
    }
}

extension PaneID {
    /// The dictionary: every key with its winning value.
    public static let keys = PaneID("keys")
    /// The rows of all logs, by time.
    public static let log = PaneID("log", of: "keys")
}
