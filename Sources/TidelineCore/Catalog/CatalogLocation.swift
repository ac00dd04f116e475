import Foundation
public import Replication
import ServerCatalog
public import ServerCatalogGRDB

/// The location of a catalog: a file, or a device's `Catalog.db` in a package.
public struct CatalogLocation: Hashable, Sendable {
    /// The path of the catalog's file, whether or not it exists.
    public let file: String
    /// The package and device whose folder must exist before the file can be written.
    private let owner: Owner?

    private struct Owner: Hashable {
        let package: StorePackage
        let device: DeviceID
    }

    /// Finds the catalog to read.
    ///
    /// In a package it is that of the named device. If none is named, it is the device's own, or
    /// the only one in the package.
    ///
    /// - Parameters:
    ///   - named: The device that the user named.
    ///   - device: This device, used if none is named.
    /// - Throws: ``CoreError``: `.notFound` for a package without a catalog, or without the named
    ///   device's; `.usage` if it has several and none is the device's. `ReplicationError`, also
    ///   for a missing path.
    public init(reading path: String, of named: DeviceID?, else device: DeviceID?) throws {
        owner = nil
        guard try StoreKind.isFolder(path) else {
            file = StoreKind.resolved(path)
            return
        }
        let found = try Self.catalogs(in: try StorePackage(opening: path))
        if let own = found.first(where: { $0.id == named ?? device }) {
            file = own.path(of: .catalog)
        } else if let named, !found.isEmpty {
            throw CoreError(
                .notFound, "\(named) has no server catalog in \(path)",
                suggestion: "choose one with --device: "
                    + found.map(\.id.name).joined(separator: ", "))
        } else if found.count == 1, let only = found.first {
            file = only.path(of: .catalog)
        } else if found.isEmpty {
            throw CoreError(
                .notFound, "no device has a server catalog in \(path)",
                suggestion: "to create one: tideline servers create \(path)")
        } else {
            throw CoreError(
                .usage, "\(Counted.grouped(found.count)) devices have a server catalog in \(path)",
                suggestion: "choose one with --device: "
                    + found.map(\.id.name).joined(separator: ", "))
        }
    }

    /// Returns the folders of devices that have a catalog. Copied folders don't count.
    static func catalogs(in package: StorePackage) throws -> [DeviceFolder] {
        try package.devices().filter { $0.has(.catalog) && $0.copy?.isCertain != true }
    }

    /// Finds the catalog to write; in a package, always the device's own.
    ///
    /// - Parameter device: Called only if `path` is a package.
    /// - Throws: `ReplicationError` for a package that can't be opened or listed; errors of
    ///   `device`.
    public init(writing path: String, device: () throws -> DeviceID) throws {
        guard Self.isFolder(path) else {
            file = StoreKind.resolved(path)
            owner = nil
            return
        }
        let owner = Owner(package: try StorePackage(opening: path), device: try device())
        file = try owner.package.device(owner.device).path(of: .catalog)
        self.owner = owner
    }

    /// The device that owns the catalog, for writing; `nil` for a single file.
    public var device: DeviceID? { owner?.device }

    /// Whether the catalog's file exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: file) }

    /// Creates the device's folder if it is missing.
    ///
    /// - Parameter willAddDevice: Called before the folder is created.
    /// - Throws: `ReplicationError`: `.noPermission`, `.cannotCreate`, `.unsafePath`, `.notFound`.
    public func makeFolder(willAddDevice: StorePackage.DeviceObserver? = nil) throws {
        guard let owner else { return }
        _ = try owner.package.observed(by: willAddDevice).makeDeviceFolder(owner.device)
    }

    /// Opens the catalog for reading. The file must exist.
    ///
    /// - Throws: `ServerCatalogError`, as `CatalogDatabase.openForReading(path:names:)`.
    public func openForReading() throws -> CatalogDatabase {
        try CatalogDatabase.openForReading(path: file)
    }

    /// Opens the catalog for reading and writing. Creates the file if it is missing.
    ///
    /// - Throws: `ServerCatalogError`, as `CatalogDatabase.open(path:names:)`.
    public func openForWriting() throws -> CatalogDatabase {
        try CatalogDatabase.open(path: file)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }
}
