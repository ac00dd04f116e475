import Replication

/// The document of a store that was opened last, as part of a session: its history, and the places
/// that hold several values side by side.
final class ShownDocumentPart: SessionPart {
    private let allPanes: [Pane]
    private let context: DocumentStoreContext

    init(_ context: DocumentStoreContext) {
        self.context = context
        let document = CurrentDocument(context)
        allPanes = [
            Pane(.documentLog, ChangesSource(document)),
            Pane(
                .documentConflicts, DocumentConflictsSource(document, title: "Concurrent"),
                listsConflicts: true),
        ]
    }

    /// None before a document is opened.
    var panes: [Pane] { context.current == nil ? [] : allPanes }

    var possiblePanes: [PaneID] { allPanes.map(\.id) }

    var status: PartStatus {
        guard let open = context.current?.known else { return PartStatus(phase: nil) }
        // Its conflicts are among those of all documents, which the part that lists them counts.
        return PartStatus(
            phase: nil,
            counts: [.documentLog: open.times.count, .documentConflicts: open.conflictCount])
    }

    // What happens in the document is told by the part that lists it.
    func start(emit: @escaping @Sendable (SessionEvent) -> Void) {}
    func reload() async {}
    func close() async {}
}

/// The document that was opened last, whichever that is.
private final class CurrentDocument: DocumentContext {
    private let context: DocumentStoreContext

    init(_ context: DocumentStoreContext) { self.context = context }

    func opened() async throws -> OpenDocument? { try await context.current?.opened() }

    var subject: String? { context.current.map { context.title(of: $0.id) } }

    var edits: [EditKind: Availability] { context.availability.of(.set, .resolve) }

    func preview(_ edit: Edit, in object: EditedObject?) async throws -> EditPreview {
        try await shown().preview(edit, in: object)
    }

    func apply(_ preview: EditPreview, in object: EditedObject?) async throws -> AppliedEdit {
        try await shown().apply(preview, in: object)
    }

    private func shown() throws -> StoredDocument {
        guard let document = context.current else {
            throw EditError(.notFound, "no document is shown")
        }
        return document
    }
}
