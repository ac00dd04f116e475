import Foundation
import Glibc
import Replication

/// Finds the reason why the files of a store can't be written, without writing to them.
enum WriteObstacle {
    /// Checks the deepest existing folder that a write needs: the device's own folder, `Devices/`
    /// or the store itself. For a file, checks the file and its folder, which holds the journals.
    ///
    /// - Returns: The reason as a clause; `nil` if no reason is known.
    static func find(inStoreAt path: String, device: DeviceID?) -> String? {
        let devices = path + "/Devices"
        let folders = [device.map { devices + "/" + $0.name }, devices, path].compactMap(\.self)
        let places =
            StoreKind.isExistingFolder(path)
            ? folders.first(where: StoreKind.isExistingFolder).map { [$0] } ?? []
            : [path, URL(filePath: path).deletingLastPathComponent().path]
        for place in places where access(place, W_OK) != 0 {
            switch errno {
            case EROFS: return "the file system of \(place) is read-only"
            case EACCES, EPERM: return "you don't have permission to write to \(place)"
            default: continue
            }
        }
        return nil
    }
}
