import Automerge
import Replication
import Synchronization

/// Where a document comes from, and where edits of it go.
protocol DocumentContext: AnyObject, Sendable {
    /// The document as it was read last; `nil` while it is still being read.
    ///
    /// - Throws: Why it cannot be read.
    func opened() async throws -> OpenDocument?
    /// What it is called, where a person could take it for another.
    var subject: String? { get }
    /// What can be done with its keys and elements, and if not, why.
    var edits: [EditKind: Availability] { get }
    /// What an edit would write.
    ///
    /// - Parameter object: The map or list that is shown; `nil` where the rows are places anywhere in
    ///   the document.
    func preview(_ edit: Edit, in object: EditedObject?) async throws -> EditPreview
    /// Writes what was previewed.
    func apply(_ preview: EditPreview, in object: EditedObject?) async throws -> AppliedEdit
}

extension DocumentContext {
    /// `nil`: there is no other.
    var subject: String? { nil }
}

/// A map or list that is shown, and edited.
struct EditedObject: Sendable {
    let object: ObjId
    let type: ObjType
    /// Its row, as it was when it was opened. It may be elsewhere by now.
    let row: RowID

    /// Where it is.
    ///
    /// - Throws: ``EditError``, `.notFound`, where it was deleted.
    func pointer(in view: DocumentView) throws -> String {
        if object == .ROOT { return "" }
        guard let path = try? view.document.path(obj: object), !path.isEmpty else {
            throw EditError(.notFound, "what is shown here was deleted")
        }
        return JSONPointer.pointer(path)
    }
}

/// A document in a file of its own, which is only ever read, and read anew as the file changes.
final class FileDocument: DocumentContext {
    let path: String
    private let current = Mutex<OpenDocument?>(nil)

    init(path: String) { self.path = path }

    /// `nil` until the file has been read.
    var open: OpenDocument? { current.withLock { $0 } }

    func opened() async throws -> OpenDocument? { open }

    /// Reads the file, if it holds something else than what is open.
    ///
    /// - Returns: What was open before, and what is now; `nil` if nothing changed.
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
        "a single .automerge file is read-only; edit it in a package"

    var edits: [EditKind: Availability] {
        Dictionary(
            uniqueKeysWithValues: EditKind.allCases.map {
                ($0, .unavailable(because: Self.readOnly))
            })
    }

    func preview(_ edit: Edit, in object: EditedObject?) async throws -> EditPreview {
        throw EditError(.readOnly, Self.readOnly)
    }

    func apply(_ preview: EditPreview, in object: EditedObject?) async throws -> AppliedEdit {
        throw EditError(.readOnly, Self.readOnly)
    }
}
