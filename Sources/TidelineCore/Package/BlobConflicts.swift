import Replication

/// The conflicts of blobs, for the list of all conflicts.
final class BlobConflicts: ConflictListing {
    private let blobs: BlobsSource
    let undoing: any RowSource
    private let lists = ResultCache<UInt64, ListedConflicts>()

    init(_ blobs: BlobsSource, undoing: any RowSource) {
        self.blobs = blobs
        self.undoing = undoing
    }

    var part: String { PaneID.blobs.part }
    var edits: [EditKind: Availability] { [.resolve: blobs.writing.availability] }

    func conflicts(at instant: Timestamp?) throws -> ListedConflicts {
        // Files have no history.
        guard instant == nil else { return ListedConflicts(RowList([])) }
        let found = try blobs.list.current()
        return lists.answer(to: RowQuery(), in: found.revision) {
            let conflicts = found.conflicts.values.sorted { Name($0.path) < Name($1.path) }
                .inNaturalOrder(of: \.path)
            return ListedConflicts(RowList(conflicts.map(row)))
        }
    }

    func target(of place: ConflictPlace) -> ConflictTarget? {
        ConflictTarget(source: blobs, row: RowID(place.row))
    }

    private func row(_ conflict: BlobConflict) -> Row {
        let blob = conflict.versions[0].entry
        let size = blob.map { Counted.text($0.byteCount, "byte") }
        let others = conflict.versions.dropFirst().map { version in
            let size = version.entry.map { Counted.text($0.byteCount, "byte") }
            return "\(size ?? "no file") \(version.service?.title ?? "")"
        }
        return Row(
            conflict: ConflictPlace(part: part, row: RowID(conflict.path)), name: conflict.path,
            kind: "blob", winner: RowCell(size ?? "no file", size == nil ? .dim : .winner),
            device: RowCell(""), others: RowCell(others.joined(separator: " | "), .loser),
            instant: blob?.modified, writer: nil)
    }
}
