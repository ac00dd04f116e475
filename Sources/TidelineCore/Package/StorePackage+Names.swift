import Replication

extension StorePackage {
    /// Returns this package in a form whose stores call `observer` before they create a device's
    /// folder.
    func observed(by observer: DeviceObserver?) -> StorePackage {
        var package = self
        package.willAddDevice = observer
        return package
    }

    /// Returns the path of a device's database relative to the package, whether or not the database
    /// exists.
    func name(of kind: DatabaseKind, of device: DeviceID) throws -> String {
        relative(try self.device(device).path(of: kind))
    }

    /// Returns a path relative to the package.
    func relative(_ path: String) -> String {
        Name(path).hasPrefix(self.path + "/")
            ? String(decoding: path.utf8.dropFirst(self.path.utf8.count + 1), as: UTF8.self) : path
    }
}
