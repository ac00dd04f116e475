/// A list that writes several previewed edits together: all or none.
public protocol AtomicEditing: RowSource {
    /// Writes previewed edits in one transaction.
    ///
    /// - Throws: As ``EditableRows/apply(_:)-(EditPreview)``.
    func applyTogether(_ previews: [EditPreview]) async throws -> AppliedEdit
}
