import Foundation
import KeyValueStore
import Replication
import TidelineCore

/// Opening the key-value store of a package for one command.
enum OpenStore {
    /// Reads, as a device if it matters which; warns of devices that cannot be read.
    static func reading(_ path: String, as device: DeviceID? = nil) throws -> KeyValueStore {
        try open(path, as: device)
    }

    /// Runs `body` and saves; says so when this device is new to the package.
    static func writing(
        _ path: String, as option: DeviceOption, _ body: (KeyValueStore) throws -> Void
    ) throws {
        let device = try option.forWriting()
        let store = try open(path, as: device)
        let isNew = try store.package.map { try !$0.device(device).isThere } ?? false
        if isNew { Output.note("tideline: \(device) is new to \(path): making its folder") }
        try body(store)
        // What is told to have failed is not written by a later attempt.
        try store.save(orWithdraw: store.unsavedKeys)
        try store.close()
    }

    private static func open(_ path: String, as device: DeviceID?) throws -> KeyValueStore {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(
            package: try StorePackage(opening: path), device: device, configuration: configuration)
        try store.load()
        for device in store.devices {
            if let problem = device.problem {
                let state = device.state == .ok ? "" : " is \(device.state.rawValue)"
                Output.note("tideline: \(device.device)\(state): \(problem)")
            }
        }
        return store
    }
}
