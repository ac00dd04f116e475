import Foundation

extension StorePackage {
    /// What people call their devices, as PARStore keeps it: a blob `info/<device>.<any ending>`, a
    /// property list with the key `deviceName`.
    ///
    /// What cannot be read is left out, and so is what is longer than 4 KiB: lists inside lists cost
    /// the parser's stack. Names are cut after 200 characters.
    public func deviceNames() -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        for entry in (try? blobs.entries(prefix: "info/")) ?? [] {
            let file = entry.path.dropFirst("info/".count)
            guard !file.contains("/"), let dot = file.lastIndex(of: "."),
                let id = try? DeviceID(String(file[..<dot])),
                let data = try? blobs.data(at: entry.path, limit: 4_096),
                let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
                let name = (list as? [String: Any])?["deviceName"] as? String, !name.isEmpty
            else { continue }
            names[id] = String(name.prefix(200))
        }
        return names
    }
}
