import KeyValueStore
import Replication

extension StoreInfo.Section {
    /// Reads the counts and devices of a package's logs.
    ///
    /// - Complexity: Opens all logs, and reads the rows of every conflict.
    static func keyValue(_ package: StorePackage) throws -> Self {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(package: package, device: nil, configuration: configuration)
        try store.load()
        return Self(
            counts: ["keys": store.count, "conflicts": store.conflictCount],
            devices: store.devices.map(DeviceReport.init))
    }
}
