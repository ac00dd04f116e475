import Foundation
import GRDB
import KeyValueStore
import Replication
import TestSupport

/// A package in a temporary folder, with stores of several devices.
struct StoreFixture {
    let folder: TemporaryFolder
    let package: StorePackage
    let clock = TestClock()

    init() throws {
        folder = try TemporaryFolder()
        package = try StorePackage(creating: folder.appending("Test.store"))
    }

    /// Returns a loaded store of `device`, which doesn't watch the folder by default.
    func store(
        _ device: String?, watches: Bool = false,
        _ configure: (inout KeyValueStore.Configuration) -> Void = { _ in }
    ) throws -> KeyValueStore {
        let store = try unloaded(device, watches: watches, configure)
        try store.load()
        return store
    }

    func unloaded(
        _ device: String?, watches: Bool = false,
        _ configure: (inout KeyValueStore.Configuration) -> Void = { _ in }
    ) throws -> KeyValueStore {
        var configuration = KeyValueStore.Configuration()
        configuration.clock = clock.hybrid
        configuration.watchesFolder = watches
        configuration.saveDelay = .seconds(3600)
        configuration.saveDelayLimit = .seconds(3600)
        configure(&configuration)
        return KeyValueStore(
            package: package, device: try device.map { try DeviceID($0) },
            configuration: configuration)
    }

    func logPath(_ device: String) -> String {
        "\(package.path)/Devices/\(device)/Logs.db"
    }

    /// Runs SQL on a device's log, as another program might.
    func execute(_ device: String, _ sql: String) throws {
        try runSQL(sql, at: logPath(device))
    }

    func query<Value: DatabaseValueConvertible>(
        _ device: String, _ sql: String
    ) throws -> [Value?] {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: logPath(device), configuration: configuration)
        defer { try? queue.close() }
        return try queue.read { try Optional<Value>.fetchAll($0, sql: sql) }
    }
}

extension KeyValueStore {
    /// All values, to compare whole stores.
    var everything: [Name: PropertyList] { dictionary() }
}
