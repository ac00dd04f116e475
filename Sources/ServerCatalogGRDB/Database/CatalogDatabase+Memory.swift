import Foundation
import GRDB
import Replication
public import ServerCatalog

extension CatalogDatabase {
    /// The catalog of a file, in memory: queries and changes cost no disk, and the file stays as
    /// it is until ``persist(to:)``.
    ///
    /// - Throws: `ServerCatalogError`, as ``openForReading(path:names:)`` does.
    /// - Complexity: O(*n*) in the bytes of the file, which memory then holds.
    public static func loadIntoMemory(
        path: String, names: CountryNames = .environment
    ) throws -> CatalogDatabase {
        let file = try openForReading(path: path, names: names)
        defer { try? file.close() }
        return try CatalogFailure.wrapping("\(path) cannot be loaded") {
            let memory = try DatabaseQueue(configuration: configuration)
            try file.read { db in try memory.writeWithoutTransaction { try db.backup(to: $0) } }
            return try CatalogDatabase(memory, names: names)
        }
    }

    /// Writes the whole catalog to a file, in place of the catalog that is there.
    ///
    /// All or nothing, in one transaction: killed at any instant, the file is what it was or what
    /// this catalog is. What others have written to the file since it was loaded is replaced.
    ///
    /// - Throws: `ServerCatalogError`: `.notACatalog` and `.newerSchema` for a file that is not
    ///   to be replaced (see ``rebuild(path:names:)``), `.busy`, `.noPermission`,
    ///   `.cannotCreate`.
    /// - Complexity: O(*n*) in the bytes of the catalog.
    public func persist(to path: String) throws {
        try CatalogFailure.wrapping("\(path) cannot be written") {
            let file = try Self.localFile(path)
            defer { try? file.database.close() }
            try read { db in try file.database.writeWithoutTransaction { try db.backup(to: $0) } }
        }
    }
}
