import Foundation
public import Replication

extension StorePackage {
    /// The maximum size of a device name file in bytes.
    private static let deviceInfoLimit: Int64 = 4_096
    /// The folder among the blobs that contains these files.
    package static let deviceNameFolder = "info"

    /// Returns the devices' display names, as PARStore stores them: in a blob `info/<device>.<any
    /// extension>`, which is a property list with the key `deviceName`.
    ///
    /// Other files, and files longer than 4 KiB, are ignored. Names are truncated to 200
    /// characters.
    ///
    /// - Complexity: A listing of the blobs, and each matching file is read.
    public func deviceNames() -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for entry in (try? blobs.entries(prefix: "\(Self.deviceNameFolder)/")) ?? [] {
            let file = entry.path.dropFirst(Self.deviceNameFolder.count + 1)
            guard !file.contains("/"), let dot = file.lastIndex(of: "."),
                let id = try? DeviceID(String(file[..<dot])),
                let data = try? blobs.data(at: entry.path, limit: Self.deviceInfoLimit),
                case .dictionary(let info)? = try? PropertyList(propertyListFile: data),
                case .string(let name)? = info["deviceName"], !name.isEmpty
            else { continue }
            names[id] = String(name.prefix(200))
        }
        return names
    }
}
