import Foundation
public import Replication

extension StorePackage {
    /// The maximum size of a device name file in bytes.
    private static let deviceInfoLimit: Int64 = 4_096
    /// The folder of blobs that contains the device name files.
    package static let deviceNameFolder = "info"
    /// The maximum number of characters of a name.
    private static let longestDeviceName = 200

    /// Returns the devices' display names, as PARStore stores them: in a blob `info/<device>.<any
    /// extension>`, which is a property list with the key `deviceName`.
    ///
    /// Other files, and files longer than 4 KiB, are ignored. Names are truncated to 200
    /// characters.
    ///
    /// - Complexity: One listing of the blobs, and one read for each matching file.
    public func deviceNames() -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for (id, path) in deviceInfoPaths() {
            guard case .string(let name)? = (try? deviceInfo(at: path))?["deviceName"],
                !name.isEmpty
            else { continue }
            names[id] = String(name.prefix(Self.longestDeviceName))
        }
        return names
    }

    /// Sets the display name of a device, or removes the name. Other entries of its file stay.
    ///
    /// - Parameter name: The name, which is trimmed; `nil` removes it, so that the device is shown
    ///   by its identifier.
    /// - Throws: `ReplicationError`: `.invalidDevice` for a name that is blank, longer than 200
    ///   characters, has control characters or line breaks, or doesn't fit into a file of 4 KiB;
    ///   `.unreadable` or `.tooLarge` if the other entries of the file can't be read; the errors of
    ///   `BlobFolder.put(_:at:modified:)`. The file is then unchanged.
    /// - Complexity: As ``deviceNames()``.
    public func setDeviceName(_ name: String?, of device: DeviceID) throws {
        let name = try name.map(Self.deviceName)
        let path = pathOfName(of: device)
        var info = try deviceInfo(at: path)
        info["deviceName"] = name.map { .string($0) }
        guard !info.isEmpty else {
            if try blobs.entry(path) != nil { try blobs.delete(path) }
            return
        }
        let data = Data(try PropertyList.dictionary(info).binary())
        guard data.count <= Self.deviceInfoLimit else {
            throw ReplicationError(
                .invalidDevice,
                "the name is too long: with its other entries, \(path) would exceed "
                    + "\(Self.deviceInfoLimit) bytes")
        }
        try blobs.put(data, at: path)
    }

    /// Trims a text and checks that it can be the display name of a device.
    ///
    /// - Throws: `ReplicationError`, `.invalidDevice`, for a name that is blank, longer than 200
    ///   characters, or has characters that can't be shown on one line.
    package static func deviceName(_ text: String) throws(ReplicationError) -> String {
        let name = text.trimmingCharacters(in: .whitespaces)
        guard !name.isEmpty, name.count <= longestDeviceName,
            !name.unicodeScalars.contains(where: isInvisible)
        else {
            throw ReplicationError(
                .invalidDevice,
                "a name has 1 to \(longestDeviceName) characters on one line, all visible")
        }
        return name
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Emoji and several scripts need joiners.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        default: false
        }
    }

    /// Returns the path of the blob with a device's display name, whether or not the blob exists.
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

    /// Returns the entries of a device's file; empty if it doesn't exist.
    ///
    /// - Throws: `ReplicationError` if the file can't be read completely.
    private func deviceInfo(at path: String) throws(ReplicationError) -> [Name: PropertyList] {
        guard try blobs.entry(path) != nil else { return [:] }
        let data = try blobs.data(at: path, limit: Self.deviceInfoLimit)
        guard case .dictionary(let info)? = try? PropertyList(propertyListFile: data) else {
            throw ReplicationError(
                .unreadable, at: path, "it is not a property list with a dictionary")
        }
        return info
    }
}
