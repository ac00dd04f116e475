import Foundation
import KeyValueStore
import Replication
import Synchronization
import TidelineCore

/// Opening the key-value store of a package for one command.
enum OpenStore {
    /// Reads, as a device if it matters which; warns of devices that cannot be read.
    static func reading(_ path: String, as device: DeviceID? = nil) throws -> KeyValueStore {
        try Failure.of(path) { try open(path, as: device) }
    }

    /// Runs `body` and saves; says so when this device is new to the package and writes.
    static func writing(
        _ path: String, as option: DeviceOption, _ body: (KeyValueStore) throws -> Void
    ) throws {
        let device = try option.forWriting()
        let store = try reading(path, as: device)
        NewDevice.isTold(device, path)
        try body(store)
        try Failure.of(path) {
            // What was reported as failed is not written by a later attempt.
            try store.save(orWithdraw: store.unsavedKeys)
            try store.close()
        }
    }

    /// A new empty package.
    ///
    /// - Parameter device: If given, it gets an empty log of PARStore 1's form, which the logs of
    ///   others follow.
    static func create(_ path: String, asParstoreOf device: DeviceID? = nil) throws {
        guard (try? StorePackage(opening: path)) == nil else {
            throw Failure(.cannotCreate, path, "something is already there")
        }
        try Failure.of(path) {
            let package = try StorePackage(creating: path)
            guard let device else { return }
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            configuration.format = .parstore1
            let store = KeyValueStore(
                package: package, device: device, configuration: configuration)
            try store.load()
            NewDevice.isTold(device, path)
            try store.createLog()
            try store.close()
        }
    }

    /// Names the logs whose rows an answer lacks.
    static func warn(ofUnread unread: [DeviceID: String]) {
        for (device, problem) in unread.sorted(by: { $0.key < $1.key }) {
            Output.note(
                "tideline: the log of \(device) cannot be read: \(Printable.line(problem))")
        }
    }

    private static func open(_ path: String, as device: DeviceID?) throws -> KeyValueStore {
        guard try StoreKind.isFolder(path) else {
            throw Failure(.badData, path, "a file, not a store package")
        }
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

/// Says on standard error that a device is new to a package, before its folder is made.
enum NewDevice {
    static func isTold(_ own: DeviceID, _ path: String) {
        StorePackage.folderObserver.withLock { observer in
            observer = { _, device in
                guard device == own else { return }
                Output.note("tideline: \(device) is new to \(path): making its folder")
            }
        }
    }
}
