import Foundation
public import Replication

extension StorePackage {
    /// The maximum size of a device name file in bytes.
    private static let deviceInfoLimit: Int64 = 4_096
    /// The folder among the blobs that contains these files.
    package static let deviceNameFolder = "info"
    /// The maximum number of characters of a name.
    private static let longestDeviceName = 200

    /// Returns the devices' display names, as PARStore stores them: in a blob `info/<device>.<any
    /// extension>`, which is a property list with the key `deviceName`.
    ///
    /// Other files, and files longer than 4 KiB, are ignored. Names are truncated to 200
    /// characters.
    ///
    /// - Complexity: A listing of the blobs, and each matching file is read.
    public func deviceNames() -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for (id, path) in deviceInfoPaths() {
            guard case .string(let name)? = deviceInfo(at: path)["deviceName"], !name.isEmpty else {
                continue
            }
            names[id] = String(name.prefix(Self.longestDeviceName))
        }
        return names
    }

    /// Sets the display name of a device. Other entries of its file stay.
    ///
    /// - Throws: `ReplicationError`: `.invalidDevice` for a name that is empty, longer than 200
    ///   characters or has control characters; the errors of `BlobFolder.put(_:at:modified:)`.
    /// - Complexity: As ``deviceNames()``.
    public func setDeviceName(_ name: String, of device: DeviceID) throws {
        guard Self.isDeviceName(name) else {
            throw ReplicationError(
                .invalidDevice, "a device's name has 1 to 200 characters on one line")
        }
        let path = pathOfName(of: device)
        var info = deviceInfo(at: path)
        info["deviceName"] = .string(name)
        try blobs.put(Data(try PropertyList.dictionary(info).binary()), at: path)
    }

    /// Returns whether a text can be the display name of a device.
    package static func isDeviceName(_ text: String) -> Bool {
        !text.isEmpty && text.count <= longestDeviceName
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Returns the path of the blob that has a device's display name, whether or not it exists.
    package func pathOfName(of device: DeviceID) -> String {
        deviceInfoPaths().last { $0.id == device }?.path
            ?? "\(Self.deviceNameFolder)/\(device.name).plist"
    }

    /// Returns the paths of the blobs that may have a device's name.
    private func deviceInfoPaths() -> [(id: DeviceID, path: String)] {
        ((try? blobs.entries(prefix: "\(Self.deviceNameFolder)/")) ?? []).compactMap { entry in
            let file = entry.path.dropFirst(Self.deviceNameFolder.count + 1)
            guard !file.contains("/"), let dot = file.lastIndex(of: "."),
                let id = try? DeviceID(String(file[..<dot]))
            else { return nil }
            return (id, entry.path)
        }
    }

    /// Returns the entries of a device's file; empty if it can't be read.
    private func deviceInfo(at path: String) -> [Name: PropertyList] {
        guard let data = try? blobs.data(at: path, limit: Self.deviceInfoLimit),
            case .dictionary(let info)? = try? PropertyList(propertyListFile: data)
        else { return [:] }
        return info
    }
}
