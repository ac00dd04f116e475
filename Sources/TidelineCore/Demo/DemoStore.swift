import Foundation
import KeyValueStore
public import Replication
import ServerCatalog
import ServerCatalogGRDB
import Synchronization

/// Builds a demo store, which tells a story: a household uses a notes app on several devices for
/// three weeks. The store has history, conflicts and blobs.
public struct DemoStore: Sendable {
    /// The size of the store.
    public struct Options: Sendable {
        /// The minimum number of rows in all logs. The story itself has a few hundred.
        public var rows = 0
        /// The number of devices, at least three.
        public var devices = 3
        /// The seed. The same seed builds the same store, apart from timestamps.
        public var seed: UInt64 = 2
        /// The end of the story.
        public var now = Timestamp(Date())

        /// Creates the options for three devices and only the story's rows.
        public init() {}
    }

    private let options: Options

    /// Prepares the demo store. Call ``build(at:progress:willFill:)`` to write it.
    public init(_ options: Options = Options()) { self.options = options }

    /// The devices of the story, with their display names.
    static let cast: [(id: String, name: String)] = [
        ("anna-laptop", "Anna's laptop"), ("ben-phone", "Ben's phone"),
        ("kitchen-tablet", "Kitchen tablet"),
    ]

    static func deviceName(_ number: Int) -> (id: String, name: String) {
        number < cast.count ? cast[number] : ("device-\(number + 1)", "Device \(number + 1)")
    }

    /// Builds the package in a temporary folder next to `path`, and renames it when it is complete.
    /// If the process is killed, there is nothing at `path`, and the next build deletes the
    /// temporary folder.
    ///
    /// - Parameters:
    ///   - progress: Called repeatedly with the number of rows written so far.
    ///   - willFill: Called with the path of the temporary folder before it is created.
    /// - Throws: `ReplicationError` if `path` already exists or can't be written.
    /// - Complexity: O(*n*) in the number of rows.
    public func build(
        at path: String, progress: (Int) -> Void = { _ in }, willFill: (String) -> Void = { _ in }
    ) async throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ReplicationError(.cannotCreate, at: path, "the path already exists")
        }
        let unfinished = UnfinishedPackage(of: path)
        willFill(unfinished.path)
        defer { unfinished.remove() }
        do {
            try await buildUnfinished(at: unfinished.path, progress: progress)
            try unfinished.finish()
        } catch {
            throw unfinished.explained(error)
        }
    }

    private func buildUnfinished(at path: String, progress: (Int) -> Void) async throws {
        let package = try StorePackage(creating: path)
        let household = try DemoDevices(package: package, options: options)
        var story = DemoStory(random: SampleGenerator(seed: options.seed))
        try household.introduceGuests()
        try story.write(to: household)
        if options.rows > household.rowCount {
            try household.fill(to: options.rows, seed: options.seed, progress: progress)
        }
        try household.finish()
        try writeBlobs(package)
        try writeCatalog(package)
        try await DemoEntities(end: options.now).build(in: path)
        try DemoDocuments(end: options.now).build(in: path)
    }

    /// Writes the catalog of the first device.
    private func writeCatalog(_ package: StorePackage) throws {
        let folder = try package.makeDeviceFolder(try DeviceID(Self.deviceName(0).id))
        let servers = SampleServers(count: 2_000, countryCount: 60, seed: options.seed).servers()
        try CatalogDatabase.open(path: folder.path(of: .catalog)).upsert(servers: servers)
    }

    private func writeBlobs(_ package: StorePackage) throws {
        let blobs = package.blobs
        for number in 0..<max(options.devices, Self.cast.count) {
            let (id, name) = Self.deviceName(number)
            let info = PropertyList.dictionary(["deviceName": .string(name)])
            try blobs.put(info.binary(), at: "info/\(id).plist")
        }
        for (name, text) in DemoStory.blobs { try blobs.put(Data(text.utf8), at: name) }
    }
}

