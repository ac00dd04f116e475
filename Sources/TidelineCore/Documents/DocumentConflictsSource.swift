import Automerge
import Replication

/// The list of keys and items in conflict in the whole document.
final class DocumentConflictsSource: RowSource {
    private static let columns = [
        Column("pointer", "POINTER", minimumWidth: 12, isSortable: true),
        Column("winner", "WINNER", minimumWidth: 10, isSortable: true),
        Column("actor", "ACTOR", minimumWidth: 8, width: 14, isSortable: true),
        Column("others", "OTHERS", minimumWidth: 12),
    ]
    private static let fields = [
        FilterField("pointer", example: "pointer:/notes/*", aliases: ["where"]),
        FilterField("winner", .value, example: "winner~/^a/i", aliases: ["shown"]),
        FilterField("actor", .name, example: "actor:06a2", aliases: ["of"]),
        FilterField("device", .name, example: "device:06a2b97e"),
        FilterField("others", example: "others:*draft*"),
    ]
    private let context: any DocumentContext
    private let title: String
    private let found = KeptAnswers<OpenDocument, Found>()

    /// The conflicts of one state of the document.
    private struct Found: Sendable {
        let open: OpenDocument
        let heads: DocumentView.Heads?
        let rows: RowList
        let places: [RowID: WrittenPlace]
    }

    init(_ context: any DocumentContext, title: String = "Conflicts") {
        self.context = context
        self.title = title
    }

    var info: ListInfo {
        ListInfo(
            title, subject: context.subject, columns: Self.columns, filterFields: Self.fields,
            edits: context.edits.filter { [.set, .resolve].contains($0.key) },
            valueKinds: DocumentValue.kinds)
    }

    func forgetPast() { found.forgetPast() }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let found = try await found(at: request.query.instant) else {
            return RowWindow(rows: [], start: 0, total: 0)
        }
        return try await found.rows.arranged(request.query, by: info)
            .window(request)
    }

    private func found(at instant: Timestamp?) async throws -> Found? {
        guard let open = try await context.opened() else { return nil }
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
                    + open.authorName(of: other.operation.actor)
            }
            let id = open.row(pointer)
            places[id] = place
            rows.append(
                Row(
                    id: id,
                    cells: [
                        RowCell(pointer, .key),
                        RowCell(try open.line(place.winner.content, at: heads), .winner),
                        open.authorCell(of: actor),
                        RowCell(others.joined(separator: " | "), .loser),
                    ], device: OpenDocument.device(of: actor), isConflict: true))
        }
        return Found(open: open, heads: heads, rows: RowList(rows), places: places)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return nil
        }
        return try found.open.detail(
            of: place, pointer: found.open.pointer(of: row), at: found.heads)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return nil
        }
        return try found.open.conflict(at: place, heads: found.heads)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return []
        }
        return try found.open.copyForms(
            of: place, pointer: found.open.pointer(of: row), at: found.heads)
    }

    // MARK: Edits

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let found = try await found(at: nil), let place = found.places[row] else {
            return nil
        }
        return try found.open.view.typed(place.winner.content)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit, in: nil)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview, in: nil)
    }
}
