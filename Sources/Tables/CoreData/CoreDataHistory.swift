public import Foundation
public import GRDB
import Replication

/// The persistent history of a Core Data store: which objects each transaction changed.
public struct CoreDataHistory: Sendable {
    /// A change of one object in a transaction.
    public struct Change: Hashable, Sendable {
        /// The operation on the object.
        public enum Action: String, Hashable, Sendable {
            case insert, update, delete, unknown
        }

        public let id: Int64
        public let transaction: Int64
        /// The time when the transaction was saved.
        public let date: Date?
        /// The author name that the program set for the transaction.
        public let author: String?
        public let process: String?
        public let bundle: String?
        public let action: Action
        /// The name of the entity; `nil` if no entity has the recorded number.
        public let entity: String?
        /// The object's primary key in its table.
        public let row: Int64
    }

    private let hasStrings: Bool

    /// Prepares reading the history.
    ///
    /// - Returns: `nil` for a database without persistent history.
    /// - Throws: `DatabaseError`.
    public init?(_ db: Database, _ schema: DatabaseSchema) throws {
        let transactions = schema.table("ATRANSACTION")
        let changes = schema.table("ACHANGE")
        guard let transactions, let changes, transactions.column("ZTIMESTAMP") != nil,
            ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"].allSatisfy({
                changes.column($0) != nil
            })
        else { return nil }
        // Newer stores keep strings in a separate table.
        hasStrings =
            schema.table("ATRANSACTIONSTRING")?.column("ZNAME") != nil
            && ["ZAUTHORTS", "ZPROCESSIDTS", "ZBUNDLEIDTS"].allSatisfy {
                transactions.column($0) != nil
            }
    }

    /// Returns the changes, oldest first.
    ///
    /// - Parameter limit: The maximum number of changes.
    /// - Throws: `DatabaseError`.
    public func changes(_ db: Database, limit: Int) throws -> [Change] {
        func name(_ column: String) -> String {
            hasStrings
                ? "(SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS)" : "NULL"
        }
        return try Row.fetchAll(
            db,
            sql: """
                SELECT c.Z_PK AS id, c.ZTRANSACTIONID AS tx, t.ZTIMESTAMP AS stamp,
                    \(name("ZAUTHOR")) AS author, \(name("ZPROCESSID")) AS process,
                    \(name("ZBUNDLEID")) AS bundle, c.ZCHANGETYPE AS action,
                    c.ZENTITYPK AS pk, k.Z_NAME AS entity
                FROM ACHANGE c LEFT JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
                    LEFT JOIN Z_PRIMARYKEY k ON k.Z_ENT = c.ZENTITY
                ORDER BY c.ZTRANSACTIONID, c.Z_PK LIMIT ?
                """, arguments: [limit]
        ).map { row in
            let stamp: Double? =
                switch (row["stamp"] as DatabaseValue).storage {
                case .double(let number): number
                case .int64(let number): Double(number)
                default: nil
                }
            let action: Change.Action =
                switch row.integer("action") {
                case 0: .insert
                case 1: .update
                case 2: .delete
                default: .unknown
                }
            return Change(
                id: row.integer("id") ?? 0, transaction: row.integer("tx") ?? 0,
                date: stamp.flatMap { Epoch.seconds2001.date($0) }, author: row.text("author"),
                process: row.text("process"), bundle: row.text("bundle"), action: action,
                entity: row.text("entity"), row: row.integer("pk") ?? 0)
        }
    }
}