/// The wall clock of all devices of the demo. Only the demo changes it.
final class DemoClock: Sendable {
    private let end: Int64
    private let microseconds: Atomic<Int64>

    /// Creates a clock that shows the end of the story.
    init(end: Timestamp) {
        self.end = end.microseconds
        microseconds = Atomic(end.microseconds)
    }

    var now: Timestamp { Timestamp(microseconds: microseconds.load(ordering: .relaxed)) }

    func hybrid() -> HybridClock { HybridClock { [self] in now } }

    func set(daysBeforeEnd days: Double) { set(beforeEnd: days * 86_400_000_000) }

    func set(minutesBeforeEnd minutes: Double) { set(beforeEnd: minutes * 60_000_000) }

    private func set(beforeEnd span: Double) {
        microseconds.store(end - Int64(span), ordering: .relaxed)
    }

    func advance(milliseconds: Int64) {
        microseconds.wrappingAdd(milliseconds * 1_000, ordering: .relaxed)
    }
}

/// The devices of the demo: one store per device, all in one package and with a shared clock.
struct DemoDevices {
    let clock: DemoClock
    private(set) var stores: [KeyValueStore] = []

    init(package: StorePackage, options: DemoStore.Options) throws {
        clock = DemoClock(end: options.now)
        for number in 0..<max(options.devices, DemoStore.cast.count) {
            var configuration = KeyValueStore.Configuration()
            configuration.clock = clock.hybrid()
            configuration.watchesFolder = false
            configuration.saveDelay = .seconds(3600)
            configuration.saveDelayLimit = .seconds(3600)
            configuration.format = .tideline2
            let store = KeyValueStore(
                package: package, device: try DeviceID(DemoStore.deviceName(number).id),
                configuration: configuration)
            try store.load()
            stores.append(store)
        }
    }

    var rowCount: Int { stores.map(\.rowCount).max() ?? 0 }

    func set(_ value: PropertyList?, _ key: String, on device: Int) throws {
        try stores[device].set(value, forKey: key)
        clock.advance(milliseconds: 1_700)
    }

    /// Exchanges writes, as the sync service does while both devices are online.
    func exchange(_ devices: [Int]) throws {
        for device in devices { try stores[device].save() }
        for device in devices { try stores[device].sync() }
    }

    /// Makes the devices outside the story write their properties, because a device exists only
    /// after its first write.
    func introduceGuests() throws {
        clock.set(daysBeforeEnd: 22)
        for device in stores.indices.dropFirst(DemoStore.cast.count) {
            let (id, name) = DemoStore.deviceName(device)
            try set(.string(name), "device/\(id)/name", on: device)
            try set(.integer(Int64(device + 1)), "device/\(id)/number", on: device)
        }
        for store in stores.dropFirst(DemoStore.cast.count) { try store.save() }
    }

    /// Adds sensor readings from before the story, up to `count` rows. Each sensor has one key.
    func fill(to count: Int, seed: UInt64, progress: (Int) -> Void) throws {
        var random = SampleGenerator(seed: seed &+ 1)
        let keys = max(1, count / 10)
        var written = rowCount
        let batch = 5_000
        clock.set(daysBeforeEnd: 30)
        while written < count {
            for store in stores {
                var values: [Name: PropertyList?] = [:]
                for _ in 0..<min(batch, max(1, (count - written) / stores.count)) {
                    let sensor = Int.random(in: 0..<keys, using: &random)
                    values["sensor/\(sensor)/reading"] = .dictionary([
                        "celsius": .real(Double(Int.random(in: -200...400, using: &random)) / 10),
                        "battery": .integer(Int64.random(in: 1...100, using: &random)),
                    ])
                }
                try store.set(contentsOf: values)
                try store.save()
                written += values.count
                clock.advance(milliseconds: 1_000)
                progress(written)
            }
            for store in stores { try store.sync() }
        }
    }

    func finish() throws {
        for store in stores {
            try store.close()
        }
    }
}
