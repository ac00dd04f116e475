import Replication

/// The history of the document opened last, as a part of a session.
final class ShownDocumentPart: SessionPart {
    private let allPanes: [Pane]
    private let context: DocumentStoreContext

    init(_ context: DocumentStoreContext) {
        self.context = context
        let document = CurrentDocument(context)
        allPanes = [Pane(.documentHistory, ChangesSource(document), in: .documents)]
    }

    /// Empty before a document is opened.
    var panes: [Pane] { context.current == nil ? [] : allPanes }

    var possiblePanes: [Pane] { allPanes }

    var status: PartStatus {
        guard let open = context.current?.known else { return PartStatus(phase: nil) }
        return PartStatus(phase: nil, counts: [.documentHistory: open.times.count])
    }

    // The part that lists all documents reports the events.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {}
    func reload() async {}
    func close() async {}
}

/// The document that was opened last.
private final class CurrentDocument: DocumentContext {
    private let context: DocumentStoreContext

    init(_ context: DocumentStoreContext) { self.context = context }

    func opened() async throws -> OpenDocument? { try await context.current?.opened() }

    var subject: String? { context.current.map { context.title(of: $0.id) } }

    var edits: [EditKind: Availability] { context.availability.of(.set, .resolve) }

    func preview(_ edit: Edit, in object: EditableObject?) async throws -> EditPreview {
        try await shown().preview(edit, in: object)
    }

    func apply(_ preview: EditPreview, in object: EditableObject?) async throws -> AppliedEdit {
        try await shown().apply(preview, in: object)
    }

    private func shown() throws -> StoredDocument {
        guard let document = context.current else {
            throw EditError(.notFound, "no document is open")
        }
        return document
    }
}
