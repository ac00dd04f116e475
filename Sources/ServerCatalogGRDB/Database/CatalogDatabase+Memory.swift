import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// Loads a file's catalog into memory. Queries and changes don't use the disk, and the file is
    /// unchanged until ``persist(to:)``.
    ///
    /// - Throws: `ServerCatalogError`, as ``openForReading(path:names:)``.
    /// - Complexity: O(*n*) in the bytes of the file, which are held in memory.
    public static func loadIntoMemory(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        let file = try openForReading(path: path, names: names)
        defer { try? file.close() }
        return try CatalogErrors.wrapping("\(path) can't be loaded") {
            let memory = try DatabaseQueue(configuration: configuration)
            try file.read { db in try memory.writeWithoutTransaction { try db.backup(to: $0) } }
            return try CatalogDatabase(memory, names: names)
        }
    }

    /// Writes the whole catalog to a file, replacing the file's catalog.
    ///
    /// Uses one transaction: if the process is killed at any time, the file has either its old
    /// content or this catalog. Overwrites changes that others have made to the file since the
    /// catalog was loaded.
    ///
    /// - Throws: `ServerCatalogError`: `.notACatalog` and `.newerSchema` for a file that must not
    ///   be replaced (see ``rebuild(path:names:)``), `.busy`, `.noPermission`, `.cannotCreate`,
    ///   `.inputOutput`; `.unconfirmed` if the catalog was written, but the disk didn't confirm it.
    /// - Complexity: O(*n*) in the bytes of the catalog.
    public func persist(to path: String) throws {
        try CatalogErrors.wrapping("\(path) can't be written") {
            let file = try Self.localFile(path)
            defer { try? file.database.close() }
            try Self.discardingHalfMade(file) {
                try read { try file.replaceContent(with: $0) }
            }
        }
    }
}
