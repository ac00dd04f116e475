import Replication

extension StorePackage {
    /// The path of a device's database inside the package, whether it is there or not.
    func name(of kind: DatabaseKind, of device: DeviceID) throws -> String {
        let file = try self.device(device).path(of: kind)
        return file.hasPrefix(path + "/") ? String(file.dropFirst(path.utf8.count + 1)) : file
    }
}
