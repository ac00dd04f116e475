import Automerge
import Foundation
import Replication

/// A list whose rows are places in documents. The details and edits of a place are the same in
/// every such list.
protocol DocumentPlaces: RowSource {
    var context: any DocumentContext { get }
    /// The map or list that contains the rows; `nil` if they are anywhere in the document.
    var edited: EditableObject? { get }

    /// Returns the place of a row now or at an instant; `nil` if it doesn't exist.
    func place(of row: RowID, at instant: Timestamp?) async throws -> DatedPlace?
    /// Returns the name of a row in titles.
    func name(of row: RowID, in open: OpenDocument) -> String
}

/// A place in a document, now or at an earlier time.
struct DatedPlace: Sendable {
    let open: OpenDocument
    /// The heads of the document at that time; `nil` for now.
    let heads: DocumentView.Heads?
    let place: WrittenPlace
}

extension DocumentPlaces {
    /// `nil`, because the places are anywhere in the document.
    var edited: EditableObject? { nil }

    func name(of row: RowID, in open: OpenDocument) -> String { open.pointer(of: row) }

    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        guard let found = try await place(of: row, at: instant) else { return nil }
        var detail = try found.open.detail(
            of: found.place, pointer: found.open.pointer(of: row), at: found.heads)
        detail.title = name(of: row, in: found.open)
        return detail
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        guard let found = try await place(of: row, at: instant) else { return nil }
        var texts = try found.open.writtenTexts(
            of: found.place, pointer: found.open.pointer(of: row), at: found.heads)
        texts.title = name(of: row, in: found.open)
        return texts
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        guard let found = try await place(of: row, at: instant) else { return nil }
        return try found.open.conflict(at: found.place, heads: found.heads)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        guard let found = try await place(of: row, at: instant) else { return [] }
        return try found.open.copyForms(
            of: found.place, pointer: found.open.pointer(of: row), at: found.heads)
    }

    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard let found = try await place(of: row, at: instant) else { return false }
        if case .scalar(.Bytes(let data)) = found.place.winner.content {
            try data.withUnsafeBytes(write)
        } else {
            var text = try found.open.savedText(of: found.place, at: found.heads)
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        }
        return true
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard let found = try await place(of: row, at: nil) else { return nil }
        return try found.open.view.typed(found.place.winner.content)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        try await context.preview(edit, in: edited)
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview, in: edited)
    }
}
