import KeyValueStore
import Replication

extension StoreInfo.Section {
    /// What a package's logs hold.
    ///
    /// - Complexity: All logs are opened; of each conflict the rows are looked at.
    static func keyValue(_ package: StorePackage) throws -> Self {
        var configuration = KeyValueStore.Configuration()
        configuration.watchesFolder = false
        let store = KeyValueStore(package: package, device: nil, configuration: configuration)
        try store.load()
        return Self(
            counts: [
                "keys": store.count, "rows": store.rowCount, "conflicts": store.conflictCount,
            ], devices: store.devices.map(DeviceReport.init))
    }
}
