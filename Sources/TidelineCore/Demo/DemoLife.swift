import Foundation
import KeyValueStore
public import Replication

/// A device of the demo that keeps writing. Before each write, it reads the other devices' writes.
public final class DemoLife: Sendable {
    /// The devices that keep writing. The first device is left to the user.
    public static var devices: [String] { DemoStore.cast.dropFirst().map(\.id) }

    private let store: KeyValueStore

    /// Opens a demo store as one of its devices.
    ///
    /// - Throws: `ReplicationError` if the package doesn't exist.
    public init(path: String, device: DeviceID) throws {
        store = KeyValueStore(package: try StorePackage(opening: path), device: device)
        try store.load()
    }

    /// Makes one random, plausible edit.
    ///
    /// - Throws: `KeyValueError` or `ReplicationError` if the edit can't be written.
    public func act() async throws {
        let key: String
        let value: PropertyList
        let device = store.device?.name ?? ""
        switch Int.random(in: 0..<5) {
        case 0:
            key = "weather/\(device)/celsius"
            value = .real(Double(Int.random(in: 180...235)) / 10)
        case 1:
            key = "note/\(Int.random(in: 1...10))/done"
            value = .boolean(.random())
        case 2:
            key = "list/groceries/\(Int.random(in: 1...8))"
            guard case .dictionary(var entry)? = store[key] else { return }
            entry["amount"] = .integer(.random(in: 1...9))
            value = .dictionary(entry)
        case 3:
            key = "log/\(device)/\(Int.random(in: 1...20))"
            value = .string("seen at " + Timestamp(Date()).iso8601)
        default:
            key = "settings/theme"
            value = .string(Bool.random() ? "dark" : "light")
        }
        try store.set(value, forKey: key)
        try await store.save()
    }
}
