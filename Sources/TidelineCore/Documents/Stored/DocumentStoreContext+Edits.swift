import Automerge
import DocumentStore
import Foundation
import Replication

/// The undo data of a workspace edit.
struct WorkspaceUndo: Codable {
    var workspace: UUID
    /// The name to restore; `nil` to delete the new workspace.
    var name: String?
    /// The name that the edit set or, for a new workspace, the heads of its index document.
    var expected: [String]
}

/// Edits of the list: creating and renaming workspaces.
extension DocumentStoreContext {
    var workspaceEdits: [EditKind: Availability] {
        guard case .package = place else { return availability.of(.add) }
        return availability.of(.add, .rename)
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        if case .revert(let written) = edit,
            let undo = try? written.token(DocumentUndo.self, of: PaneID.documents.part)
        {
            return try await document(undo.document).preview(edit, in: nil)
        }
        guard let device else { throw EditError.withoutDevice }
        return try await onQueue { [self] in
            let plan = try plan(edit)
            return plan.preview(
                of: edit, as: device, in: plan.action.file, createsDevice: createsDevice)
        }
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        if case .revert(let written) = preview.edit,
            let undo = try? written.token(DocumentUndo.self, of: PaneID.documents.part)
        {
            return try await document(undo.document).apply(preview, in: nil)
        }
        guard writing.isUnlocked else { throw EditError.locked }
        return try await onQueue { [self] in
            let plan = try plan(preview.edit)
            guard preview.expectation == plan.expectation else {
                throw EditError(
                    .moved, "\(plan.changes[0].subject) was renamed in the meantime")
            }
            do {
                let (row, undo) = try plan.action.perform()
                // Do this now, so that the next query of the caller contains the edit.
                noteChange()
                return plan.applied(
                    to: row.map { [$0] } ?? [],
                    undo: try undo.map { try plan.record(of: PaneID.documents.part, $0) })
            } catch let error as DocumentStoreError where error.code == .invalidName {
                throw EditError(.invalid, error.message)
            } catch {
                throw EditError(writing: error)
            }
        }
    }

    private typealias Plan = EditPlan<WorkspaceWrite>

    private func plan(_ edit: Edit) throws -> Plan {
        guard let store else { throw EditError.stillLoading }
        switch edit {
        case .add(let name, nil, nil, let text): return try making(name, text, in: store)
        case .rename(let row, nil, let name):
            let workspace = try workspace(row, in: store)
            return renaming(workspace, to: name, in: store)
        case .revert(let written):
            let undo = try written.token(WorkspaceUndo.self, of: PaneID.documents.part)
            return try undoing(undo, written, in: store)
        default: throw EditError(.unsupported, "this list doesn't support this edit")
        }
    }

    private func making(
        _ name: String, _ text: TypedText, in store: AutomergeStore
    ) throws -> Plan {
        let view = DocumentView(Document())
        do {
            try view.set(TypedText(.map, text.text), at: "")
        } catch let error as CoreError {
            throw EditError(.invalid, error.message)
        }
        view.commit()
        let kind = store.hasWorkspaces ? "workspace" : "document"
        var shown = EditPreview.Value("empty")
        if view.changeCount > 0 { shown = try view.shown(.object(.ROOT, .Map)) }
        var warnings: [String] = []
        if !store.hasWorkspaces, !name.isEmpty {
            warnings.append("documents in this store have no names: \(name.quoted) is ignored")
        }
        return Plan(
            "create a \(kind)" + (name.isEmpty ? "" : " \(name)"),
            EditPreview.Change(
                subject: name.isEmpty ? kind : "\(kind) \(name)", old: nil, new: shown),
            in: file(of: UUID()), warnings: warnings
        ) {
            let made = try store.newWorkspace(
                named: store.hasWorkspaces ? name : "", index: view.document)
            return (
                RowID(store.text(of: made.id)),
                WorkspaceUndo(workspace: made.id, name: nil, expected: view.heads.texts)
            )
        }
    }

    /// The reason why other documents can't be renamed.
    static let whyNotRenamed =
        "only workspaces have names: rename the workspace of the document instead"

    private func workspace(
        _ row: RowID, in store: AutomergeStore
    ) throws(EditError) -> WorkspaceSummary {
        guard let id = UUID(automergeID: row.name) else {
            throw EditError(.notFound, "\(row.name) is not a document")
        }
        if let workspace = store.workspaceSummary(id) { return workspace }
        throw EditError(.invalid, Self.whyNotRenamed)
    }

    private func renaming(
        _ workspace: WorkspaceSummary, to name: String, in store: AutomergeStore
    ) -> Plan {
        Plan(
            "rename \(workspace.name.isEmpty ? "a workspace" : workspace.name)",
            EditPreview.Change(
                subject: "workspace \(store.text(of: workspace.id))",
                old: EditPreview.Value(workspace.name), new: EditPreview.Value(name)),
            in: file(of: workspace.id)
        ) {
            try store.renameWorkspace(workspace.id, to: name)
            return (
                RowID(store.text(of: workspace.id)),
                WorkspaceUndo(
                    workspace: workspace.id, name: workspace.name, expected: [name])
            )
        }
    }

    private func undoing(
        _ undo: WorkspaceUndo, _ written: EditRecord, in store: AutomergeStore
    ) throws -> Plan {
        guard let workspace = store.workspaceSummary(undo.workspace) else {
            throw EditError(.notFound, "the workspace no longer exists")
        }
        if let name = undo.name {
            guard [workspace.name] == undo.expected else {
                throw EditError(
                    .builtOn, "can't undo: the workspace has been renamed in the meantime")
            }
            var plan = renaming(workspace, to: name, in: store)
            plan.summary = written.summary
            return plan
        }
        let heads = try store.openDocument(workspace.id).map { DocumentView($0).heads.texts }
        guard heads == undo.expected, workspace.documentCount == 1 else {
            throw EditError(
                .builtOn, "can't undo: the workspace has been edited in the meantime")
        }
        return Plan(
            written.summary,
            EditPreview.Change(
                subject: "workspace \(store.text(of: workspace.id))",
                old: EditPreview.Value(workspace.name), new: nil),
            in: file(of: workspace.id), warnings: ["a deleted workspace can't be restored"]
        ) {
            try store.deleteWorkspace(workspace.id)
            return (nil, nil)
        }
    }
}

/// The write of a workspace edit.
private struct WorkspaceWrite {
    let file: String
    let perform: () throws -> (row: RowID?, undo: WorkspaceUndo?)
}

extension EditPlan<WorkspaceWrite> {
    /// Creates the plan of a change that is written only if its subject still has the old value.
    fileprivate init(
        _ summary: String, _ change: EditPreview.Change, in file: String,
        warnings: [String] = [],
        perform: @escaping () throws -> (row: RowID?, undo: WorkspaceUndo?)
    ) {
        self.init(
            summary: summary, changes: [change], warnings: warnings,
            expectation: [Name(change.subject): change.old?.line ?? ""],
            action: WorkspaceWrite(file: file, perform: perform))
    }
}
