import Automerge
import Replication

/// The keys and elements of the whole document that hold several values side by side.
final class DocumentConflictsSource: RowSource {
    private static let columns = [
        Column("pointer", "WHERE", minimumWidth: 12, isSortable: true),
        Column("winner", "SHOWN", minimumWidth: 10, isSortable: true),
        Column("actor", "OF", width: 8, isSortable: true),
        Column("others", "OTHERS", minimumWidth: 12),
    ]
    private static let fields = [
        FilterField("pointer", example: "pointer:/notes/*", aliases: ["where"]),
        FilterField("winner", .value, example: "winner~/^a/i", aliases: ["shown"]),
        FilterField("actor", .name, example: "actor:06a2", aliases: ["of"]),
        FilterField("device", .name, example: "device:06a2b97e"),
        FilterField("others", example: "others:*draft*"),
    ]
    private let context: DocumentContext
    private let found = KeptAnswers<OpenDocument, Found>()

    /// The conflicts of one state of the document.
    private struct Found: Sendable {
        let open: OpenDocument
        let heads: DocumentView.Heads?
        let rows: RowList
        let places: [RowID: WrittenPlace]
    }

    init(_ context: DocumentContext) { self.context = context }

    let info = ListInfo(
        "Conflicts", columns: columns, filterFields: fields,
        edits: DocumentContext.readOnly.of(.resolve))

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let found = try found(at: request.query.instant) else {
            return RowWindow(rows: [], start: 0, total: 0)
        }
        return try await found.rows.arranged(request.query, by: info)
            .window(request)
    }

    private func found(at instant: Timestamp?) throws -> Found? {
        guard let open = context.open else { return nil }
        return try found.answer(to: RowQuery(instant: instant), in: open) {
            try Self.find(in: open, at: open.heads(at: instant))
        }
    }

    private static func find(
        in open: OpenDocument, at heads: DocumentView.Heads?
    ) throws -> Found {
        var rows: [Row] = []
        var places: [RowID: WrittenPlace] = [:]
        try open.view.forEachConflictedPlace(at: heads) { pointer, place in
            let actor = place.winner.operation.actor
            let others = try place.others.map { other in
                "\(try open.line(other.content, at: heads)) "
                    + open.name(of: other.operation.actor)
            }
            let id = RowID(pointer)
            places[id] = place
            rows.append(
                Row(
                    id: id,
                    cells: [
                        RowCell(pointer, .key),
                        RowCell(try open.line(place.winner.content, at: heads), .winner),
                        RowCell(open.name(of: actor), .device),
                        RowCell(others.joined(separator: " | "), .loser),
                    ], device: OpenDocument.device(of: actor), isConflict: true))
        }
        return Found(open: open, heads: heads, rows: RowList(rows), places: places)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = try found(at: instant), let place = found.places[row] else { return nil }
        return try found.open.detail(of: place, pointer: row.name, at: found.heads)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let found = try found(at: instant), let place = found.places[row] else { return nil }
        return try found.open.conflict(at: place, heads: found.heads)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let found = try found(at: instant), let place = found.places[row] else { return [] }
        return try found.open.copyForms(of: place, pointer: row.name, at: found.heads)
    }
}
