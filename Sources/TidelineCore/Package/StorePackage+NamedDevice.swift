import KeyValueStore
package import Replication

extension StorePackage {
    /// Returns the device that a user names: by its identifier, otherwise by the name that is shown
    /// for the device.
    ///
    /// - Returns: `nil` if the package has no such device.
    /// - Throws: ``CoreError`` with code `.usage` if several devices have that name;
    ///   `ReplicationError`.
    package func device(named text: String) throws -> DeviceID? {
        let devices = try devices().map(\.id)
        if let device = devices.first(where: { $0.name == text }) { return device }
        let names = deviceNames()
        let found = devices.filter { names[$0] == text }
        guard found.count < 2 else {
            throw CoreError(
                .usage,
                "\(Counted.text(found.count, "device")) have the name \(text.quoted): "
                    + found.map(\.name).joined(separator: ", "))
        }
        return found.first
    }

    /// Returns the other devices whose display name or identifier is `name`.
    package func namesakes(of device: DeviceID, named name: String) -> [DeviceID] {
        let names = deviceNames()
        let devices = (try? devices().map(\.id)) ?? []
        return devices.filter { $0 != device && (names[$0] == name || $0.name == name) }
    }
}
