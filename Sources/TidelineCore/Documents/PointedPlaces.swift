import Automerge
import Replication

/// All places of a document, named by their pointers, for edits from lists of another kind.
final class PointedPlaces: DocumentPlaces {
    let context: any DocumentContext

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
}
