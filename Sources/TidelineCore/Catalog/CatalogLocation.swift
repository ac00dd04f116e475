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
    /// In a package, this is the catalog of the named device. If no device is named, it is the
    /// catalog of this device. If this device has no catalog, it is the only catalog in the
    /// package.
    ///
    /// - Parameters:
    ///   - named: The device that the user named.
    ///   - device: This device, which is used if no device is named.
    /// - Throws: ``CoreError``: `.notFound` if the package or the named device has no catalog;
    ///   `.usage` if several devices have a catalog and this device has none. `ReplicationError`,
    ///   also for a missing path, and `.incomplete` if a sync service has not downloaded the
    ///   catalog.
    public init(reading path: String, of named: DeviceID?, else device: DeviceID?) throws {
        owner = nil
        guard try StoreKind.isFolder(path) else {
            file = StoreKind.resolved(path)
            return
        }
        let package = try StorePackage(opening: path)
        let found = try Self.catalogs(in: package)
        if let wanted = named ?? device, let folder = try? package.device(wanted) {
            try folder.checkIsDownloaded(.catalog)
        }
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
            for folder in try package.devices() { try folder.checkIsDownloaded(.catalog) }
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

    /// Returns the folders of devices that have a catalog, without conflict copies of folders.
    static func catalogs(in package: StorePackage) throws -> [DeviceFolder] {
        try package.devices().filter { $0.has(.catalog) && $0.copy?.isCertain != true }
    }

    /// Finds the catalog to write; in a package, always the device's own.
    ///
    /// - Parameter device: Called only if `path` is a package.
    /// - Throws: `ReplicationError` for a package that can't be opened or listed; errors of
    ///   `device`.
    public init(writing path: String, device: () throws -> DeviceID) throws {
        guard StoreKind.isExistingFolder(path) else {
            self.init(file: StoreKind.resolved(path))
            return
        }
        let package = try StorePackage(opening: path)
        try self.init(of: try device(), in: package)
    }

    /// Finds a device's own catalog in a package, for writing.
    init(of device: DeviceID, in package: StorePackage) throws {
        file = try package.device(device).path(of: .catalog)
        owner = Owner(package: package, device: device)
    }

    /// Finds the catalog in a file.
    init(file: String) {
        self.file = file
        owner = nil
    }

    /// The device that owns the catalog, for writing; `nil` for a single file.
    public var device: DeviceID? { owner?.device }

    /// Whether the catalog's file exists.
    public var exists: Bool { FileManager.default.fileExists(atPath: file) }

    /// Creates the device's folder if it is missing.
    ///
    /// - Parameter willAddDevice: Called before the folder is created.
    /// - Throws: `ReplicationError`: `.noPermission`, `.cannotCreate`, `.unsafePath`, `.notFound`.
    func makeFolder(willAddDevice: StorePackage.DeviceObserver? = nil) throws {
        guard let owner else { return }
        let package = willAddDevice.map { owner.package.observed(by: $0) } ?? owner.package
        _ = try package.makeDeviceFolder(owner.device)
    }

    /// Refuses to create a catalog in place of one that a sync service has not downloaded.
    private func checkIsDownloaded() throws {
        guard let owner else { return }
        try owner.package.device(owner.device).checkIsDownloaded(.catalog)
    }

    /// Runs `body` on the catalog, which is created if it is missing. A device's first catalog is
    /// created only if `body` succeeds, so that a failed call doesn't change the package.
    ///
    /// - Parameter willAddDevice: Called before the device's folder is created.
    /// - Throws: `ServerCatalogError`; `ReplicationError` for the folder; errors of `body`.
    public func fill<Value>(
        willAddDevice: StorePackage.DeviceObserver? = nil,
        _ body: (CatalogDatabase) throws -> Value
    ) throws -> Value {
        guard device != nil, !exists else { return try body(try openForWriting()) }
        try checkIsDownloaded()
        let first = try CatalogDatabase.inMemory()
        let value = try body(first)
        try makeFolder(willAddDevice: willAddDevice)
        try first.persist(to: file)
        return value
    }

    /// Creates an empty catalog.
    ///
    /// - Parameters:
    ///   - rebuilding: Whether to replace an existing catalog, which is kept next to the new one.
    ///   - willAddDevice: Called before the device's folder is created.
    /// - Returns: The path of the old file, if there was one.
    /// - Throws: `ServerCatalogError`, with code `.cannotCreate` for an existing catalog.
    ///   `ReplicationError` for the folder.
    public func create(
        rebuilding: Bool, willAddDevice: StorePackage.DeviceObserver? = nil
    ) throws -> String? {
        guard exists else {
            try checkIsDownloaded()
            try makeFolder(willAddDevice: willAddDevice)
            _ = try openForWriting()
            return nil
        }
        guard rebuilding else {
            throw ServerCatalogError(.cannotCreate, "\(file) already exists")
        }
        return try CatalogDatabase.rebuild(path: file).kept
    }

    /// Opens the catalog for reading. The file must exist.
    ///
    /// - Throws: The errors of `CatalogDatabase.openForReading(path:names:)`.
    public func openForReading() throws -> CatalogDatabase {
        try CatalogDatabase.openForReading(path: file)
    }

    /// Opens the catalog for reading and writing. Creates the file if it is missing.
    ///
    /// - Throws: The errors of `CatalogDatabase.open(path:names:)`; `ReplicationError`,
    ///   `.incomplete`, if a sync service has not downloaded the catalog.
    public func openForWriting() throws -> CatalogDatabase {
        if !exists { try checkIsDownloaded() }
        return try CatalogDatabase.open(path: file)
    }
}
