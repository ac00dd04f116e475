import EntityStore
import Foundation
import Replication
import TidelineCore

/// Opening the entities of a path for one command: a package, one device's log, or the original's
/// file.
enum OpenEntities {
    /// Reads; warns of devices that cannot be read.
    static func reading(_ path: String) async throws -> EntityStore {
        try await open(path, as: nil)
    }

    /// Runs `body`; says so when this device is new to the package.
    static func writing<Result: Sendable>(
        _ path: String, as option: DeviceOption,
        _ body: (EntityStore) async throws -> Result
    ) async throws -> Result {
        guard case .package = try Failure.of(path, { try StoreKind(of: path) }) else {
            throw Failure(
                .noPermission, path, "a file of this kind can only be read",
                wayOut: "Make a package with 'tideline entities create' and import into it.")
        }
        let device = try option.forWriting()
        let store = try await open(path, as: device)
        NewDevice.isTold(device, path)
        let result = try await body(store)
        await store.close()
        return result
    }

    private static func open(_ path: String, as device: DeviceID?) async throws -> EntityStore {
        do {
            return try await opened(path, as: device)
        } catch {
            throw Failure(error, while: path)
        }
    }

    private static func opened(_ path: String, as device: DeviceID?) async throws -> EntityStore {
        let store: EntityStore
        switch try StoreKind(of: path) {
        case .package(let package): store = try await EntityStore.open(package, device: device)
        case .coreDataEntities: store = try await EntityStore.open(coreData: path)
        case .entities: store = try await EntityStore.open(log: path)
        case let kind:
            throw Failure(.badData, path, "it holds \(kind.name), no entities")
        }
        for device in await store.devices {
            if let problem = device.problem {
                Output.note("tideline: \(device.device) is \(device.state.rawValue): \(problem)")
            }
        }
        return store
    }
}
