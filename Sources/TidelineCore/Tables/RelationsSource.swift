import Replication
import Tables

/// The list of a row's references to and from other rows, with the rows on the other end.
final class RelationsSource: RowSource {
    private let database: TableDatabase
    private let title: String
    private let references: [RowReferences.Reference]
    /// The maximum number of rows to count on the other end.
    private static let limit = 1000

    init(_ database: TableDatabase, _ title: String, _ references: [RowReferences.Reference]) {
        self.database = database
        self.title = title
        self.references = references
    }

    var info: ListInfo {
        ListInfo(
            title,
            columns: [
                Column("reference", "REFERENCE", minimumWidth: 14, isSortable: true),
                Column("rows", "ROWS", width: 6, alignment: .trailing, isSortable: true),
                Column("first", "FIRST", minimumWidth: 20),
            ],
            filterFields: [
                FilterField("reference", .name, example: "reference:author"),
                FilterField("rows", .number, example: "rows>0"),
                FilterField("first", .name, example: "first:ann"),
            ], hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = try await database.run { [self] isCancelled in
            try database.file.read(isCancelled: isCancelled) { db in
                try references.enumerated().map { number, reference in
                    let walk = try RowWalk(
                        reference.table.schema,
                        reference.table.selection(where: reference.condition))
                    let columns = reference.table.columns.prefix(12)
                    let found = try walk.rows(
                        db, columns: columns.map(\.schema.name), limit: Self.limit + 1)
                    let first = found.first.map { TableGrid.line(of: $0.values, in: columns) }
                    let count = found.count > Self.limit ? "\(Self.limit)+" : String(found.count)
                    return Row(
                        id: RowID(String(number)),
                        cells: [
                            RowCell(
                                reference.isIncoming ? "← \(reference.name)" : reference.name, .link
                            ),
                            RowCell(count, .number), RowCell(first ?? "row not found", .plain),
                        ], isDimmed: found.isEmpty)
                }
            }.0
        }
        return try await RowList(rows).arranged(request.query, by: info).window(request)
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
                title: reference.name, isCancelled: isCancelled)
        }
    }
}
