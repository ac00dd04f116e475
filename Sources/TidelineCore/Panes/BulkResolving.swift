public import Replication

/// A list that resolves many conflicts together, so that each log is read and written once.
///
/// Callers use the corresponding methods of ``RowSource``, which work for every list.
public protocol BulkResolving: RowSource {
    /// Returns the conflicts of rows, now or at an instant. Rows without a conflict are left out.
    ///
    /// - Parameter instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func conflicts(ofRows rows: [RowID], at instant: Timestamp?) async throws -> [RowID:
        [RowConflict]]

    /// Returns the previews of resolutions, in the order of `edits`.
    ///
    /// - Returns: The previews, and the resolutions of rows that have changed or no longer exist.
    /// - Throws: The errors of ``EditableRows/preview(_:)`` for other reasons.
    func previews(ofResolutions edits: [Edit]) async throws -> (
        previews: [EditPreview], skipped: [SkippedEdit]
    )

    /// Writes previewed resolutions of different rows. Rows in the same log are written together.
    ///
    /// - Throws: The reason why nothing was written.
    func resolve(_ previews: [EditPreview]) async throws -> WrittenEdits
}

extension RowSource {
    /// Returns the conflicts of rows, now or at an instant. Rows without a conflict are left out.
    ///
    /// - Parameter instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store; `CancellationError`.
    public func allConflicts(
        of rows: [RowID], at instant: Timestamp?
    ) async throws -> [RowID: [RowConflict]] {
        if let bulk = self as? any BulkResolving {
            return try await bulk.conflicts(ofRows: rows, at: instant)
        }
        var found: [RowID: [RowConflict]] = [:]
        for row in rows {
            try Task.checkCancellation()
            let conflicts = try await conflicts(of: row, at: instant)
            if !conflicts.isEmpty { found[row] = conflicts }
        }
        return found
    }

    /// Returns the previews of edits, in the order of `edits`. If the edits resolve several rows,
    /// rows that have changed are skipped. A warning of the first preview names the skipped rows.
    ///
    /// - Parameter seen: The value that the user saw when starting to type; see
    ///   `preview(_:typedOver:)`.
    /// - Throws: The errors of ``EditableRows/preview(_:)``.
    public func previews(
        of edits: [Edit], typedOver seen: TypedText?
    ) async throws -> [EditPreview] {
        if seen == nil, edits.count > 1, edits.allSatisfy({ $0.kind == .resolve }) {
            var (previews, skipped) = try await resolutionPreviews(of: edits)
            guard !skipped.isEmpty else { return previews }
            guard !previews.isEmpty else { throw EditError(skipping: skipped) }
            previews[0].warnings.append(SkippedEdit.summary(of: skipped))
            return previews
        }
        var previews: [EditPreview] = []
        var unchanged: EditError?
        for edit in edits {
            do {
                previews.append(try await preview(try edit.loaded(), typedOver: seen))
            } catch let error as EditError
                where error.code == .unchanged && [.set, .takeOver].contains(edit.kind)
            {
                // If several rows get a value, some of them may already have it.
                unchanged = error
            }
        }
        if previews.isEmpty, let unchanged { throw unchanged }
        return previews
    }

    /// Returns the previews of resolutions. Rows that have changed are skipped.
    func resolutionPreviews(
        of edits: [Edit]
    ) async throws -> (previews: [EditPreview], skipped: [SkippedEdit]) {
        if edits.count > 1, let bulk = self as? any BulkResolving {
            return try await bulk.previews(ofResolutions: edits)
        }
        var (previews, skipped) = ([EditPreview](), [SkippedEdit]())
        for edit in edits {
            do {
                previews.append(try await preview(edit))
            } catch let error as EditError where error.isAboutChangedRow {
                skipped.append(SkippedEdit(edit: edit, reason: error.message))
            }
        }
        return (previews, skipped)
    }

    /// Writes previewed edits in order, stopping at the first failure. If the edits resolve several
    /// rows, rows that have changed since the preview are skipped; see ``AppliedEdit/skipped``.
    ///
    /// - Returns: The result. If nothing was written, ``WrittenEdits/left`` contains all previews.
    public func apply(_ previews: [EditPreview]) async -> WrittenEdits {
        if previews.count > 1, previews.allSatisfy({ $0.edit.kind == .resolve }) {
            var written = await resolve(unchanged: previews)
            if let last = written.applied.indices.last {
                written.applied[last].skipped = written.skipped
                let unwritten = Set(written.skipped.map(\.edit) + written.left.map(\.edit))
                written.applied[0] = written.applied[0]
                    .noting(previews.filter { !unwritten.contains($0.edit) })
                return written
            }
            if written.failure == nil, !written.skipped.isEmpty {
                written.failure = EditError(skipping: written.skipped)
            }
            if written.failure != nil { written.left = previews }
            return written
        }
        if previews.count > 1, let joint = self as? any AtomicEditing {
            do {
                let applied = try await joint.applyTogether(previews).noting(previews)
                return WrittenEdits(applied: [applied])
            } catch {
                return WrittenEdits(left: previews, failure: error)
            }
        }
        var applied: [AppliedEdit] = []
        var written: Set<Name> = []
        for (index, preview) in previews.enumerated() {
            do {
                applied.append(try await apply(preview, after: written))
                written.formUnion(preview.expectation.keys)
            } catch {
                return WrittenEdits(
                    applied: applied, left: Array(previews[index...]), failure: error)
            }
        }
        return WrittenEdits(applied: applied)
    }

    /// Writes one of several previewed edits.
    ///
    /// A part of an undo or takeover can change the state that the next part expects, for example
    /// if both are about properties of one entity. The next part is then previewed again. For an
    /// undo, this fails if a later write prevents undoing the part. Any other part is written only
    /// if its own values are still the previewed ones.
    ///
    /// - Parameter written: The items whose state the earlier edits expected.
    func apply(
        _ preview: EditPreview, after written: Set<Name>
    ) async throws -> AppliedEdit {
        do {
            return try await apply(preview).noting([preview])
        } catch let error as EditError
            where error.code == .moved && [.revert, .takeOver].contains(preview.edit.kind)
            && !written.isDisjoint(with: preview.expectation.keys)
        {
            let renewed = try await self.preview(preview.edit)
            // The subject contains the name of the entity, which an earlier edit may have changed.
            guard
                preview.edit.kind == .revert
                    || renewed.changes.elementsEqual(
                        preview.changes, by: { $0.old == $1.old && $0.new == $1.new })
            else { throw error }
            return try await apply(renewed).noting([renewed])
        }
    }

    /// Writes previewed resolutions. Rows that have changed since the preview are skipped.
    func resolve(unchanged previews: [EditPreview]) async -> WrittenEdits {
        if previews.count > 1, let bulk = self as? any BulkResolving {
            do {
                return try await bulk.resolve(previews)
            } catch {
                return WrittenEdits(left: previews, failure: error)
            }
        }
        var written = WrittenEdits()
        for (index, preview) in previews.enumerated() {
            do {
                written.applied.append(try await apply(preview))
            } catch let error as EditError where error.isAboutChangedRow {
                written.skipped.append(SkippedEdit(edit: preview.edit, reason: error.message))
            } catch {
                written.left = Array(previews[index...])
                written.failure = error
                return written
            }
        }
        return written
    }
}
