import BenchSupport
import Replication

/// A suite that measures the memory of opened stores, each in a separate process.
protocol OpenedStoreSuite: Suite {}

extension OpenedStoreSuite {
    private static var openProbe: String { "open:" }

    /// Returns the memory that opening a store takes, in megabytes.
    func memory(of package: StorePackage, _ options: SuiteOptions) throws -> Double {
        try probeApart(Self.openProbe + package.path, options) / 1e6
    }

    func probe(_ name: String, _ options: SuiteOptions) async throws -> Double {
        let path = try Self.path(ofProbe: name, Self.openProbe)
        let before = try ResidentMemory.current()
        let store = try KeyValueFiles.store(StorePackage(opening: path), nil)
        return try withExtendedLifetime(store) {
            Double(try ResidentMemory.current() - before)
        }
    }
}
