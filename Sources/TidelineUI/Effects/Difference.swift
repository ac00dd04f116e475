import Replication
import TidelineCore

/// What differs in a list between two instants, as a list: the rows that came, changed, went.
final class Difference: RowSource {
    /// Lists of more rows are to be filtered first.
    private static let limit = 200_000
    private static let page = 2_000

    let info: ListInfo
    private static let columns = [
        Column("change", "Change", width: 7, isSortable: true),
        Column("row", "Row", minimumWidth: 12, isSortable: true),
        Column("before", "Before", minimumWidth: 14),
        Column("after", "After", minimumWidth: 14),
    ]
    private static let fields = [
        FilterField("change", .choice(["new", "changed", "gone"]), example: "change:changed"),
        FilterField("row", example: "row:note/*"),
        FilterField("before", example: "before:draft"), FilterField("after", example: "after:done"),
    ]
    private let list: RowList

    /// - Complexity: O(*n*) in the rows of the list; both states are read.
    /// - Throws: ``RequestFailure`` for a list of more rows than can be compared.
    init(of source: any RowSource, query: RowQuery, from: Timestamp, to: Timestamp) async throws {
        var query = query
        query.sort = nil
        query.instant = from
        var before: [RowID: (name: String, text: String, values: Int)] = [:]
        try await Self.read(source, query) { row in
            before[row.id] = (
                row.cells.first?.text ?? row.id.name, Self.text(of: row), Self.values(of: row)
            )
        }
        query.instant = to
        var rows: [Row] = []
        try await Self.read(source, query) { row in
            let name = row.cells.first?.text ?? row.id.name
            let text = Self.text(of: row)
            guard let old = before.removeValue(forKey: row.id) else {
                rows.append(Self.row(row.id, "new", name, nil, text))
                return
            }
            if old.text != text || old.values != Self.values(of: row) {
                rows.append(Self.row(row.id, "changed", name, old.text, text))
            }
        }
        for (id, old) in before { rows.append(Self.row(id, "gone", old.name, old.text, nil)) }
        rows.sort { ($0.cells[1].text, $0.id.name) < ($1.cells[1].text, $1.id.name) }
        list = RowList(rows)
        info = ListInfo(
            "Differences", columns: Self.columns, filterFields: Self.fields,
            hasPast: false)
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        try await list.arranged(request.query, by: info).window(request)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let index = list.index(of: row), let found = list.rows(index..<index + 1).first else {
            return nil
        }
        let lines = zip(Self.columns, found.cells).map { Detail.Line($0.title, $1.text, $1.role) }
        return Detail(title: found.cells[1].text, sections: [.init("Difference", lines)])
    }

    private static func read(
        _ source: any RowSource, _ query: RowQuery, _ body: (Row) -> Void
    ) async throws {
        try await RowExport.read(source, query, page: page, limit: limit, body)
    }

    /// What is compared: everything but the name and the instants, which show age.
    private static func text(of row: Row) -> String {
        row.cells.dropFirst().filter { $0.instant == nil }.map(\.text).joined(separator: " ")
    }

    /// What tells values apart whose texts are cut to look the same.
    private static func values(of row: Row) -> Int {
        var hasher = Hasher()
        for cell in row.cells { hasher.combine(cell.value) }
        return hasher.finalize()
    }

    private static func row(
        _ id: RowID, _ change: String, _ name: String, _ old: String?, _ new: String?
    ) -> Row {
        let role: TextRole = change == "new" ? .added : change == "gone" ? .removed : .label
        return Row(
            id: id,
            cells: [
                RowCell(change, role), RowCell(name, .key), RowCell(old ?? "", .removed),
                RowCell(new ?? "", .added),
            ])
    }
}
