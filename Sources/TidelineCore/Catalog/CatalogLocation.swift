import Foundation
public import Replication
import ServerCatalog
public import ServerCatalogGRDB

/// Where the catalog of a path is: the file itself, or a device's `Catalog.db` in a package.
public struct CatalogLocation: Hashable, Sendable {
    /// The catalog's file, whether it is there or not.
    public let file: String
    /// The package and device whose folder must be there before the file can be written.
    private let owner: Owner?

    private struct Owner: Hashable {
        let package: StorePackage
        let device: DeviceID
    }

    /// The catalog to read.
    ///
    /// In a package it is that of the device that a person named, and no other. Where none was
    /// named it is the device's own, or else the only one that there is.
    ///
    /// - Parameters:
    ///   - named: The device whose catalog is asked for by name.
    ///   - device: This device, where nobody named one.
    /// - Throws: ``CoreError``: `.notFound` for a package without a catalog, or without the named
    ///   device's; `.usage` where it has several and none is the device's. `ReplicationError`, also
    ///   for what is not there.
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
                wayOut: "name one that has with --device: "
                    + found.map(\.id.name).joined(separator: ", "))
        } else if found.count == 1, let only = found.first {
            file = only.path(of: .catalog)
        } else if found.isEmpty {
            throw CoreError(
                .notFound, "no device has a server catalog in \(path)",
                wayOut: "make one with: tideline servers create \(path)")
        } else {
            throw CoreError(
                .usage, "\(found.count) devices have a server catalog in \(path)",
                wayOut: "name one with --device: "
                    + found.map(\.id.name).joined(separator: ", "))
        }
    }

    /// The folders of the devices that have a catalog; a copied folder's is the other device's.
    static func catalogs(in package: StorePackage) throws -> [DeviceFolder] {
        try package.devices().filter { $0.has(.catalog) && $0.copy?.isCertain != true }
    }

    /// The catalog to write: in a package, always the device's own.
    ///
    /// - Parameter device: Asked for only if `path` is a package.
    /// - Throws: `ReplicationError` for a package that cannot be opened or listed; what `device`
    ///   throws.
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

    /// The device whose catalog in a package this is, for writing; `nil` for a file by itself.
    public var device: DeviceID? { owner?.device }

    /// Whether the catalog's file is there.
    public var exists: Bool { FileManager.default.fileExists(atPath: file) }

    /// The device that writes for the first time here, whose folder is still missing.
    ///
    /// - Throws: `ReplicationError` if the device's place in the package cannot be looked at.
    public func newDevice() throws -> DeviceID? {
        guard let owner, try !owner.package.device(owner.device).isThere else { return nil }
        return owner.device
    }

    /// Makes the device's folder where it is missing.
    ///
    /// - Throws: `ReplicationError`: `.noPermission`, `.cannotCreate`, `.unsafePath`, `.notFound`.
    public func makeFolder() throws {
        if let owner { _ = try owner.package.makeDeviceFolder(owner.device) }
    }

    /// The catalog, for reading; the file must be there.
    ///
    /// - Throws: `ServerCatalogError`, as `CatalogDatabase.openForReading(path:names:)`.
    public func openForReading() throws -> CatalogDatabase {
        try CatalogDatabase.openForReading(path: file)
    }

    /// The catalog, for reading and writing; its file is created where there is none.
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
