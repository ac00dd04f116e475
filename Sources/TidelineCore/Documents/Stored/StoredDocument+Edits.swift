import Automerge
import DocumentStore
import Foundation
import Replication

/// The undo data of a document edit: the hash of its change. The document keeps the change itself.
struct DocumentUndo: Codable {
    var document: UUID
    /// The change's hash in hexadecimal digits.
    var change: String
    /// Whether the edit resolved a conflict. Undoing it doesn't restore the conflict.
    var endedConflict = false
}

/// Edits of a document. They are made on a copy and merged into the document as one change.
extension StoredDocument {
    var edits: [EditKind: Availability] {
        context.availability.of(.set, .add, .remove, .resolve, .count)
    }

    func preview(_ edit: Edit, in object: EditableObject?) async throws -> EditPreview {
        guard let device = context.device else { throw EditError.withoutDevice }
        if case .revert(let written) = edit {
            let subject = try self.subject(of: written)
            return try await run {
                try subject.document.preview(
                    undoing: subject.change, written, edit, as: device,
                    endedConflict: subject.endedConflict)
            }
        }
        return try await run { try self.preview(edit, in: object, as: device) }
    }

    func apply(_ preview: EditPreview, in object: EditableObject?) async throws -> AppliedEdit {
        guard context.writing.isUnlocked, context.store != nil else { throw EditError.locked }
        if case .revert(let written) = preview.edit {
            let subject = try self.subject(of: written)
            return try await run { try subject.document.undo(subject.change, preview) }
        }
        return try await run { try self.write(preview, in: object) }
    }

