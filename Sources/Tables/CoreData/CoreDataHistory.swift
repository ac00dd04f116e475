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

        /// The number of the change.
        public let id: Int64
        /// The number of the transaction.
        public let transaction: Int64
        /// The time when the transaction was saved.
        public let date: Date?
        /// The author name that the program set for the transaction.
        public let author: String?
        /// The name of the process that saved the transaction.
        public let process: String?
        /// The bundle identifier of the program that saved the transaction.
        public let bundle: String?
        /// The operation on the object.
        public let action: Action
        /// The name of the entity; `nil` if no entity has the recorded number.
        public let entity: String?
        /// The object's primary key in its table.
        public let row: Int64
        /// The properties that an update wrote; `nil` if they aren't known.
        public let properties: [String]?
        /// The values that the model keeps of a deleted object.
        public let preserved: [Preserved]
    }

    /// A value of a deleted object.
    public struct Preserved: Hashable, Sendable {
        /// The name of the attribute, or of the history's own column if the model isn't known.
        public let name: String
        /// The type of the attribute, if the model is known.
        public let type: CoreDataModel.AttributeType?
        /// The value before the deletion.
        public let value: TableValue
    }

    /// Whether the strings of transactions are kept in a separate table, as in newer stores.
    private let hasStrings: Bool
    private let hasBitmap: Bool
    /// The columns with values of deleted objects, in the order of their attributes.
    private let preservedColumns: [String]

    /// The maximum number of bytes of a value of a deleted object.
    private static let longestValue = 1 << 20
    /// The maximum number of bytes of the bitmap of changed properties.
    private static let longestBitmap = 1 << 14

    /// Prepares reading the history.
    ///
    /// - Returns: `nil` for a database without persistent history.
    public init?(_ schema: DatabaseSchema) {
        let transactions = schema.table("ATRANSACTION")
        let changes = schema.table("ACHANGE")
        guard let transactions, let changes, transactions.column("ZTIMESTAMP") != nil,
            ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID"].allSatisfy({
                changes.column($0) != nil
            })
        else { return nil }
        hasStrings =
            schema.table("ATRANSACTIONSTRING")?.column("ZNAME") != nil
            && ["ZAUTHORTS", "ZPROCESSIDTS", "ZBUNDLEIDTS"].allSatisfy {
                transactions.column($0) != nil
            }
        hasBitmap = changes.column("ZCOLUMNS") != nil
        preservedColumns = changes.columns.indices.map { "ZTOMBSTONE\($0)" }
            .prefix { changes.column($0) != nil }.map(\.self)
    }

    /// Returns the newest changes, oldest first.
    ///
    /// - Parameters:
    ///   - model: The model, which names the properties.
    ///   - limit: The maximum number of changes.
    /// - Throws: `DatabaseError`.
    public func changes(
        _ db: Database, of model: CoreDataModel?, limit: Int
    ) throws -> [Change] {
        try newestChanges(db, in: 0..<max(0, limit), of: model).reversed()
    }

    /// Returns a range of the changes, newest first. The newest change has position 0.
    ///
    /// - Parameter model: The model, which names the properties.
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(*n*) in the upper bound of `range`, because Core Data has an index of
    ///   transactions in this order.
    public func newestChanges(
        _ db: Database, in range: Range<Int>, of model: CoreDataModel?
    ) throws -> [Change] {
        try changes(
            db, of: model,
            """
            ORDER BY c.ZTRANSACTIONID DESC, c.Z_PK DESC
            LIMIT \(range.count) OFFSET \(range.lowerBound)
            """)
    }

    /// Returns the change with that number; `nil` if there is none.
    ///
    /// - Parameter model: The model, which names the properties.
    /// - Throws: `DatabaseError`.
    public func change(_ id: Int64, _ db: Database, of model: CoreDataModel?) throws -> Change? {
        try changes(db, of: model, "WHERE c.Z_PK = ?", [.integer(id)]).first
    }

    /// Returns the number of changes, up to a limit.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(`limit`).
    public func count(_ db: Database, limit: Int) throws -> Int {
        let stepper = try RowStepper(
            db, "SELECT count(*) FROM (SELECT 1 FROM ACHANGE LIMIT \(limit))")
        return try stepper.step() ? Int(clamping: stepper.integer(0) ?? 0) : 0
    }

    /// Returns the number of changes that are newer than a change; `nil` if the history doesn't
    /// contain the change.
    ///
    /// - Throws: `DatabaseError`.
    /// - Complexity: O(*n*) in the number of newer changes.
    public func newerCount(_ db: Database, than id: Int64) throws -> Int? {
        let stepper = try RowStepper(
            db,
            """
            SELECT (SELECT count(*) FROM ACHANGE c
                WHERE (c.ZTRANSACTIONID, c.Z_PK) > (x.ZTRANSACTIONID, x.Z_PK))
            FROM ACHANGE x WHERE x.Z_PK = ?
            """, [.integer(id)])
        return try stepper.step() ? stepper.integer(0).map { Int(clamping: $0) } : nil
    }

    private func changes(
        _ db: Database, of model: CoreDataModel?, _ selection: String,
        _ arguments: [TableValue] = []
    ) throws -> [Change] {
        let names = ["ZAUTHOR", "ZPROCESSID", "ZBUNDLEID"].map { column in
            hasStrings
                ? "(SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column)TS)" : "NULL"
        }
        let columns =
            [
                "c.Z_PK", "c.ZTRANSACTIONID", "t.ZTIMESTAMP", "c.ZCHANGETYPE", "k.Z_NAME",
                "c.ZENTITYPK", hasBitmap ? "c.ZCOLUMNS" : "NULL",
            ] + names + preservedColumns.map { "c.\($0)" }
        let entities = Dictionary(keepingFirst: (model?.entities ?? []).map { ($0.name, $0) })
        let stepper = try RowStepper(
            db,
            """
            SELECT \(columns.joined(separator: ", "))
            FROM ACHANGE c LEFT JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
                LEFT JOIN Z_PRIMARYKEY k ON k.Z_ENT = c.ZENTITY
            \(selection)
            """, arguments)
        var changes: [Change] = []
        while try stepper.step() {
            let action: Change.Action =
                switch stepper.integer(3) {
                case 0: .insert
                case 1: .update
                case 2: .delete
                default: .unknown
                }
            let entity = stepper.text(4)
            let recorded = entity.flatMap { entities[$0]?.recorded }
            var properties: [String]?
            if action == .update,
                case .blob(let bitmap) = stepper.value(6, longest: Self.longestBitmap)
            {
                properties = recorded?.names(in: bitmap)
            }
            changes.append(
                Change(
                    id: stepper.integer(0) ?? 0, transaction: stepper.integer(1) ?? 0,
                    date: Epoch.seconds2001.date(stepper.value(2)), author: stepper.text(7),
                    process: stepper.text(8), bundle: stepper.text(9), action: action,
                    entity: entity, row: stepper.integer(5) ?? 0, properties: properties,
                    preserved: action == .delete
                        ? preserved(stepper, from: columns.count - preservedColumns.count, recorded)
                        : []))
        }
        return changes
    }

    private func preserved(
        _ stepper: RowStepper, from first: Int, _ recorded: RecordedProperties?
    ) -> [Preserved] {
        let attributes = recorded?.preserved ?? []
        return preservedColumns.enumerated().compactMap { index, column in
            let value = stepper.value(first + index, longest: Self.longestValue)
            guard value != .null else { return nil }
            let attribute = attributes.indices.contains(index) ? attributes[index] : nil
            return Preserved(name: attribute?.name ?? column, type: attribute?.type, value: value)
        }
    }
}
