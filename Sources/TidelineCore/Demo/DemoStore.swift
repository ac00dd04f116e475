import Foundation
import KeyValueStore
public import Replication
import ServerCatalog
import ServerCatalogGRDB
import Synchronization

/// Builds a store that shows what Tideline is for: three weeks in the life of a household's notes
/// app, on several devices, with history, conflicts and blobs.
public struct DemoStore: Sendable {
    /// How large the store becomes.
    public struct Options: Sendable {
        /// Rows in all logs together, at least; the story itself has a few hundred.
        public var rows = 0
        /// Devices, at least the story's three.
        public var devices = 3
        /// The same seed builds the same store, except for the instants.
        public var seed: UInt64 = 2
        /// When the story ends.
        public var now = Timestamp(Date())

        /// Three devices, and no rows but the story's.
        public init() {}
    }

    private let options: Options

    /// A store that is still to be built.
    public init(_ options: Options = Options()) { self.options = options }

    /// The devices of the story, with the names that people gave them.
    static let cast: [(id: String, name: String)] = [
        ("anna-laptop", "Anna's laptop"), ("ben-phone", "Ben's phone"),
        ("kitchen-tablet", "Kitchen tablet"),
    ]

    static func deviceName(_ number: Int) -> (id: String, name: String) {
        number < cast.count ? cast[number] : ("device-\(number + 1)", "Device \(number + 1)")
    }

    /// Makes the package.
    ///
    /// - Parameter progress: Called now and then with the rows written so far.
    /// - Throws: `ReplicationError` where something is at `path` already or it cannot be written.
    /// - Complexity: O(*n*) in the number of rows.
    public func build(
        at path: String, progress: (Int) -> Void = { _ in }
    ) async throws {
        let package = try StorePackage(creating: path)
        let household = try Household(package: package, options: options)
        var story = DemoStory(random: DemoRandom(seed: options.seed))
        try household.introduceGuests()
        try story.tell(to: household)
        if options.rows > household.rowCount {
            try household.fill(to: options.rows, seed: options.seed, progress: progress)
        }
        try household.finish()
        try writeBlobs(package)
        try writeCatalog(package)
        try await DemoEntities(end: options.now).build(in: path)
        try DemoDocuments(end: options.now).build(in: path)
    }

    /// A catalog of the first device's own.
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

/// The devices of the demo: a store each over one package, on one clock that the story moves.
struct Household {
    /// The wall clock of all devices, in microseconds.
    private final class Clock: Sendable {
        let now: Atomic<Int64>
        init(_ start: Int64) { now = Atomic(start) }
    }

    private let clock: Clock
    private let end: Int64
    private(set) var stores: [KeyValueStore] = []

    init(package: StorePackage, options: DemoStore.Options) throws {
        end = options.now.microseconds
        let clock = Clock(end)
        self.clock = clock
        for number in 0..<max(options.devices, DemoStore.cast.count) {
            var configuration = KeyValueStore.Configuration()
            configuration.clock = HybridClock {
                Timestamp(microseconds: clock.now.load(ordering: .relaxed))
            }
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

    /// Sets every clock to this many minutes before the end of the story.
    func setClock(minutesBeforeEnd minutes: Double) {
        clock.now.store(end - Int64(minutes * 60_000_000), ordering: .relaxed)
    }

    func set(_ value: PropertyList?, _ key: String, on device: Int) throws {
        try stores[device].set(value, forKey: key)
        clock.now.wrappingAdd(1_700_000, ordering: .relaxed)
    }

    /// What the sync service does when both are online: each sees what the others saved.
    func exchange(_ devices: [Int]) throws {
        for device in devices { try stores[device].save() }
        for device in devices { try stores[device].sync() }
    }

    /// Has the devices that the story says nothing of write what they are: a device is there once it
    /// has written something.
    func introduceGuests() throws {
        setClock(minutesBeforeEnd: 22 * 1440)
        for device in stores.indices.dropFirst(DemoStore.cast.count) {
            let (id, name) = DemoStore.deviceName(device)
            try set(.string(name), "device/\(id)/name", on: device)
            try set(.integer(Int64(device + 1)), "device/\(id)/number", on: device)
        }
        for store in stores.dropFirst(DemoStore.cast.count) { try store.save() }
    }

    /// Adds rows until there are `count`: readings of sensors, a key a sensor, older than the story.
    func fill(to count: Int, seed: UInt64, progress: (Int) -> Void) throws {
        var random = DemoRandom(seed: seed &+ 1)
        let keys = max(1, count / 10)
        var written = rowCount
        let batch = 5_000
        clock.now.store(end - 30 * 86_400_000_000, ordering: .relaxed)
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
                clock.now.wrappingAdd(1_000_000, ordering: .relaxed)
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

/// A repeatable source of random numbers (SplitMix64).
struct DemoRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
