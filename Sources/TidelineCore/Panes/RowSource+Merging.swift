extension RowSource {
    /// Returns the preview of a resolution with a value that merges all sides of a conflict.
    ///
    /// - Parameter sides: The sides that were merged.
    /// - Throws: ``EditError`` with code `.moved` if the sides of the conflict have changed; the
    ///   errors of ``preview(_:)``.
    public func preview(
        _ edit: Edit, merging sides: [RowConflict.SideID]
    ) async throws -> EditPreview {
        // Compare the sides after creating the preview. Later changes are found when the edit is
        // written, because the rows are then compared with the preview.
        let preview = try await preview(edit)
        guard case .resolve(let row, _) = edit else { return preview }
        let conflicts = try await conflicts(of: row, at: nil)
        guard conflicts.contains(where: { Set($0.sides.map(\.id)) == Set(sides) }) else {
            throw EditError(.moved, "the sides of the conflict have changed: merge them again")
        }
        return preview
    }
}
