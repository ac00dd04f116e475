public import DocumentStore
package import Foundation

extension DocumentStorePart: StandalonePart {
    public typealias Store = AutomergeStore

    public static func single(
        at path: String, for opener: StoreOpener
    ) throws -> DocumentStorePart {
        guard let place = try DocumentPlace(path, opener.willAddDevice) else {
            throw opener.isWritable
                ? CoreError(
                    .noPermission, "a single .automerge file is read-only",
                    suggestion: "import it into a package: tideline docs import PACKAGE \(path)")
                : CoreError(.badData, "an .automerge file, not a store of documents")
        }
        if opener.isWritable, case .coreData = place {
            throw CoreError(.noPermission, Availability.readOnlyKind)
        }
        return DocumentStorePart(
            DocumentStoreContext(
                place: place, device: opener.device, isWritable: opener.isWritable,
                follows: false))
    }

    /// Writes an edit of one place in a document for a command, even if the document has changed
    /// since the store was read.
    ///
    /// - Parameters:
    ///   - verb: The verb of the edit's summary.
    ///   - pointer: The JSON Pointer of the place.
    ///   - perform: Applies the operations at the place.
    /// - Throws: Errors of `perform`; ``EditError``, `.unchanged` if there were no operations. In
    ///   that case, nothing is written.
    package func edit(
        _ id: UUID, _ verb: String, at pointer: String,
        _ perform: @escaping @Sendable (DocumentView, String) throws -> Void
    ) async throws -> AppliedEdit {
        let document = context.document(id)
        return try await context.onQueue { try document.edit(verb, at: pointer, perform) }
    }

    public static func finish(_ store: AutomergeStore) async throws { try store.close() }
}
