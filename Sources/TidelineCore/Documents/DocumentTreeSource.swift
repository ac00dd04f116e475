import Automerge
import Replication

/// The content of one object of the document, with a row for each key or item. Opening a row that
/// contains an object shows another list of this kind.
final class DocumentTreeSource: RowSource {
    private let context: any DocumentContext
    private let object: ObjId
    private let type: ObjType
    /// The object's row when the list was opened: the document's prefix and the object's pointer.
    private let base: String
    private let title: String
    private let lists = ResultCache<OpenDocument, DocumentRows>()
    private let arranged = ResultCache<OpenDocument, ArrangedList<DocumentRows>>()

    init(
        _ context: any DocumentContext, object: ObjId = .ROOT, type: ObjType = .Map,
        base: String = "", title: String = "Document"
    ) {
        self.context = context
        self.object = object
        self.type = type
        self.base = base
        self.title = title
    }

    var info: ListInfo {
        var info = ListInfo(
            title, columns: DocumentRows.entries.columns,
            filterFields: DocumentRows.entries.filterFields, edits: context.edits,
            valueKinds: DocumentValue.kinds,
            addForm: AddForm(name: type == .List ? "index" : "key", value: "value"),
            conflictsHoldLists: true)
        info.hasAuthors = true
        return info
    }

    // MARK: Rows

    func forgetPast() {
        lists.forgetPast()
        arranged.forgetPast()
    }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        guard let open = try await context.opened() else {
            return RowWindow(rows: [], start: 0, total: 0)
        }
        let instant = request.query.instant
        let whole = try lists.answer(to: RowQuery(instant: instant), in: open) {
            try self.whole(of: open, at: instant)
        }
        return try await arranged.window(request, of: whole, in: open)
    }

    /// Returns the rows of the object at an instant; none if it didn't exist then.
    private func whole(of open: OpenDocument, at instant: Timestamp?) throws -> DocumentRows {
        let heads = open.heads(at: instant)
        if heads == nil, object != .ROOT, try open.document.path(obj: object).isEmpty {
            return DocumentRows(noneOf: open, object, base: base)
        }
        return try DocumentRows(open, object, type, base: base, at: heads)
    }

    func place(
        of row: RowID, in open: OpenDocument, at heads: DocumentView.Heads?
    ) throws -> WrittenPlace? {
        guard let step = DocumentRows.lastStep(of: row, under: base) else { return nil }
        let prop: Prop
        if type == .List {
            guard let index = UInt64(step) else { return nil }
            prop = .Index(index)
        } else {
            prop = .Key(step)
        }
        return try open.document.place(prop, of: object, at: heads?.hashes)
    }

    // MARK: One row

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let open = try await context.opened(),
            let place = try place(of: row, in: open, at: open.heads(at: instant)),
            case .object(let id, let type) = place.winner.content, type != .Text
        else { return nil }
        let title = JSONPointer.step(place.prop)
        return DocumentTreeSource(
            context, object: id, type: type, base: row.name,
            title: title.isEmpty ? "\"\"" : title)
    }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let open = try await context.opened() else { return nil }
        let heads = open.heads(at: instant)
        return try place(of: row, in: open, at: heads).map {
            try open.detail(of: $0, pointer: open.pointer(of: row), at: heads)
        }
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        guard let open = try await context.opened() else { return nil }
        let heads = open.heads(at: instant)
        return try place(of: row, in: open, at: heads).map {
            try open.writtenTexts(of: $0, pointer: open.pointer(of: row), at: heads)
        }
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let open = try await context.opened() else { return nil }
        let heads = open.heads(at: instant)
        return try place(of: row, in: open, at: heads).flatMap {
            try open.conflict(at: $0, heads: heads)
        }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let open = try await context.opened() else { return [] }
        let heads = open.heads(at: instant)
        guard let place = try place(of: row, in: open, at: heads) else { return [] }
        return try open.copyForms(of: place, pointer: open.pointer(of: row), at: heads)
    }

    // MARK: Edits

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let open = try await context.opened(),
            let place = try place(of: row, in: open, at: nil)
        else { return nil }
        return try open.view.typed(place.winner.content)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit, in: edited)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview, in: edited)
    }

    private var edited: EditableObject {
        EditableObject(object: object, type: type, row: RowID(base))
    }
}
