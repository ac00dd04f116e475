import Automerge
import Replication

/// The content of one object of the document, with a row for each key or item. Opening a row that
/// contains an object shows another list of this kind.
final class DocumentTreeSource: DocumentPlaces {
    let context: any DocumentContext
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

    func place(of row: RowID, at instant: Timestamp?) async throws -> DatedPlace? {
        guard let open = try await context.opened(),
            let step = DocumentRows.lastStep(of: row, under: base),
            let prop = open.view.prop(step, of: object)
        else { return nil }
        let heads = open.heads(at: instant)
        return try open.document.place(prop, of: object, at: heads?.hashes)
            .map { DatedPlace(open: open, heads: heads, place: $0) }
    }

    func open(_ row: RowID, at instant: Timestamp?) async throws -> (any RowSource)? {
        guard let place = try await place(of: row, at: instant)?.place,
            case .object(let id, let type) = place.winner.content, type != .Text
        else { return nil }
        let title = JSONPointer.step(place.prop)
        return DocumentTreeSource(
            context, object: id, type: type, base: row.name,
            title: title.isEmpty ? "\"\"" : title)
    }

    var edited: EditableObject? { EditableObject(object: object, type: type, row: RowID(base)) }
}
