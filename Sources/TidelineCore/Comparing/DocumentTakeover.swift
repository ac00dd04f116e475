import Automerge
import DocumentStore
import Foundation
import Replication

/// Imports whole documents that the open store lacks, with their identifiers and history.
struct DocumentTakeover: Takeover {
    let context: DocumentStoreContext
    /// The path of the other store.
    let other: String

    /// A document of the other store.
    private struct Found {
        let title: String
        let summary: DocumentSummary
        let workspaceName: String
        let document: Document
    }

    var availability: Availability { context.availability }

    func preview(_ differences: [StoreDifference], _ edit: Edit) async throws -> EditPreview {
        let id = try id(of: differences)
        guard let device = context.device else { throw EditError.withoutDevice }
        return try await context.onQueue {
            let plan = try plan(id)
            return plan.preview(
                of: edit, as: device, in: context.file(of: id),
                createsDevice: context.createsDevice)
        }
    }

    func apply(
        _ preview: EditPreview, _ differences: [StoreDifference]
    ) async throws -> AppliedEdit {
        let id = try id(of: differences)
        guard context.writing.isUnlocked else { throw EditError.locked }
        return try await context.onQueue {
            let plan = try plan(id)
            guard plan.expectation == preview.expectation else {
                throw EditError(.moved, "the document was edited in the other store")
            }
            do {
                try plan.action()
            } catch let error as DocumentStoreError where error.code == .exists {
                guard context.store?.documentSummary(id) == nil else {
                    throw EditError(
                        .moved, "the document has arrived in the open store in the meantime")
                }
                throw EditError(
                    .unsupported,
                    "the workspace was deleted in the open store, and its identifier can't be "
                        + "used again")
            } catch {
                throw EditError(writing: error)
            }
            context.noteChange()
            return plan.applied(to: [], undo: nil)
        }
    }

    func updated(_ differences: [StoreDifference]) async throws -> [StoreDifference] {
        try await context.onQueue {
            try differences.map { difference in
                let document = try context.store?.copy(of: try id(of: [difference]))
                let value = try document.map { try StoreDifference.Value(DocumentView($0)) }
                var updated = difference
                updated.note(StoreDifference.Side(value))
                return updated
            }
        }
    }

    private func id(of differences: [StoreDifference]) throws(EditError) -> UUID {
        guard case .place(let document?, "")? = differences.first?.subject,
            let id = UUID(automergeID: document)
        else { throw EditError(.unsupported, "this is not a whole document of a store") }
        return id
    }

    /// Returns the plan of importing a document, whose action creates it in the open store. Called
    /// on the context's queue.
    ///
    /// - Throws: ``EditError`` with the reason why that isn't possible; errors from reading.
    private func plan(_ id: UUID) throws -> EditPlan<() throws -> Void> {
        guard let store = context.store else { throw EditError.stillLoading }
        guard let found = try found(id) else {
            throw EditError(
                .unsupported,
                "a document that only the open store has can't be deleted here: 'tideline docs "
                    + "delete' deletes a whole workspace, on every device")
        }
        guard store.documentSummary(id) == nil else {
            throw EditError(.unchanged, "the open store already has this document")
        }
        let (workspace, isIndex) = (found.summary.workspace, found.summary.isIndex)
        if isIndex, store.workspaceSummary(id) != nil {
            throw EditError(
                .unsupported,
                "the open store has the workspace, but its index document has not arrived: sync "
                    + "the store first")
        }
        if !isIndex, store.hasWorkspaces, store.workspaceSummary(workspace) == nil {
            throw EditError(
                .unsupported,
                "the open store lacks the document's workspace \(found.workspaceName.quoted): copy "
                    + "the workspace first")
        }
        let view = DocumentView(found.document)
        return EditPlan(
            summary: "\(EditVerb.import) the document \(found.title)",
            changes: [
                .init(
                    subject: found.title, old: nil, new: try view.shown(.object(.ROOT, .Map)))
            ],
            warnings: [
                "this can't be undone, because deleting the document would also delete it on "
                    + "devices that have it already"
            ],
            expectation: [Name(found.title): view.heads.texts.joined(separator: ",")],
            action: {
                if isIndex || !store.hasWorkspaces {
                    _ = try store.newWorkspace(
                        id, named: store.hasWorkspaces ? found.workspaceName : "",
                        index: found.document)
                } else {
                    _ = try store.newDocument(id, in: workspace, content: found.document)
                }
            })
    }

    /// Returns a copy of a document of the other store; `nil` if that store doesn't have it.
    private func found(_ id: UUID) throws -> Found? {
        guard let store = try DocumentStores.open(other) else { return nil }
        defer { try? store.close() }
        guard let summary = store.documentSummary(id), let document = try store.copy(of: id)
        else { return nil }
        let workspace = store.workspaceSummary(summary.workspace)
        return Found(
            title: store.title(of: summary, in: workspace), summary: summary,
            workspaceName: workspace?.name ?? "", document: document)
    }
}
