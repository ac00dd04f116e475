import Automerge
import Replication

/// The keys and items in conflict in a whole document, with their details and edits.
final class DocumentConflicts: DocumentPlaces {
    let context: any DocumentContext
    /// Returns the document's title; `nil` if there is only one document.
    private let title: @Sendable () -> String?
    private let found = ResultCache<OpenDocument, Found>()

    /// The conflicts of one state of the document.
    private struct Found: Sendable {
        let open: OpenDocument
        let heads: DocumentView.Heads?
        /// The places, in document order.
        let order: [RowID]
        let places: [RowID: WrittenPlace]
    }

    init(
        _ context: any DocumentContext, title: @escaping @Sendable () -> String? = { nil }
    ) {
        self.context = context
        self.title = title
    }

    /// This list is never shown. Its rows are part of the list of all conflicts.
    var info: ListInfo { ListInfo("Conflicts", columns: [], edits: edits) }

    var edits: [EditKind: Availability] {
        context.edits.filter { [.set, .resolve].contains($0.key) }
    }

    func forgetPast() { found.forgetPast() }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        let rows = try await rows(at: request.query.instant)
        return try await RowList(rows).window(request)
    }

    /// Returns the rows of the document in the list of all conflicts.
    func rows(at instant: Timestamp?) async throws -> [Row] {
        guard let found = try await found(at: instant) else { return [] }
        return try found.order.map { id in
            guard let place = found.places[id] else { return Row(id: id, cells: []) }
            return try found.open.row(
                of: place, in: id, at: found.heads, named: name(of: id, in: found.open))
        }
    }

    /// Returns the name that the list of all conflicts shows for a place.
    func name(of row: RowID, in open: OpenDocument) -> String {
        let pointer = open.pointer(of: row)
        return title().map { "\($0) \(pointer)" } ?? pointer
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
        var order: [RowID] = []
        var places: [RowID: WrittenPlace] = [:]
        try open.view.forEachConflictedPlace(at: heads) { pointer, place in
            let id = open.row(pointer)
            order.append(id)
            places[id] = place
        }
        return Found(open: open, heads: heads, order: order, places: places)
    }

    func place(of row: RowID, at instant: Timestamp?) async throws -> DatedPlace? {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return nil
        }
        return DatedPlace(open: found.open, heads: found.heads, place: place)
    }
}

extension OpenDocument {
    /// Returns the row that shows a place in the list of all conflicts.
    fileprivate func row(
        of place: WrittenPlace, in row: RowID, at heads: DocumentView.Heads?, named name: String
    ) throws -> Row {
        let actor = place.winner.operation.actor
        let others = try place.others.map { other in
            "\(try view.line(other.content, at: heads)) \(authorName(of: other.operation.actor))"
        }
        return Row(
            conflict: ConflictPlace(part: PaneID.documents.part, row: row),
            name: name, kind: "document",
            winner: RowCell(try view.line(place.winner.content, at: heads), .winner),
            device: authorCell(of: actor),
            others: RowCell(others.joined(separator: " | "), .loser),
            instant: place.winner.change.flatMap { change($0)?.timestamp },
            writer: Self.device(of: actor))
    }
}

/// The conflicts of the document in a single file.
final class FileConflicts: ConflictListing {
    private let context: FileDocument
    private let document: DocumentConflicts
    private let lists = ResultCache<OpenDocument, ListedConflicts>()

    init(_ context: FileDocument) {
        self.context = context
        document = DocumentConflicts(context)
    }

    var part: String { PaneID.documents.part }
    var edits: [EditKind: Availability] { document.edits }
    var undoing: any RowSource { document }

    func conflicts(at instant: Timestamp?) async throws -> ListedConflicts {
        guard let open = context.open else { return ListedConflicts(RowList([])) }
        return try await lists.answer(to: RowQuery(instant: instant), in: open) {
            ListedConflicts(DocumentConflictRows(rows: try await document.rows(at: instant)))
        }
    }

    func forgetPast() {
        lists.forgetPast()
        document.forgetPast()
    }
}

/// The conflicts of a document. For a map or list, `index(of:)` returns the index of the first
/// conflict inside it.
struct DocumentConflictRows: IndexedRows, Sendable {
    let rows: [Row]

    var count: Int { rows.count }
    func rows(_ range: Range<Int>) -> [Row] { Array(rows[range]) }
    func index(of row: RowID) -> Int? {
        if let index = rows.firstIndex(where: { $0.id == row }) { return index }
        guard let place = ConflictPlace(listed: row) else { return nil }
        return rows.firstIndex { ConflictPlace(listed: $0.id).map(place.contains) ?? false }
    }
}
