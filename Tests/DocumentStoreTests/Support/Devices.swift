import Automerge
import Foundation
import Replication
import TestSupport
import Testing

@testable import DocumentStore

/// Devices with one package each. Tests carry files from one package to another.
final class Devices {
    let folder: TemporaryFolder
    let clock = TestClock()
    /// The clocks of devices that don't use ``clock``.
    var clocks: [String: TestClock] = [:]
    let time = TestScheduler()

    init() throws { folder = try TemporaryFolder() }

    func package(of device: String) throws -> StorePackage {
        try StorePackage(creating: folder.appending("\(device).store"))
    }

    /// Opens a device's package as that device.
    func open(_ device: String, writes: Bool = true) throws -> AutomergeStore {
        try AutomergeStore(
            package(of: device), device: writes ? DeviceID(device) : nil,
            configuration: configuration(of: device))
    }

    var configuration: AutomergeStore.Configuration { configuration(of: "") }

    private func configuration(of device: String) -> AutomergeStore.Configuration {
        let clock = clocks[device] ?? clock
        var configuration = AutomergeStore.Configuration()
        configuration.watchesFolder = false
        configuration.scheduler = time.scheduler
        configuration.clock = clock.hybrid
        return configuration
    }

    /// A device's file in its own or another device's package.
    func file(_ device: String, in holder: String) throws -> URL {
        let package = try package(of: holder)
        return URL(filePath: try package.device(DeviceID(device)).path(of: .documents))
    }

    /// Copies a device's files to another package, as a sync service does.
    func carry(from source: String, to target: String) throws {
        let from = try file(source, in: source)
        guard FileManager.default.fileExists(atPath: from.path) else { return }
        try place(Data(contentsOf: from), of: source, in: target)
    }

    func place(_ file: Data, of device: String, in holder: String) throws {
        let url = try self.file(device, in: holder)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try file.write(to: url, options: .atomic)
    }
}

extension AutomergeStore.Document {
    func put(_ key: String, _ value: ScalarValue) throws {
        try automerge.put(obj: .ROOT, key: key, value: value)
    }

    func get(_ key: String) throws -> Value? { try automerge.get(obj: .ROOT, key: key) }
}
