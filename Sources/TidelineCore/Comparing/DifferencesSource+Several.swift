import Replication

/// Copying several items that have no common transaction. They are previewed together, and
/// written one after the other.
extension DifferencesSource {
    /// Returns the preview of copying several rows, without rows that are already the same.
    ///
    /// - Throws: ``EditError`` for the first row that can't be copied.
    func previewSeparately(_ rows: [RowID]) async throws -> EditPreview {
        let parts = try await previews(of: rows.map { .takeOver([$0]) }, typedOver: nil)
        guard var whole = parts.first else { throw EditError.sameValue }
        whole.edit = .takeOver(rows)
        whole.summary = AppliedEdit.summary(parts.map(\.summary))
        whole.changes = parts.flatMap(\.changes)
        whole.rowCount = parts.count
        whole.createsDevice = parts.contains(where: \.createsDevice)
        whole.resolvesConflict = parts.contains(where: \.resolvesConflict)
        whole.expectation = [:]
        whole.parts = parts
        for warning in parts.dropFirst().flatMap(\.warnings)
        where !whole.warnings.contains(warning) {
            whole.warnings.append(warning)
        }
        return whole
    }

    /// Writes the previewed rows. Rows that have changed since the preview are skipped. After any
    /// other error, the remaining rows are skipped, too.
    ///
    /// - Throws: ``EditError`` if all rows were skipped; other errors before the first write.
    func applySeparately(_ preview: EditPreview) async throws -> AppliedEdit {
        var applied: [AppliedEdit] = []
        var skipped: [SkippedEdit] = []
        var written: Set<Name> = []
        var failure: String?
        for part in preview.parts {
            if let failure {
                skipped.append(SkippedEdit(edit: part.edit, reason: failure))
                continue
            }
            do {
                applied.append(try await apply(part, after: written))
                written.formUnion(part.expectation.keys)
            } catch {
                let isAboutRow = (error as? EditError)?.isAboutChangedRow ?? false
                // The written rows must be recorded, so that they can be undone.
                guard isAboutRow || !applied.isEmpty else { throw error }
                let reason = String.reason(of: error)
                skipped.append(SkippedEdit(edit: part.edit, reason: reason))
                if !isAboutRow { failure = reason }
            }
        }
        guard var whole = AppliedEdit(applied) else { throw EditError(skipping: skipped) }
        whole.skipped = skipped
        return whole
    }
}
