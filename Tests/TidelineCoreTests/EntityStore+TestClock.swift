import EntityStore
import Replication
import TestSupport

extension EntityStore {
    /// Opens a package's entities with the time of a test clock, without watching the folder.
    ///
    /// - Parameter clock: `nil` for the real time.
    static func open(
        _ package: StorePackage, as device: String?, at clock: TestClock?
    ) async throws -> EntityStore {
        var configuration = EntityStore.Configuration(clock: clock?.hybrid ?? HybridClock())
        configuration.watchesFolder = false
        return try await EntityStore.open(
            package, device: device.map { try DeviceID($0) }, configuration: configuration)
    }
}
