public import Replication

/// A list that resolves many conflicts together, so that each log is read and written once.
///
/// Callers use the functions of ``RowSource`` with the same purpose, which work for every list.
public protocol BulkResolving: RowSource {
    /// Returns the conflicts of rows, now or at an instant, without the rows that have none.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - instant: The instant; `nil` for now.
    /// - Throws: Errors from reading the store.
    func conflicts(ofRows rows: [RowID], at instant: Timestamp?) async throws -> [RowID:
        [RowConflict]]

    /// Returns the previews of resolutions, in the order of `edits`.
    ///
    /// - Parameter edits: The resolutions.
    /// - Throws: The errors of ``EditableRows/preview(_:)``.
    func previews(ofResolutions edits: [Edit]) async throws -> [EditPreview]

    /// Writes previewed resolutions of different rows. Resolutions in the same log are written
    /// together.
    ///
    /// - Parameter previews: The previews.
    /// - Returns: The edits that were written, and the reason for stopping early.
    func resolve(_ previews: [EditPreview]) async -> (
        applied: [AppliedEdit], failure: (any Error)?
    )
}

extension RowSource {
    /// Returns the conflicts of rows, now or at an instant, without the rows that have none.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - instant: The instant; `nil` for now.
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

    /// Returns the previews of edits, in the order of `edits`.
    ///
    /// - Parameters:
    ///   - edits: The edits.
    ///   - seen: The value that the user saw when starting to type; see `preview(_:typedOver:)`.
    /// - Throws: The errors of ``EditableRows/preview(_:)``.
    public func previews(
        of edits: [Edit], typedOver seen: TypedText?
    ) async throws -> [EditPreview] {
        if seen == nil, edits.count > 1, edits.allSatisfy({ $0.kind == .resolve }),
            let bulk = self as? any BulkResolving
        {
            return try await bulk.previews(ofResolutions: edits)
        }
        var previews: [EditPreview] = []
        for edit in edits { previews.append(try await preview(edit, typedOver: seen)) }
        return previews
    }

    /// Writes previewed edits in order, stopping at the first failure.
    ///
    /// - Parameter previews: The previews that the user confirmed.
    /// - Returns: The edits that were written, and the reason for stopping.
    public func apply(
        _ previews: [EditPreview]
    ) async -> (applied: [AppliedEdit], failure: (any Error)?) {
        if previews.count > 1, previews.allSatisfy({ $0.edit.kind == .resolve }),
            let bulk = self as? any BulkResolving
        {
            return await bulk.resolve(previews)
        }
        if previews.count > 1, let joint = self as? any AtomicEditing {
            do {
                return ([try await joint.applyTogether(previews)], nil)
            } catch {
                return ([], error)
            }
        }
        var applied: [AppliedEdit] = []
        for preview in previews {
            do {
                applied.append(try await apply(preview))
            } catch {
                return (applied, error)
            }
        }
        return (applied, nil)
    }
}
