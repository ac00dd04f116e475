import Foundation
public import Replication

extension StorePackage {
    /// The most bytes that a file with a device's name may have.
    private static let deviceInfoLimit: Int64 = 4_096
    /// The folder among the blobs in which such files are.
    package static let deviceNameFolder = "info"

    /// What people call their devices, as PARStore keeps it: a blob `info/<device>.<any ending>`, a
    /// property list with the key `deviceName`.
    ///
    /// What is not such a list is left out, and so is what is longer than 4 KiB. Names are cut
    /// after 200 characters.
    ///
    /// - Complexity: A listing of the blobs, and each file that fits is read.
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
