import Automerge
import DocumentStore
import Foundation
import Replication

/// What takes back an edit of a document: which change it was. The document has all of its past.
struct DocumentUndo: Codable {
    var document: UUID
    /// The change's hash in hexadecimal digits.
    var change: String
    /// Whether it ended a conflict, which does not come back.
    var endedConflict = false
}

/// Edits go through a copy: they are made there and come back as one change, or not at all.
extension StoredDocument {
    var edits: [EditKind: Availability] {
        context.availability.of(.set, .add, .remove, .resolve, .count)
    }

    func preview(_ edit: Edit, in object: EditedObject?) async throws -> EditPreview {
        guard let device = context.device else {
            throw EditError(.readOnly, "there is no device to write as; start with --device")
        }
        if case .takeBack(let written) = edit {
            let subject = try self.subject(of: written)
            return try await context.onQueue {
                try subject.document.preview(
                    takingBack: subject.change, written, edit, as: device,
                    endedConflict: subject.endedConflict)
            }
        }
        return try await context.onQueue {
            try Self.explained { try self.preview(edit, in: object, as: device) }
        }
    }

    func apply(_ preview: EditPreview, in object: EditedObject?) async throws -> AppliedEdit {
        guard context.isWritable, context.store != nil else {
            throw EditError(.readOnly, "the store is open for reading")
        }
        if case .takeBack(let written) = preview.edit {
            let subject = try self.subject(of: written)
            return try await context.onQueue {
                try subject.document.takeBack(subject.change, preview)
            }
        }
        return try await context.onQueue {
            try Self.explained { try self.write(preview, in: object) }
        }
    }

    // MARK: Edits of what is there

    private func preview(
        _ edit: Edit, in object: EditedObject?, as device: DeviceID
    ) throws -> EditPreview {
        let view = try copy()
        let plan = try DocumentPlan(edit, in: object, of: view, prefix: text, name: context.name)
        let before = plan.subjects.map { $0.isNew ? nil : view.shown(at: $0.pointer) }
        try plan.perform(view)
        return EditPreview(
            edit: edit, summary: plan.summary,
            changes: zip(plan.subjects, before).map { subject, old in
                EditPreview.Change(
                    subject: "\(context.title(of: id)) \(subject.pointer)", old: old,
                    new: subject.isRemoved ? nil : view.shown(at: subject.pointer))
            }, device: device, file: context.file(of: id), createsDevice: context.createsDevice,
            warnings: warnings(device) + plan.warnings, expectation: plan.expectation)
    }

    private func write(
        _ preview: EditPreview, in object: EditedObject?
    ) throws -> AppliedEdit {
        let view = try copy()
        let before = view.heads
        let plan = try DocumentPlan(
            preview.edit, in: object, of: view, prefix: text, name: context.name)
        guard plan.expectation == preview.expectation else {
            throw EditError(.moved, "somebody has written \(plan.subjects[0].pointer) meanwhile")
        }
        try plan.perform(view)
        let changes = preview.changes.map {
            EditPreview.Change(subject: $0.subject, old: $0.new, new: $0.old)
        }
        return try store(
            view, since: before, preview.summary,
            rows: plan.subjects.map { RowID(text + $0.pointer) }, changes,
            endsConflict: plan.endsConflict)
    }

    /// The document, to be tried on. Called on the context's queue.
    private func copy() throws -> DocumentView {
        let automerge = try held().automerge
        let copy = automerge.fork()
        // It is only ever this one that goes on: what is made on the copy comes back.
        copy.actor = automerge.actor
        return view(of: copy)
    }

    private func warnings(_ device: DeviceID) -> [String] {
        let status = context.store?.devices.first { $0.device == device }
        return status?.problem.map { ["this device's file: \($0)"] } ?? []
    }

    // MARK: Taking back

    private func subject(
        of written: WrittenEdit
    ) throws(EditError) -> (
        document: StoredDocument, change: ChangeHash, endedConflict: Bool
    ) {
        let undo: DocumentUndo = try written.token(
            DocumentUndo.self, of: PaneID.documents.part)
        guard let change = ChangeHash(hexadecimal: undo.change) else {
            throw EditError(.unsupported, "\(written.summary) cannot be taken back")
        }
        let document: StoredDocument =
            undo.document == id ? self : context.document(undo.document)
        return (document, change, undo.endedConflict)
    }