    /// Runs `body` on the context's queue and converts its errors to ``EditError``.
    private func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        do {
            return try await context.onQueue(body)
        } catch let error as EditError {
            throw error
        } catch let error as CoreError {
            throw EditError(error.code == .noAnswer ? .notFound : .invalid, error.message)
        } catch let error as DocumentStoreError {
            throw EditError(
                error.code == .readOnly ? .readOnly : .unreadable, error.message)
        } catch {
            throw EditError(.invalid, .reason(of: error))
        }
    }

    // MARK: Existing places

    private func preview(
        _ edit: Edit, in object: EditableObject?, as device: DeviceID
    ) throws -> EditPreview {
        let view = try copy()
        var plan = try DocumentPlan(edit, in: object, of: view, prefix: text, name: context.name)
        let title = context.title(of: id)
        plan.summary = plan.summary(in: title)
        let subjects = plan.action.subjects
        let before = subjects.map { $0.isNew ? nil : view.shown(at: $0.pointer) }
        try plan.action.perform(view)
        plan.changes = zip(subjects, before).map { subject, old in
            EditPreview.Change(
                subject: "\(title) \(subject.pointer)", old: old,
                new: subject.isRemoved ? nil : view.shown(at: subject.pointer))
        }
        return preview(plan, of: edit, as: device)
    }

    private func preview<Action>(
        _ plan: EditPlan<Action>, of edit: Edit, as device: DeviceID
    ) -> EditPreview {
        let status = context.store?.devices.first { $0.device == device }
        return plan.preview(
            of: edit, as: device, in: context.file(of: id), createsDevice: context.createsDevice,
            warnings: status?.advisedProblem.map { ["this device's file: \($0)"] } ?? [])
    }

    private func write(
        _ preview: EditPreview, in object: EditableObject?
    ) throws -> AppliedEdit {
        let view = try copy()
        let before = view.heads
        let plan = try DocumentPlan(
            preview.edit, in: object, of: view, prefix: text, name: context.name)
        guard plan.expectation == preview.expectation else {
            throw EditError(
                .moved,
                "\(plan.action.subjects[0].pointer) has changed in the meantime")
        }
        try plan.action.perform(view)
        return try store(
            view, since: before, preview.summary, preview.changes,
            rows: plan.action.subjects.map { RowID(text + $0.pointer) },
            resolvesConflict: plan.resolvesConflict)
    }

    /// Writes an edit for a command, even if the document has changed since the store was read.
    /// Called on the context's queue.
    ///
    /// - Parameters:
    ///   - verb: The verb of the edit's summary.
    ///   - pointer: The place that changes.
    ///   - perform: Applies the operations at the place.
    /// - Throws: Errors of `perform`; ``EditError``, `.unchanged` if there were no operations. In
    ///   that case, nothing is written.
    func edit(
        _ verb: String, at pointer: String, _ perform: (DocumentView, String) throws -> Void
    ) throws -> AppliedEdit {
        let view = try copy()
        let (before, old) = (view.heads, view.shown(at: pointer))
        let hasOthers = (try? view.written(at: pointer))?.others.isEmpty == false
        try perform(view, pointer)
        // Commit first, because reading the new value could turn the edits into a change without a
        // time.
        view.commit()
        let place = "\(context.title(of: id)) \(pointer)"
        let change = EditPreview.Change(subject: place, old: old, new: view.shown(at: pointer))
        return try store(
            view, since: before, "\(verb) \(place)", [change], rows: [RowID(text + pointer)],
            resolvesConflict: hasOthers
        ).noting([change])
    }

    /// Returns a copy of the document for trying edits. Called on the context's queue.
    private func copy() throws -> DocumentView {
        let automerge = try held().automerge
        let copy = automerge.fork()
        // The copy and the document can use the same actor, because only the copy is edited until
        // it is merged back.
        copy.actor = automerge.actor
        return view(of: copy)
    }

    // MARK: Undo

    private func subject(
        of written: EditRecord
    ) throws(EditError) -> (
        document: StoredDocument, change: ChangeHash, endedConflict: Bool
    ) {
        let undo: DocumentUndo = try written.token(
            DocumentUndo.self, of: PaneID.documents.part)
        guard let change = ChangeHash(hexadecimal: undo.change) else {
            throw EditError(.unsupported, "\(written.summary) can't be undone")
        }
        let document: StoredDocument =
            undo.document == id ? self : context.document(undo.document)
        return (document, change, undo.endedConflict)
    }

    private func preview(
        undoing change: ChangeHash, _ written: EditRecord, _ edit: Edit, as device: DeviceID,
        endedConflict: Bool
    ) throws -> EditPreview {
        let view = try copy()
        let old = DocumentView(view.document.fork())
        var plan = EditPlan(summary: written.summary, action: change)
        if endedConflict {
            plan.warnings.append(
                "the conflict is not restored: only the winning value is written again")
        }
        try view.undo(change, by: device, on: Date())
        let steps = view.differences(from: old.heads, to: view.heads).steps
        var pointers: [String] = []
        for step in steps where !pointers.contains(step.pointer) && pointers.count < 20 {
            pointers.append(step.pointer)
        }
        plan.changes = pointers.map { pointer in
            EditPreview.Change(
                subject: "\(context.title(of: id)) \(pointer)",
                old: old.shown(at: pointer), new: view.shown(at: pointer))
        }
        return preview(plan, of: edit, as: device)
    }

    private func undo(_ change: ChangeHash, _ preview: EditPreview) throws -> AppliedEdit {
        let view = try copy()
        let before = view.heads
        try view.undo(change, by: context.device, on: Date())
        return try store(view, since: before, preview.summary, preview.changes, rows: [])
    }

    // MARK: Storing

    /// Merges the changes of a copy into the document and saves it.
    ///
    /// - Parameter before: The heads that the copy had at the start. Since then, the document may
    ///   have received changes from other devices.
    private func store(
        _ view: DocumentView, since before: DocumentView.Heads, _ summary: String,
        _ changes: [EditPreview.Change], rows: [RowID], resolvesConflict: Bool = false
    ) throws -> AppliedEdit {
        let held = try held()
        view.commit()
        let new = try view.document.unstored(since: before.hashes)
        guard let change = new.heads.subtracting(before.hashes).first else {
            throw EditError.sameValue
        }
        try held.automerge.applyEncodedChanges(encoded: new.encoded)
        let undo = DocumentUndo(
            document: id, change: change.debugDescription, endedConflict: resolvesConflict)
        let plan = EditPlan(summary: summary, changes: changes, action: undo)
        let written = try plan.record(of: PaneID.documents.part, undo)
        // Resolving a conflict with the winning value can't be undone, because it changes no value.
        let isFinal =
            resolvesConflict
            && (try? DocumentView(view.document.fork()).undo(
                change, by: context.device, on: Date())) == nil
        var applied = plan.applied(to: rows, undo: isFinal ? nil : written)
        do {
            try held.save()
            context.noteSaved(id)
        } catch let error as ReplicationError where error.code == .busy && context.follows {
            // The store retries when the other program releases its lock.
            context.noteWaiting(
                id, UnsavedChanges(subjects: [plan.summary], reason: error.reason))
            applied.isPending = true
        } catch let error as ReplicationError where error.code == .unconfirmed {
            // The edit is stored, and an event of the store reports it.
            context.noteSaved(id)
            applied.isUnconfirmed = true
        } catch {
            try? discardEdits()
            throw EditError(writing: error)
        }
        // Do this now, so that the next query of the caller contains the edit.
        context.noteChange()
        reportNews(writtenBy: context.device, isOwn: true)
        return applied
    }
}
