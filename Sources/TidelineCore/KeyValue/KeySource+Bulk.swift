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

    func previews(ofResolutions edits: [Edit]) throws -> [EditPreview] {
        let keys = edits.compactMap { edit in
            if case .resolve(let row, _) = edit { row.name } else { nil }
        }
        let conflicts = try context.conflicts(ofKeys: keys)
        return try edits.map { try context.preview($0, among: conflicts) }
    }

    func resolve(_ previews: [EditPreview]) async -> (
        applied: [AppliedEdit], failure: (any Error)?
    ) {
        do {
            return ([try await context.resolve(previews)], nil)
        } catch {
            return ([], error)
        }
    }
}
