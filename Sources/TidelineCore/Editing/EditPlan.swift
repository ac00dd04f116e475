import Foundation
import Replication

/// An edit that is planned for the current state of its rows: the changes to preview, and the
/// action that writes them.
///
/// An edit is planned for its preview, and again when it is written. It is written only if both
/// plans have the same ``expectation``, which means that its rows haven't changed in between.
struct EditPlan<Action> {
    /// A one-line summary of the edit, or of the first of several edits.
    var summary: String
    /// The number of further edits that this edit combines.
    var others = 0
    var changes: [EditPreview.Change] = []
    /// Warnings to show before the user confirms.
    var warnings: [String] = []
    /// Whether the edit resolves a conflict, even if it only writes the current value again.
    var resolvesConflict = false
    /// The number of rows that change, if ``changes`` doesn't list all of them.
    var rowCount: Int?
    /// The state of the rows when the edit was planned. It is compared with the current state
    /// before writing.
    var expectation: [Name: String] = [:]
    /// The write.
    var action: Action

    /// Returns the preview of the edit. The warnings of the plan follow `warnings`.
    func preview(
        of edit: Edit, as device: DeviceID?, in file: String?, createsDevice: Bool = false,
        warnings: [String] = []
    ) -> EditPreview {
        var preview = EditPreview(
            edit: edit, summary: AppliedEdit.summary(summary, others: others), changes: changes,
            device: device, file: file, createsDevice: createsDevice,
            warnings: warnings + self.warnings, expectation: expectation)
        preview.rowCount = rowCount
        preview.resolvesConflict = resolvesConflict
        return preview
    }

    /// Returns the record of the written edit, with the undo data `token`.
    func record(of model: String, _ token: some Encodable) throws -> EditRecord {
        var record = EditRecord(
            summary: summary, model: model, rowCount: rowCount ?? 1,
            token: try JSONEncoder().encode(token), changes: changes.map(\.inverse))
        record.others = others
        return record
    }

    /// Returns the written edit, which `record` undoes.
    func applied(
        to rows: [RowID], undo record: EditRecord?, id: UUID = UUID(), isPending: Bool = false,
        isUnconfirmed: Bool = false
    ) -> AppliedEdit {
        var applied = AppliedEdit(
            id: id, summary: summary, date: Date(), rows: rows,
            undo: record.map { [.revert($0)] } ?? [], isPending: isPending,
            isUnconfirmed: isUnconfirmed)
        applied.others = others
        return applied
    }
}

extension EditPlan: Sendable where Action: Sendable {}

extension EditPreview.Change {
    /// The change that undoes this one.
    var inverse: Self { Self(subject: subject, old: new, new: old) }
}
