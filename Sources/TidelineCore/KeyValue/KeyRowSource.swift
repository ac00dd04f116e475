import Foundation
import KeyValueStore
import Replication

/// A list whose rows are keys. The details and edits of a key are the same in every such list.
protocol KeyRowSource: RowSource {
    var context: KeyValueContext { get }
}

extension KeyRowSource {
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try context.detail(ofKey: row.name, at: instant)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        try context.version(version, ofKey: row.name)
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        try context.writtenTexts(ofKey: row.name, at: instant)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try context.storeConflict(ofKey: row.name, at: instant).map(context.rowConflict)
    }

    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? {
        try context.conflictDetail(ofKey: row.name, at: instant)
    }

    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? {
        guard let conflict = try context.storeConflict(ofKey: row.name, at: instant) else {
            return nil
        }
        return RowConflict.Proposal(try context.merge(of: conflict, picking: picks))
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        guard field?.property.isEmpty ?? true else { return nil }
        let value = (try? context.store.entry(forKey: row.name)?.value()) ?? nil
        return value?.part(at: field?.steps ?? []).map { TypedText($0) }
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        try context.copyForms(ofKey: row.name, at: instant)
    }

    /// Writes data as bytes, everything else as text.
    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        guard let value = try context.value(ofKey: row.name, at: instant) else { return false }
        if case .data(let data) = value {
            try data.withUnsafeBytes(write)
        } else {
            var text = TypedText(value).text
            try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
        }
        return true
    }

    /// Also returns writes that did not win.
    func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep {
        let (edge, overflow) = instant.microseconds.addingReportingOverflow(backwards ? -1 : 1)
        guard !overflow else { return .none }
        var filter = KeyValueStore.RowFilter(key: row.name, longestValue: 0)
        if backwards {
            filter.through = Timestamp(microseconds: edge)
        } else {
            filter.from = Timestamp(microseconds: edge)
        }
        let rows = try context.store.rows(filter, backwards ? .newest : .oldest, limit: 1).rows
        return rows.first.map { .at($0.timestamp) } ?? .none
    }

    func changedRows(
        under prefix: String, since instant: Timestamp
    ) async throws -> [RowID] {
        try context.changedKeys(under: prefix, since: instant).map { RowID($0) }
    }

    func preview(_ edit: Edit) async throws -> EditPreview { try context.preview(edit) }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview)
    }
}

extension KeysSource: BulkResolving {}
extension KeyFolderSource: BulkResolving {}
