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
    let log: LogSource
    /// The list of blobs. Updated before subscribers are notified, so that they read the current
    /// list.
    let blobs: BlobList?
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
