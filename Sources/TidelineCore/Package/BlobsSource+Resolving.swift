import Replication

/// Edits of blobs: the resolution of conflicts, and undo. A blob is in conflict if a sync service
/// left conflict copies next to it.
extension BlobsSource {
    func versions(of row: RowID) throws -> BlobVersions? {
        try blobs.conflict(at: row.name).map { BlobVersions($0, in: blobs) }
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try versions(of: row)?.rowConflict()
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        if case .revert(let written) = edit, let plan = try plan(undoing: written) {
            return preview(plan, of: edit)
        }
        let versions = try versions(by: edit)
        return try versions.preview(edit, file: "Blobs/\(versions.conflict.path)")
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        if case .revert(let written) = preview.edit, let plan = try plan(undoing: written) {
            return try write(plan, previewed: preview)
        }
        let versions = try versions(by: preview.edit)
        let applied = try versions.apply(preview, to: RowID(versions.conflict.path))
        list.note(Set(versions.conflict.versions.map { Name($0.path) }))
        return applied
    }

    private func versions(by edit: Edit) throws -> BlobVersions {
        guard case .resolve(let row, _) = edit else {
            throw EditError(.unsupported, "blobs can't be edited")
        }
        try writing.check()
        guard let versions = try versions(of: row) else {
            throw EditError(.notFound, "\(row.name) has no conflict copies")
        }
        return versions
    }
}
