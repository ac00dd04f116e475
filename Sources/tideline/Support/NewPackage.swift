import CommandSupport
import KeyValueStore
import Replication

/// The creation of a store package for a command.
enum NewPackage {
    /// Creates an empty package.
    ///
    /// - Parameter device: The device to create an empty log for, in the PARStore 1 format. Later
    ///   logs in the package use the same format. `nil` creates no log.
    static func make(_ path: String, asParstoreOf device: DeviceID? = nil) throws {
        guard (try? StorePackage(opening: path)) == nil else {
            throw Failure(.cannotCreate, path, "the path already exists")
        }
        try Failure.of(path) {
            var package = try StorePackage(creating: path)
            guard let device else { return }
            package.willAddDevice = NewDevice.notice(device, path)
            var configuration = KeyValueStore.Configuration()
            configuration.watchesFolder = false
            configuration.format = .parstore1
            let store = KeyValueStore(
                package: package, device: device, configuration: configuration)
            try store.load()
            try store.createLog()
            try store.close()
        }
    }
}
