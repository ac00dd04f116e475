import Automerge
import Replication

/// The keys and items in conflict in a whole document, with their details and edits.
final class DocumentConflicts: RowSource {
    private let context: any DocumentContext
    /// Returns the document's title; `nil` if it is the only one.
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
                of: place, in: id, at: found.heads, named: name(of: id, in: found))
        }
    }

    /// Returns the name of a place in the list of all conflicts.
    private func name(of row: RowID, in found: Found) -> String {
        let pointer = found.open.pointer(of: row)
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

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return nil
        }
        var detail = try found.open.detail(
            of: place, pointer: found.open.pointer(of: row), at: found.heads)
        detail.title = name(of: row, in: found)
        return detail
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        guard let found = try await found(at: instant), let place = found.places[row] else {
            return nil
        }
        var texts = try found.open.writtenTexts(
            of: place, pointer: found.open.pointer(of: row), at: found.heads)
        texts.title = name(of: row, in: found)
        return texts
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

extension OpenDocument {
    /// Returns the row of a place in the list of all conflicts.
    fileprivate func row(
        of place: WrittenPlace, in row: RowID, at heads: DocumentView.Heads?, named name: String
    ) throws -> Row {
        let actor = place.winner.operation.actor
        let others = try place.others.map { other in
            "\(try line(other.content, at: heads)) \(authorName(of: other.operation.actor))"
        }
        return Row(
            conflict: ConflictPlace(part: PaneID.documents.part, row: row),
            name: name, kind: "document",
            winner: RowCell(try line(place.winner.content, at: heads), .winner),
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
            ListedConflicts(
                FileConflictList(list: RowList(try await document.rows(at: instant))))
        }
    }

    func target(of place: ConflictPlace) -> ConflictTarget? {
        ConflictTarget(RowID(place.row), in: document)
    }

    func forgetPast() {
        lists.forgetPast()
        document.forgetPast()
    }
}

/// The conflicts of a document in a file.
private struct FileConflictList: IndexedRows, Sendable {
    let list: RowList

    var count: Int { list.count }
    func rows(_ range: Range<Int>) -> [Row] { list.rows(range) }
    func index(of row: RowID) -> Int? {
        ConflictPlace(listed: row).flatMap { list.index(ofConflictAt: $0) }
    }
}

extension RowList {
    /// Returns the index of the conflict at a place. If there is none, returns the index of the
    /// first conflict inside this place.
    func index(ofConflictAt place: ConflictPlace) -> Int? {
        if let index = index(of: place.listedRow) { return index }
        return rows(0..<count).firstIndex { row in
            ConflictPlace(listed: row.id).map { place.contains($0) } ?? false
        }
    }
}
