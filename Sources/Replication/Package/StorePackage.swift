import Foundation
import Glibc

/// A folder with a subfolder `Devices/` (or `devices/`) that any file-sync service can carry.
///
/// Each device writes only under its own folder in `Devices/` (data rule 1). Opening and listing a
/// package creates nothing in it (data rule 3).
public struct StorePackage: Sendable {
    /// A function that is called before a device's folder is created, on the writing thread.
    public typealias DeviceObserver = @Sendable (StorePackage, DeviceID) -> Void

    /// The absolute path, without a trailing slash.
    public let path: String

    /// Whether the package has the spelling that PARStore used before November 2016: `devices/`,
    /// `logs.db`, `blobs/`.
    public let isLegacy: Bool

    /// Called before a store of this package creates a device's folder. Programs use it to report
    /// that a device is new to the package.
    public var willAddDevice: DeviceObserver?

    /// Both spellings of the folder of devices. If both exist, both are read.
    static let deviceRoots = ["Devices", "devices"]

    /// The folder of devices that new devices are added to.
    var deviceRoot: String { isLegacy ? "devices" : "Devices" }

    /// Opens an existing package.
    ///
    /// - Throws: ``ReplicationError``: `.notFound`, `.noPermission`, or `.notAPackage` for a file
    ///   or a folder without `Devices/`.
    public init(opening path: String) throws(ReplicationError) {
        let path = Self.absolute(path)
        guard let status = FileStatus(following: path) else {
            // If a part of the path is a file and not a folder, the path doesn't exist.
            throw ReplicationError(system: errno == ENOTDIR ? ENOENT : errno, "open", path)
        }
        guard status.isFolder else {
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

    /// Creates an empty package: `Devices/` in a new or empty folder. If the package already
    /// exists, opens it.
    ///
    /// - Throws: ``ReplicationError``: `.cannotCreate` for a file or a folder with other content,
    ///   and if the parent folder is missing; `.noPermission`; `.unconfirmed` if the package is
    ///   created, but the disk didn't confirm it.
    public init(creating path: String) throws(ReplicationError) {
        let path = Self.absolute(path)
        do {
            try self.init(opening: path)
            return
        } catch {
            guard error.code == .notFound || Self.isEmptyFolder(path) else {
                throw error.code == .notAPackage
                    ? ReplicationError(
                        .cannotCreate, at: path, "the path already exists", cause: error)
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

    /// Opens a package for a store. If a device writes to the store, a missing package is created.
    ///
    /// - Throws: As ``init(opening:)`` and ``init(creating:)``. For a path that isn't a package,
    ///   the error is `.notAPackage` in both cases.
    package init(_ path: String, writtenBy device: DeviceID?) throws(ReplicationError) {
        if device == nil {
            try self.init(opening: path)
            return
        }
        do {
            try self.init(creating: path)
        } catch {
            guard let reason = error.cause as? ReplicationError, reason.code == .notAPackage else {
                throw error
            }
            throw reason
        }
    }

    /// Whether the package still exists at its path.
    public var exists: Bool { (try? StorePackage(opening: path)) != nil }

    /// The display name: the name of the folder.
    public var name: String { String(path.split(separator: "/").last ?? "/") }

    private static func isEmptyFolder(_ path: String) -> Bool {
        guard let folder = try? Descriptor(folder: path) else { return false }
        return (try? folder.entries(path).isEmpty) == true
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }
}

extension StorePackage: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.path == rhs.path && lhs.isLegacy == rhs.isLegacy
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
