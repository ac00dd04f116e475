import Foundation
import Replication

/// Edits that keep one version of a file or write new content, and delete the other versions.
extension BlobVersions {
    private enum Way {
        case keep(BlobConflict.Version)
        case write(String)
    }

    /// Returns the changes that an edit would make.
    ///
    /// - Parameter file: The path of the file within the package.
    /// - Throws: ``EditError`` if the edit isn't possible.
    func preview(_ edit: Edit, file: String) throws -> EditPreview {
        let way = try way(of: edit)
        var changes = [
            EditPreview.Change(
                subject: conflict.path, old: value(of: conflict.versions[0]), new: newValue(way))
        ]
        for version in conflict.versions.dropFirst() {
            changes.append(
                EditPreview.Change(subject: version.path, old: value(of: version), new: nil))
        }
        return EditPreview(
            edit: edit, summary: "resolve \(conflict.path)", changes: changes, file: file,
            warnings: ["the other versions are deleted: this can't be undone"],
            expectation: [Name(conflict.path): stamp])
    }

    /// Writes a previewed edit, unless the files have changed since the preview.
    ///
    /// - Parameter row: The row of the list that is edited.
    /// - Throws: ``EditError``.
    func apply(_ preview: EditPreview, to row: RowID) throws -> AppliedEdit {
        let way = try way(of: preview.edit)
        guard preview.expectation[Name(conflict.path)] == stamp else {
            throw EditError(.moved, "the versions of \(conflict.path) have changed in the meantime")
        }
        let isUnconfirmed = try EditError.isUnconfirmed {
            switch way {
            case .keep(let version): try blobs.resolve(conflict, keeping: version)
            case .write(let text): try blobs.resolve(conflict, with: Data(text.utf8))
            }
        }
        return AppliedEdit(
            summary: preview.summary, date: Date(), rows: [row], undo: [],
            isUnconfirmed: isUnconfirmed)
    }

    private func way(of edit: Edit) throws -> Way {
        guard case .resolve(_, let resolution) = edit else {
            throw EditError(.unsupported, "files can't be edited")
        }
        switch resolution {
        case .take(let side):
            guard let version = version(of: side) else {
                throw EditError(.moved, "the version \(side.author.name) no longer exists")
            }
            return .keep(version)
        case .value(let typed): return .write(typed.text)
        case .picks, .properties: throw EditError(.unsupported, "files have no fields")
        }
    }

    private func newValue(_ way: Way) -> EditPreview.Value? {
        switch way {
        case .keep(let version): value(of: version)
        case .write(let text): EditPreview.Value(text, whole: TypedText(.text, text))
        }
    }

    private func value(of version: BlobConflict.Version) -> EditPreview.Value? {
        guard version.entry != nil else { return nil }
        return EditPreview.Value(
            line(of: version), whole: (try? text(of: version)).map { TypedText(.text, $0) })
    }
}
