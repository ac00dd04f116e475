import Foundation
import Glibc

/// A folder with `Devices/` (or `devices/`) in it, that any file-sync service may carry.
///
/// Each device writes under its own folder there and nowhere else (data rule 1). Opening and
/// listing a package creates nothing in it (data rule 3).
public struct StorePackage: Hashable, Sendable {
    /// Absolute, without a slash at the end.
    public let path: String

    /// Whether it has the spelling that PARStore had before November 2016: `devices/`, `logs.db`,
    /// `blobs/`.
    public let isLegacy: Bool

    /// Both spellings of the folder of devices. Where both stand, both are read.
    static let deviceRoots = ["Devices", "devices"]

    /// The package that is there.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, or `.notAPackage` for a file
    ///   or a folder without `Devices/`.
    public init(opening path: String) throws(ReplicationError) {
        let path = Self.absolute(path)
        var raw = stat()
        guard stat(path, &raw) == 0 else {
            // A path that leads through a file leads nowhere.
            throw ReplicationError(system: errno == ENOTDIR ? ENOENT : errno, "open", path)
        }
        guard FileStatus(raw).isFolder else {
            throw ReplicationError(.notAPackage, at: path, "a file, not a store package")
        }
        let folder = try Descriptor(folder: path)
        var spellings: [String] = []
        for name in Self.deviceRoots {
            guard let status = try FileStatus.of(name, in: folder, path: "\(path)/\(name)") else {
                continue
            }
            guard status.isFolder else {
                throw ReplicationError(
                    .notAPackage, at: path,
                    "\(name.quoted) in it is "
                        + "\(status.isSymbolicLink ? "a symbolic link" : "a file"), "
                        + "so it is not a store package")
            }
            spellings.append(name)
        }
        guard let spelling = spellings.first else {
            throw ReplicationError(
                .notAPackage, at: path, "it has no folder \"Devices\", so it is not a store package"
            )
        }
        self.path = path
        isLegacy = spelling != Self.deviceRoots.first
    }

    /// Creates an empty package: the folder, unless it is there and empty, and `Devices/` in it.
    /// A package that is there already is opened.
    ///
    /// - Throws: ``ReplicationError``: `.cannotCreate` for a file or a folder with other things in
    ///   it, and if the folder to create it in is missing; `.noPermission`; `.unconfirmed` for a
    ///   package that is created, though the disk did not confirm it.
    public init(creating path: String) throws(ReplicationError) {
        let path = Self.absolute(path)
        do {
            try self.init(opening: path)
            return
        } catch {
            guard error.code == .notFound || Self.isEmptyFolder(path) else {
                throw error.code == .notAPackage
                    ? ReplicationError(
                        .cannotCreate, at: path, "something is already there", cause: error)
                    : error
            }
        }
        let devices = "\(path)/Devices"
        for folder in [path, devices] where mkdir(folder, 0o777) != 0 && errno != EEXIST {
            throw ReplicationError(creating: folder, errno)
        }
        try self.init(opening: path)
        try Descriptor(folder: path).confirmChange(of: path)
    }

    /// Whether the package is still where it was.
    public var isThere: Bool { (try? StorePackage(opening: path)) != nil }

    /// The name to show: the folder's.
    public var name: String { String(path.split(separator: "/").last ?? "/") }

    private static func isEmptyFolder(_ path: String) -> Bool {
        guard let folder = try? Descriptor(folder: path) else { return false }
        return (try? folder.entries(path).isEmpty) == true
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
