import Foundation
import Replication

/// Conflicts of blobs. A blob is in conflict if a sync service left conflict copies next to the
/// blob.
extension BlobsSource {
    func versions(of row: RowID) throws -> BlobVersions? {
        try blobs.conflict(at: row.name).map { BlobVersions($0, in: blobs) }
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try versions(of: row)?.rowConflict()
    }

    func preview(_ edit: Edit) async throws -> EditPreview {
        let (versions, way) = try resolution(by: edit)
        let conflict = versions.conflict
        var changes = [
            EditPreview.Change(
                subject: conflict.path, old: value(of: conflict.versions[0], versions),
                new: newValue(way, versions))
        ]
        for version in conflict.versions.dropFirst() {
            changes.append(
                EditPreview.Change(
                    subject: version.path, old: value(of: version, versions), new: nil))
        }
        return EditPreview(
            edit: edit, summary: "resolve \(conflict.path)", changes: changes,
            file: "Blobs/\(conflict.path)",
            warnings: ["the other versions are deleted: this can't be undone"],
            expectation: [Name(conflict.path): versions.stamp])
    }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        let (versions, way) = try resolution(by: preview.edit)
        let conflict = versions.conflict
        guard preview.expectation[Name(conflict.path)] == versions.stamp else {
            throw EditError(.moved, "the versions of \(conflict.path) have changed in the meantime")
        }
        var isUnconfirmed = false
        do {
            switch way {
            case .keep(let version): try blobs.resolve(conflict, keeping: version)
            case .write(let text): try blobs.resolve(conflict, with: Data(text.utf8))
            }
        } catch let error as ReplicationError where error.code == .unconfirmed {
            isUnconfirmed = true
        } catch {
            throw EditError(writing: error)
        }
        list.note(Set(conflict.versions.map { Name($0.path) }))
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: [RowID(conflict.path)], undo: [],
            isUnconfirmed: isUnconfirmed)
    }

    private enum Way {
        case keep(BlobConflict.Version)
        case write(String)
    }

    private func resolution(by edit: Edit) throws -> (BlobVersions, Way) {
        guard case .resolve(let row, let resolution) = edit else {
            throw EditError(.unsupported, "blobs can't be edited")
        }
        try writing.check()
        guard let versions = try versions(of: row) else {
            throw EditError(.notFound, "\(row.name) has no conflict copies")
        }
        switch resolution {
        case .take(let side):
            guard let version = versions.version(of: side) else {
                throw EditError(.moved, "the version \(side.author.name) no longer exists")
            }
            return (versions, .keep(version))
        case .value(let typed): return (versions, .write(typed.text))
        case .picks, .properties: throw EditError(.unsupported, "blobs have no fields")
        }
    }

    private func newValue(_ way: Way, _ versions: BlobVersions) -> EditPreview.Value? {
        switch way {
        case .keep(let version): value(of: version, versions)
        case .write(let text): EditPreview.Value(text, whole: TypedText(.text, text))
        }
    }

    private func value(
        of version: BlobConflict.Version, _ versions: BlobVersions
    ) -> EditPreview.Value? {
        guard version.entry != nil else { return nil }
        return EditPreview.Value(
            versions.line(of: version),
            whole: (try? versions.text(of: version)).map { TypedText(.text, $0) })
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
