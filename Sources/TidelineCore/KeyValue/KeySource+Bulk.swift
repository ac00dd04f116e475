import Replication

extension KeysSource: BulkResolving {}
extension KeyFolderSource: BulkResolving {}

extension BulkResolving where Self: KeySource {
    func conflicts(ofRows rows: [RowID], at instant: Timestamp?) throws -> [RowID: [RowConflict]] {
        let found = try context.conflicts(ofKeys: rows.map(\.name), at: instant)
        return Dictionary(
            found.map { (RowID($0.key.text), [context.rowConflict($0.value)]) }
        ) { $1 }
    }

    func previews(
        ofResolutions edits: [Edit]
    ) throws -> (previews: [EditPreview], skipped: [SkippedEdit]) {
        try context.previews(ofResolutions: edits)
    }

    func resolve(_ previews: [EditPreview]) async -> WrittenEdits {
        do {
            let (applied, skipped) = try await context.resolve(previews)
            return WrittenEdits(applied.map { [$0] } ?? [], skipped: skipped)
        } catch {
            return WrittenEdits([], left: previews, failure: error)
        }
    }
}
