import Foundation
public import GRDB
import Replication

/// The files next to a Core Data store that contain binary values, compared with the objects that
/// refer to them.
public struct ExternalFiles: Hashable, Sendable {
    /// A reference to a file that doesn't exist.
    public struct Missing: Hashable, Sendable {
        /// The name of the object's entity.
        public let entity: String
        /// The number of the object.
        public let row: Int64
        /// The name of the attribute.
        public let attribute: String
        /// The name of the file.
        public let file: String
    }

    /// The references to files that don't exist, at most ``limit``.
    public private(set) var missing: [Missing] = []
    /// The number of references to files that don't exist.
    public private(set) var missingCount = 0
    /// The names of the files that no object refers to, sorted.
    public let orphaned: [String]

    /// The maximum number of references in ``missing``.
    public static let limit = 1000

    /// Compares the references of a store with the files in its folder.
    ///
    /// - Throws: `DatabaseError`; `ReplicationError` if the folder can't be listed.
    public init(_ db: Database, _ tables: DatabaseTables, storeAt path: String) throws {
        let present = try ExternalFolder(of: path).names()
        var referred: Set<String> = []
        // The inherited attributes of several entities are in the same column of the same table.
        for table in tables.tables where table.entity?.parent == nil {
            // A column that isn't known to have external values can still refer to files.
            for column in tables.columns(sharing: table.schema) {
                let name = SQLName.quoted(column.schema.name)
                let stepper = try RowStepper(
                    db,
                    "SELECT Z_PK, \(name) FROM \(SQLName.quoted(table.schema.name)) "
                        + "WHERE typeof(\(name)) = 'blob' AND length(\(name)) <= 64 "
                        + "AND substr(\(name), 1, 1) = x'02'")
                while try stepper.step() {
                    guard let row = stepper.integer(0), case .blob(let data) = stepper.value(1),
                        case .file(let file)? = ExternalBinary(stored: data)
                    else { continue }
                    referred.insert(file)
                    guard column.isExternalBinary, !present.contains(file) else { continue }
                    missingCount += 1
                    guard missing.count < Self.limit else { continue }
                    missing.append(
                        Missing(
                            entity: table.name, row: row, attribute: column.name, file: file))
                }
            }
        }
        orphaned = present.subtracting(referred).sorted()
    }
}

extension DatabaseTables {
    /// Returns the distinct columns of all entities that share a table.
    fileprivate func columns(sharing schema: TableSchema) -> [NamedTable.Column] {
        var seen: Set<[UInt8]> = []
        return tables.filter { $0.entity != nil && $0.schema.name == schema.name }
            .flatMap(\.columns).filter { seen.insert(SQLName.folded($0.schema.name)).inserted }
    }
}
