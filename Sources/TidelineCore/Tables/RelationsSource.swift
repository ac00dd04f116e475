import Replication
import Tables

/// The list of a row's references to and from other rows, with the rows at the other end.
final class RelationsSource: RowSource {
    private let database: TableDatabase
    private let title: String
    private let references: [RowReferences.Reference]
    /// The maximum number of rows at the other end that are counted.
    private static let limit = 1000

    init(_ database: TableDatabase, _ title: String, _ references: [RowReferences.Reference]) {
        self.database = database
        self.title = title
        self.references = references
    }

    private typealias Found = (
        number: Int, reference: RowReferences.Reference, rowCount: Int, first: String?
    )

    private static let schema = ListSchema<Found>(
        [
            ListColumn(
                "reference", "REFERENCE", minimumWidth: 14, .name, example: "reference:author"
            ) {
                let name = $0.reference.name
                return RowCell($0.reference.isIncoming ? "← \(name)" : name, .link)
            },
            ListColumn(
                "rows", "ROWS", width: 6, alignment: .trailing, .number, example: "rows>0"
            ) { RowCell($0.rowCount > limit ? "\(limit)+" : String($0.rowCount), .number) },
            ListColumn(
                "first", "FIRST", minimumWidth: 20, isSortable: false, .name, example: "first:ann"
            ) { RowCell($0.first ?? "row not found", .plain) },
        ], id: { RowID(String($0.number)) }, mark: { $0.isDimmed = $1.rowCount == 0 })

    var info: ListInfo {
        ListInfo(
            title, columns: Self.schema.columns, filterFields: Self.schema.filterFields,
            hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let counted = try await database.read { [self] db in
            try references.enumerated().map { number, reference -> Found in
                let walk = try RowWalk(
                    reference.table.schema,
                    reference.table.selection(where: reference.condition, sort: reference.order))
                let columns = reference.table.columns.prefix(12)
                let found = try walk.rows(
                    db, columns: columns.map(\.schema.name), limit: Self.limit + 1)
                let first = found.first.map { TableGrid.line(of: $0.values, in: columns) }
                return (number, reference, found.count, first)
            }
        }.0
        return try await ItemList(counted, Self.schema).arrangedWindow(request)
    }

    private func reference(_ row: RowID) -> RowReferences.Reference? {
        Int(row.name).flatMap { references.indices.contains($0) ? references[$0] : nil }
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let reference = reference(row), let schema = database.tables?.schema else {
            return nil
        }
        return TableDescription.detail(of: reference.table, in: schema)
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let reference = reference(row) else { return nil }
        return try await database.run { [database] isCancelled in
            try TableLists.rows(
                of: reference.table, in: database, condition: reference.condition,
                order: reference.order, title: reference.name, isCancelled: isCancelled)
        }
    }
}
