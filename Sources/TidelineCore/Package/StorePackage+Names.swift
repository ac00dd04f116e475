import Replication

extension StorePackage {
    /// The path of a device's database inside the package, whether it is there or not.
    func name(of kind: DatabaseKind, of device: DeviceID) throws -> String {
        relative(try self.device(device).path(of: kind))
    }

    /// A path inside the package as it is from the package on.
    func relative(_ path: String) -> String {
        Name(path).hasPrefix(self.path + "/")
            ? String(decoding: path.utf8.dropFirst(self.path.utf8.count + 1), as: UTF8.self) : path
    }
}
