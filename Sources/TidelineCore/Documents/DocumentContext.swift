import Automerge
import Synchronization

/// The owner of a document, which reads it and writes its edits.
protocol DocumentContext: AnyObject, Sendable {
    /// Returns the last read state of the document; `nil` until it is read for the first time.
    ///
    /// - Throws: The reason why it can't be read.
    func opened() async throws -> OpenDocument?
    /// The document's title; `nil` if the document is obvious.
    var subject: String? { get }
    /// The edits of the document's keys and items, each with the reason if it isn't possible.
    var edits: [EditKind: Availability] { get }
    /// Returns the preview of an edit.
    ///
    /// - Parameter object: The map or list that is shown; `nil` if the rows are anywhere in the
    ///   document.
    func preview(_ edit: Edit, in object: EditableObject?) async throws -> EditPreview
    /// Writes a previewed edit.
    func apply(_ preview: EditPreview, in object: EditableObject?) async throws -> AppliedEdit
}

extension DocumentContext {
    /// `nil`, because the store has only one document.
    var subject: String? { nil }
}

/// A map or list that is shown and edited.
struct EditableObject: Sendable {
    let object: ObjId
    let type: ObjType
    /// The object's row when it was opened. It may have moved since then.
    let row: RowID

    /// Returns the object's current pointer.
    ///
    /// - Throws: ``EditError`` with code `.notFound` if the object was deleted.
    func pointer(in view: DocumentView) throws -> String {
        if object == .ROOT { return "" }
        guard let path = try? view.document.path(obj: object), !path.isEmpty else {
            throw EditError(.notFound, "the open map or list was deleted")
        }
        return JSONPointer.pointer(path.map(\.prop))
    }
}

/// A document in a single file. It is read-only, and reloaded when the file changes.
final class FileDocument: DocumentContext {
    let path: String
    private let current = Mutex<OpenDocument?>(nil)

    init(path: String) { self.path = path }

    /// The document; `nil` until the file has been read.
    var open: OpenDocument? { current.withLock { $0 } }

    func opened() async throws -> OpenDocument? { open }

    /// Reads the file if its content has changed.
    ///
    /// - Returns: The previous and the new document; `nil` if nothing changed.
    func read() throws -> (old: OpenDocument?, new: OpenDocument)? {
        let new = try OpenDocument(try AutomergeFile(path))
        return current.withLock { current in
            let old = current
            if let old, old.byteCount == new.byteCount, old.view.heads == new.view.heads {
                return nil
            }
            current = new
            return (old, new)
        }
    }

    private static let readOnly =
        "a single .automerge file is read-only; to edit it, import it into a package"

    var edits: [EditKind: Availability] {
        Dictionary(
            uniqueKeysWithValues: EditKind.allCases.map {
                ($0, .unavailable(because: Self.readOnly))
            })
    }

    func preview(_ edit: Edit, in object: EditableObject?) async throws -> EditPreview {
        throw EditError(.readOnly, Self.readOnly)
    }

    func apply(_ preview: EditPreview, in object: EditableObject?) async throws -> AppliedEdit {
        throw EditError(.readOnly, Self.readOnly)
    }
}
