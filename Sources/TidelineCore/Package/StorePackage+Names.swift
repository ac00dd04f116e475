import KeyValueStore
package import Replication

extension StorePackage {
    /// Returns a copy of this package whose stores call `observer` before they create a device's
    /// folder.
    func observed(by observer: DeviceObserver?) -> StorePackage {
        var package = self
        package.willAddDevice = observer
        return package
    }

    /// Returns the path of a device's database relative to the package, whether or not it exists.
    func name(of kind: DatabaseKind, of device: DeviceID) throws -> String {
        relative(try self.device(device).path(of: kind))
    }

    /// Returns the path of a device's database for previews of edits; empty without a device.
    func shownName(of kind: DatabaseKind, of device: DeviceID?) -> String {
        device.flatMap { try? name(of: kind, of: $0) } ?? ""
    }

    /// Returns whether the first write of a device creates its folder.
    func lacksFolder(of device: DeviceID?) -> Bool {
        guard let device, let folder = try? self.device(device) else { return true }
        return !folder.exists
    }

    /// Returns a path relative to the package.
    func relative(_ path: String) -> String {
        Name(path).hasPrefix(self.path + "/")
            ? String(decoding: path.utf8.dropFirst(self.path.utf8.count + 1), as: UTF8.self) : path
    }

    /// Returns the device that a user names by its identifier or, otherwise, by its shown name.
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

    /// The names of the devices in one line, for messages; `nil` if there are none.
    package var deviceList: String? {
        let shownCount = 8
        let names = deviceNames()
        let devices = ((try? devices()) ?? []).map { names[$0.id] ?? $0.id.name }
        guard !devices.isEmpty else { return nil }
        let more = devices.count - shownCount
        return "devices: " + devices.prefix(shownCount).joined(separator: ", ")
            + (more > 0 ? " and \(Counted.grouped(more)) more" : "")
    }

    /// Returns the other devices whose display name or identifier is `name`.
    package func namesakes(of device: DeviceID, named name: String) -> [DeviceID] {
        let names = deviceNames()
        let devices = (try? devices().map(\.id)) ?? []
        return devices.filter { $0 != device && (names[$0] == name || $0.name == name) }
    }
}
