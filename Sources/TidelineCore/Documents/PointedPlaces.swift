import Automerge
import Replication

/// All places of a document, named by their pointers, for edits from lists of another kind.
final class PointedPlaces: DocumentPlaces {
    let context: any DocumentContext
    /// The places are anywhere in the document.
    let edited: EditableObject? = nil

    init(_ context: any DocumentContext) { self.context = context }

    /// This list is never shown.
    var info: ListInfo { ListInfo("Document", columns: [], edits: context.edits) }

    func window(_ request: WindowRequest) async throws -> RowWindow {
        RowWindow(rows: [], start: 0, total: 0)
    }

    func place(of row: RowID, at instant: Timestamp?) async throws -> DatedPlace? {
        // Reading fails if a map on the way to the place doesn't exist.
        guard let open = try await context.opened(),
            let place = try? open.view.written(at: open.pointer(of: row))
        else { return nil }
        return DatedPlace(open: open, heads: nil, place: place)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        let (inner, object) = try await located(edit)
        return try await context.preview(inner, in: object)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let (inner, object) = try await located(preview.edit)
        var preview = preview
        preview.edit = inner
        return try await context.apply(preview, in: object)
    }

    /// Returns an edit with the map that it changes. An added place is named by its row.
    private func located(_ edit: Edit) async throws -> (edit: Edit, object: EditableObject?) {
        guard case .add(let name, nil, nil, let text) = edit,
            let open = try await context.opened()
        else { return (edit, nil) }
        let steps = try JSONPointer.steps(of: open.pointer(of: RowID(name)))
        guard let last = steps.last else {
            throw EditError(.unsupported, "documents can't be added here")
        }
        let parent = steps.dropLast().map { "/" + JSONPointer.step($0) }.joined()
        var (object, type) = (ObjId.ROOT, ObjType.Map)
        if !parent.isEmpty {
            guard let place = try? open.view.written(at: parent),
                case .object(let id, let kind) = place.winner.content
            else { throw EditError(.notFound, "\(parent) no longer exists") }
            (object, type) = (id, kind)
        }
        return (
            .add(name: last, parent: nil, text),
            EditableObject(object: object, type: type, row: open.row(parent))
        )
    }
}
