import CommandSupport
import KeyValueStore
import Replication

/// Making a store package for one command.
enum NewPackage {
    /// A new empty package.
    ///
    /// - Parameter device: If given, it gets an empty log of PARStore 1's form, which the logs of
    ///   others follow.
    static func make(_ path: String, asParstoreOf device: DeviceID? = nil) throws {
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
}
