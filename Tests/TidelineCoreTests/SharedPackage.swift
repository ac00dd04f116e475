import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// A package that three devices share. They wrote the following, a second apart:
///
///     1 anna  writes note/1/count, due, title, note/2/done, ratio, note/3/list, raw
///     2 ben   note/1/title, having seen anna's
///     3 cleo  note/1/due, having seen only anna's
///     4 ben   note/1/due, having seen only anna's: a conflict
///     5 anna  removes note/2/ratio
///     6 cleo  note/4/new
///
/// ben is named "Ben's iPad"; the others have no names. No device uses "desk" yet.
struct SharedPackage {
    let folder: TemporaryFolder
    let package: StorePackage
    let clock = TestClock(Timestamp(microseconds: 700_000_000_000_000))
    private let stores: [String: KeyValueStore]
    /// The time of each step, from 1 on.
    let instants: [Timestamp]

    static let keys = [
        "note/1/count", "note/1/due", "note/1/title", "note/2/done", "note/3/list", "note/3/raw",
        "note/4/new",
    ]

    var path: String { package.path }

    /// - Parameter hasStory: Whether the devices write the rows listed above; otherwise none.
    init(hasStory: Bool = true) throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Notes.store"))
        var stores: [String: KeyValueStore] = [:]
        for name in ["anna", "ben", "cleo"] {
            stores[name] = try Self.store(name, package, clock)
            try stores[name]?.load()
        }
        self.stores = stores
        var instants: [Timestamp] = []
        if hasStory { try Self.writeStory(stores, clock, &instants) }
        self.instants = instants
        guard hasStory else { return }
        let name = try PropertyListSerialization.data(
            fromPropertyList: ["deviceName": "Ben's iPad"], format: .xml, options: 0)
        try package.blobs.put(name, at: "info/ben.plist")
    }

    static func store(
        _ device: String, _ package: StorePackage, _ clock: TestClock
    ) throws -> KeyValueStore {
        var configuration = KeyValueStore.Configuration()
        configuration.clock = clock.hybrid
        configuration.watchesFolder = false
        return KeyValueStore(
            package: package, device: try DeviceID(device), configuration: configuration)
    }

    private static func writeStory(
        _ stores: [String: KeyValueStore], _ clock: TestClock, _ instants: inout [Timestamp]
    ) throws {
        func write(_ device: String, _ values: [Name: PropertyList?]) throws {
            clock.advance(microseconds: 1_000_000)
            try stores[device]?.set(contentsOf: values)
            try stores[device]?.save()
            instants.append(clock.now)
        }
        try write(
            "anna",
            [
                "note/1/title": "Groceries", "note/1/due": .date(Date(timeIntervalSince1970: 0)),
                "note/1/count": .integer(3), "note/2/ratio": .real(1.5),
                "note/2/done": .boolean(true), "note/3/list": .array([.integer(1), "a"]),
                "note/3/raw": .data(Data(repeating: 7, count: 5000)),
            ])
        try stores["ben"]?.sync()
        try stores["cleo"]?.sync()
        try write("ben", ["note/1/title": "Groceries list"])
        try write("cleo", ["note/1/due": .date(Date(timeIntervalSince1970: 86_400))])
        try write("ben", ["note/1/due": .date(Date(timeIntervalSince1970: 172_800))])
        try write("anna", ["note/2/ratio": nil])
        try write("cleo", ["note/4/new": "x"])
    }

    /// Returns a device's own store, with the rows that it has seen. See ``sync(_:)``.
    func store(_ device: String) throws -> KeyValueStore { try #require(stores[device]) }

    func sync(_ device: String) throws { try store(device).sync() }

    /// Writes as a device, a second later.
    func write(_ device: String, _ values: [Name: PropertyList?]) throws {
        clock.advance(microseconds: 1_000_000)
        let store = try store(device)
        try store.set(contentsOf: values)
        try store.save()
    }

    /// Syncs all devices and returns the state that they agree on.
    func agreed() throws -> [Name: PropertyList] {
        for store in stores.values { try store.sync() }
        let states = stores.values.map { $0.dictionary() }
        let first = try #require(states.first)
        for state in states { #expect(state == first) }
        return first
    }

    func logPath(_ device: String) -> String { "\(path)/Devices/\(device)/Logs.db" }

    /// Returns the bytes of the devices' logs, to check that no other device wrote to them.
    func logs() throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: ["anna", "ben", "cleo"].map {
                ($0, try Data(contentsOf: URL(filePath: logPath($0))))
            })
    }

    /// Returns all rows of a device's log in the package.
    func rows(_ device: String) throws -> [LogRow] {
        let reader = try Self.store("reader", package, clock)
        try reader.load()
        return try reader.rows(since: nil, device: DeviceID(device))
    }

    /// Runs SQL on a device's log, to simulate damage.
    func execute(_ device: String, _ sql: String) throws {
        try runSQL(sql, at: logPath(device))
    }
}
