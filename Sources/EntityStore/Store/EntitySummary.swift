import Dispatch
public import Replication
import Synchronization

/// The counts of a store, and the status of its devices.
public struct EntitySummary: Hashable, Sendable {
    /// The number of entities, without deleted ones.
    public var entityCount = 0
    /// The number of properties with a value.
    public var propertyCount = 0
    /// The number of properties in conflict.
    public var conflictCount = 0
    /// The number of rows of all readable devices.
    public var rowCount = 0
    /// The status of each device's file, by device.
    public var devices: [DeviceStatus] = []
    /// The time of each device's oldest row.
    public var first: [DeviceID: Timestamp] = [:]
    /// For each device whose log lacks rows that another device has seen, the number of the last of
    /// these rows.
    package var missingRows: [DeviceID: UInt32] = [:]

    /// Reads a package's entities on the caller's thread.
    ///
    /// - Throws: `ReplicationError` if the package is missing or can't be listed.
    /// - Complexity: O(*n*) in the number of rows of all devices.
    public static func read(package: StorePackage) throws -> EntitySummary {
        var options = LogFollower<EntityLog>.Options()
        options.watches = false
        return try EntitySummary(EntityPackageBacking(package, device: nil, options: options))
    }

    /// Reads a file of the original Datastore on the caller's thread.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable`, `.incomplete`.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func read(coreData path: String) throws -> EntitySummary {
        try EntitySummary(FileBacking.datastore(path))
    }

    /// Reads one device's log on the caller's thread.
    ///
    /// - Throws: `ReplicationError`: `.notFound`, `.unreadable`, `.incomplete`.
    /// - Complexity: O(*n*) in the number of its rows.
    public static func read(log path: String) throws -> EntitySummary {
        try EntitySummary(FileBacking.log(path))
    }

    private init(_ backing: any EntityBacking) throws {
        let read = Loaded()
        backing.onEvent { event in
            guard case .loaded(let batches, let devices) = event else { return }
            read.content.withLock { $0 = (batches, devices) }
        }
        try backing.queue.sync {
            try backing.load()
            backing.close()
        }
        let (batches, statuses) = read.content.withLock { $0 }
        var graph = EntityGraph()
        for batch in batches {
            try graph.ingest(batch)
            first[batch.device] = batch.rows.lazy.map(\.timestamp).min()
                .map(Timestamp.init(microseconds:))
        }
        graph.applyPending()
        devices = statuses.filter { $0.state != .absent }
        entityCount = graph.listing().count
        propertyCount = graph.propertyCount
        conflictCount = graph.conflicts.count
        rowCount = devices.reduce(0) { $0 + $1.rows }
        for device in graph.devices {
            guard let row = graph.lastCoveredRow(of: device), row > graph.lastRow(of: device) else {
                continue
            }
            missingRows[device] = row
        }
    }

    private final class Loaded: Sendable {
        let content = Mutex<([EntityRowBatch], [DeviceStatus])>(([], []))
    }
}