    private func preview(
        takingBack change: ChangeHash, _ written: WrittenEdit, _ edit: Edit, as device: DeviceID,
        endedConflict: Bool
    ) throws -> EditPreview {
        try Self.explained {
            let view = try copy()
            let old = DocumentView(view.document.fork())
            var warnings = warnings(device)
            if endedConflict {
                warnings.append(
                    "the conflict does not come back: of its values only the one that was shown is "
                        + "written again")
            }
            try view.takeBack(change, on: Date())
            let steps = view.differences(from: old.heads, to: view.heads).steps
            var pointers: [String] = []
            for step in steps where !pointers.contains(step.pointer) && pointers.count < 20 {
                pointers.append(step.pointer)
            }
            return EditPreview(
                edit: edit, summary: written.summary,
                changes: pointers.map { pointer in
                    EditPreview.Change(
                        subject: "\(context.title(of: id)) \(pointer)",
                        old: old.shown(at: pointer), new: view.shown(at: pointer))
                }, device: device, file: context.file(of: id),
                createsDevice: context.createsDevice, warnings: warnings)
        }
    }

    private func takeBack(_ change: ChangeHash, _ preview: EditPreview) throws -> AppliedEdit {
        try Self.explained {
            let view = try copy()
            let before = view.heads
            try view.takeBack(change, on: Date())
            return try store(
                view, since: before, preview.summary, rows: [],
                preview.changes.map {
                    EditPreview.Change(subject: $0.subject, old: $0.new, new: $0.old)
                })
        }
    }

    // MARK: Storing

    /// Takes what a copy has more into the document, and stores it.
    ///
    /// - Parameter before: The heads of the copy when it was made. Those of the document may be
    ///   others by now: what other devices write arrives in it meanwhile.
    private func store(
        _ view: DocumentView, since before: DocumentView.Heads, _ summary: String, rows: [RowID],
        _ changes: [EditPreview.Change], endsConflict: Bool = false
    ) throws -> AppliedEdit {
        let held = try held()
        view.document.commitWith(timestamp: Date())
        let new = try view.document.unstored(since: before.hashes)
        guard let change = new.heads.subtracting(before.hashes).first else {
            throw EditError(.invalid, "it is like that already")
        }
        try held.automerge.applyEncodedChanges(encoded: new.encoded)
        let undo = DocumentUndo(
            document: id, change: change.debugDescription, endedConflict: endsConflict)
        let written = WrittenEdit(
            summary: summary, model: PaneID.documents.part,
            token: (try? JSONEncoder().encode(undo)) ?? Data(), changes: changes)
        // What ended a conflict by the value that was shown changed nothing that could come back.
        let isFinal =
            endsConflict
            && (try? DocumentView(view.document.fork()).takeBack(change, on: Date())) == nil
        var applied = AppliedEdit(
            summary: summary, date: Date(), rows: rows, undo: isFinal ? [] : [.takeBack(written)])
        do {
            try held.save()
            context.noteSaved(id)
        } catch let error as ReplicationError where error.code == .busy {
            // It only has to wait for another program's lock: the store tries again.
            context.noteWaiting(
                id, UnsavedChanges(subjects: [summary], reason: error.message))
            applied.isPending = true
        } catch {
            try? discardEdits()
            throw EditError(
                .notWritten, (error as? any ExplainedError)?.reason ?? String(describing: error))
        }
        // Whoever made the edit sees it in the next answer.
        context.noteChange()
        tellNews(writtenBy: context.device, isOwn: true)
        return applied
    }

    /// Runs `body`, and says what went wrong in the words of edits.
    private static func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as EditError {
            throw error
        } catch let error as CoreError {
            throw EditError(error.code == .noAnswer ? .notFound : .invalid, error.message)
        } catch let error as DocumentStoreError {
            throw EditError(
                error.code == .readOnly ? .readOnly : .unreadable, error.message)
        } catch {
            throw EditError(
                .invalid, (error as? any ExplainedError)?.reason ?? String(describing: error))
        }
    }
}
