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

    /// Returns the versions of the blob that an edit resolves.
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

extension BlobVersions {
    /// Returns the versions for the inspector: their files and how their texts differ from the
    /// blob's. Versions that can't be read have no differences.
    func sections() -> [Detail.Section] {
        let lines = conflict.versions.map { version in
            let entry = version.entry.map {
                "\(Counted.text($0.byteCount, "byte")), \($0.modified.secondText)"
            }
            return Detail.Line(
                entry ?? "no file", version.path,
                Name(version.path) == Name(conflict.path) ? .winner : .conflict)
        }
        var sections = [Detail.Section("Versions", lines)]
        guard let text = try? text(of: conflict.versions[0]) else { return sections }
        for version in conflict.versions.dropFirst().prefix(3) {
            guard let other = try? self.text(of: version) else { continue }
            let (own, others) = MarkedLines.between(text, other)
            func lines(_ lines: [MarkedLine], _ role: TextRole) -> [Detail.Line] {
                lines.prefix(100).map { Detail.Line("", $0.parts.map(\.text).joined(), role) }
            }
            sections.append(
                Detail.Section(
                    "Differences from \(version.path)",
                    text == other
                        ? [Detail.Line("", "none", .dim)]
                        : lines(own, .removed) + lines(others, .added)))
        }
        return sections
    }
}
