import Replication

/// A list whose rows are keys. The details and edits of a key are the same in every such list.
protocol KeySource: RowSource {
    var context: KeyValueContext { get }
}

extension KeySource {
    func detail(of row: RowID, at instant: Timestamp?) async throws -> Detail? {
        try context.detail(ofKey: row.name, at: instant)
    }

    func version(_ version: Detail.Version, of row: RowID) async throws -> Detail? {
        try context.version(version, ofKey: row.name)
    }

    func writtenTexts(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> WrittenTexts? {
        try context.writtenTexts(ofKey: row.name, at: instant)
    }

    func conflict(of row: RowID, at instant: Timestamp?) async throws -> RowConflict? {
        try context.conflict(ofKey: row.name, at: instant)
    }

    func conflictDetail(
        of row: RowID, part: FieldPath?, at instant: Timestamp?
    ) async throws -> ConflictDetail? {
        try context.conflictDetail(ofKey: row.name, at: instant)
    }

    func proposal(
        of row: RowID, picking picks: [FieldPath: RowConflict.SideID], at instant: Timestamp?
    ) async throws -> RowConflict.Proposal? {
        try context.proposal(ofKey: row.name, picking: picks, at: instant)
    }

    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? {
        context.editableValue(ofKey: row.name, field: field)
    }

    func copyForms(of row: RowID, at instant: Timestamp?) async throws -> [CopyForm] {
        try context.copyForms(ofKey: row.name, at: instant)
    }

    func writeValue(
        of row: RowID, at instant: Timestamp?, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> Bool {
        try context.writeValue(ofKey: row.name, at: instant, write)
    }

    func step(
        of row: RowID, from instant: Timestamp, backwards: Bool
    ) async throws -> RowStep {
        try context.step(ofKey: row.name, from: instant, backwards: backwards)
    }

    func changedRows(
        under prefix: String, since instant: Timestamp
    ) async throws -> [RowID] {
        try context.changedKeys(under: prefix, since: instant).map { RowID($0) }
    }

    func preview(_ edit: Edit) async throws -> EditPreview { try context.preview(edit) }

    func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        try await context.apply(preview)
    }
}

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

    func resolve(_ previews: [EditPreview]) async throws -> WrittenEdits {
        try await context.resolve(previews)
    }
}
