public import Replication

/// How much a store holds, and how its devices fare.
public struct EntitySummary: Hashable, Sendable {
    public var entityCount = 0
    /// Properties that have a value.
    public var propertyCount = 0
    public var rowCount = 0
    public var devices: [EntityDeviceStatus] = []
    /// When each device's oldest row was written.
    public var first: [DeviceID: Timestamp] = [:]

    /// Reads a package's entities, on the caller's thread.
    public static func read(package: StorePackage) throws -> EntitySummary {
        try EntitySummary(PackageBacking(package, device: nil))
    }

    /// Reads a file of the original Datastore, on the caller's thread.
    public static func read(coreData path: String) throws -> EntitySummary {
        try EntitySummary(DatastoreBacking(path: path))
    }

    /// Reads one device's log, on the caller's thread.
    public static func read(log path: String) throws -> EntitySummary {
        try EntitySummary(LogFileBacking(path: path))
    }

    private init(_ backing: any EntityBacking) throws {
        let read = try backing.read()
        var graph = EntityGraph()
        for batch in read.batches {
            try graph.ingest(batch)
            first[batch.device] = batch.rows.lazy.map(\.timestamp).min()
                .map(Timestamp.init(microseconds:))
        }
        graph.settle()
        devices = read.devices
        entityCount = graph.listing().count
        propertyCount = graph.propertyCount
        rowCount = devices.reduce(0) { $0 + $1.rowCount }
    }
}
