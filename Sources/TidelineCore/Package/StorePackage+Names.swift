import KeyValueStore
package import Replication

extension StorePackage {
    /// Returns this package with stores that call `observer` before they create a device's folder.
    func observed(by observer: DeviceObserver?) -> StorePackage {
        var package = self
        package.willAddDevice = observer
        return package
    }

    /// Returns the path of a device's database relative to the package, whether or not it exists.
    func name(of kind: DatabaseKind, of device: DeviceID) throws -> String {
        relative(try self.device(device).path(of: kind))
    }

    /// Returns a path relative to the package.
    func relative(_ path: String) -> String {
        Name(path).hasPrefix(self.path + "/")
            ? String(decoding: path.utf8.dropFirst(self.path.utf8.count + 1), as: UTF8.self) : path
    }

    /// Returns the device that a user names: by its identifier, otherwise by the name that is shown
    /// for it.
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
