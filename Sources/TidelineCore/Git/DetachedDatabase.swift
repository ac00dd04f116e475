package import Foundation
import GRDB
package import Replication
import Tables

/// A device's database outside of its package, for example a version that git has stored.
package struct DetachedDatabase {
    package let path: String
    /// The kind of database, detected from its tables.
    package let kind: DatabaseKind
    package let device: DeviceID
    /// The identity of the file; `nil` for a log of PARStore 1, which has no identity.
    package let identity: UUID?

    /// A database with the rows of two versions.
    package struct Combined {
        let content: Data
        /// The number of rows of the other version that were added.
        let addedCount: Int
    }

    /// Reads the kind of a database.
    ///
    /// - Parameters:
    ///   - device: The device, if the file doesn't name it.
    ///   - models: The data models whose databases are recognized.
    /// - Returns: `nil` for a database that isn't a device's log.
    /// - Throws: Errors from reading the file.
    package init?(
        _ path: String, device: DeviceID?, models: [any DataModel] = DataModels.standard
    ) throws {
        let (tables, identity) = try TableFile(path).read { db in
            let tables = try db.tableNames()
            return (tables, tables.contains("meta") ? try LogIdentity.fetch(from: db) : nil)
        }.0
        guard let model = models[tables: tables] else { return nil }
        self.path = path
        kind = model.kind
        self.device = try identity?.device ?? device ?? DeviceID("unknown-device")
        self.identity = identity?.identity
    }

    /// Calls `body` with a temporary package that contains only a copy of the database.
    package func withPackage<Result>(_ body: (StorePackage) throws -> Result) throws -> Result {
        let folder = try makePackage()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(StorePackage(opening: folder.path))
    }

    /// Adds the rows of another version to a copy of this database.
    ///
    /// - Parameter add: Adds the rows to the database in the package, and returns their number.
    /// - Throws: Errors of `add`, and errors from copying and reading the database.
    func combined(_ add: (StorePackage) throws -> Int) throws -> Combined {
        try withPackage { package in
            let count = try add(package)
            let path = try package.device(device).path(of: kind)
            return Combined(content: try Data(contentsOf: URL(filePath: path)), addedCount: count)
        }
    }

    private func makePackage() throws -> URL {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "tideline-\(UUID().uuidString)")
        let devices = folder.appending(path: "Devices/\(device.name)")
        try files.createDirectory(
            at: devices, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let copy = devices.appending(path: kind.fileName).path
        do {
            try files.copyItem(atPath: path, toPath: copy)
            // The file may be read-only, because git can create files without write permission.
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        } catch {
            try? files.removeItem(at: folder)
            throw error
        }
        return folder
    }
}
