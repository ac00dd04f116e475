/// The editing of a list's rows: the value to edit, the preview of an edit, and the write.
public protocol EditableRows: ListedRows {
    /// Returns the value of a row, or of a part of it, as text to edit.
    ///
    /// - Parameter field: The part; `nil` for the whole value.
    func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText?
    /// Returns the values to choose from for a field whose values refer to rows; `nil` for any
    /// other field.
    ///
    /// - Parameters:
    ///   - text: The text that the rows contain; empty for all rows.
    ///   - current: The current value, which is listed even if it isn't among the first rows.
    func choices(
        for field: FieldPath, matching text: String, current: TypedText?
    ) async throws -> ValueChoices?
    /// Returns the values of a row as a text for adding a similar row in an editor; `nil` if rows
    /// can't be duplicated.
    ///
    /// - Throws: ``EditError``; errors from reading the store.
    func template(of row: RowID) async throws -> TypedText?
    /// Returns the changes that an edit would make, for the user to confirm. Writes nothing.
    ///
    /// - Throws: ``EditError`` if the edit isn't possible: `.unsupported`, `.readOnly`, `.invalid`,
    ///   `.notFound`, `.unreadable`.
    func preview(_ edit: Edit) async throws -> EditPreview
    /// Writes a previewed edit, unless the rows have changed since the preview.
    ///
    /// - Throws: ``EditError``, with code `.moved` if the rows have changed.
    func apply(_ preview: EditPreview) async throws -> AppliedEdit
}

extension EditableRows {
    /// Returns `nil`, because nothing can be edited.
    public func editableValue(of row: RowID, field: FieldPath?) async throws -> TypedText? { nil }
    /// Returns `nil`, because no field refers to rows.
    public func choices(
        for field: FieldPath, matching text: String, current: TypedText?
    ) async throws -> ValueChoices? { nil }
    /// Returns `nil`, because rows can't be duplicated.
    public func template(of row: RowID) async throws -> TypedText? { nil }
    /// Returns the preview of an edit that the user based on an earlier value.
    ///
    /// If the value has changed since then, ``EditPreview/baseline`` is the earlier value.
    ///
    /// - Parameter seen: The result of ``editableValue(of:field:)`` when the edit started; `nil`
    ///   for no value.
    /// - Throws: The errors of ``preview(_:)``.
    public func preview(_ edit: Edit, typedOver seen: TypedText?) async throws -> EditPreview {
        var preview = try await preview(edit)
        if let seen, case .set(let row, let field, _) = edit,
            try await editableValue(of: row, field: field) != seen
        {
            preview.baseline = seen
        }
        return preview
    }
    /// Throws an error, because the list is read-only.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func preview(_ edit: Edit) async throws -> EditPreview {
        throw EditError(.unsupported, "this list is read-only")
    }
    /// Throws an error, because the list is read-only.
    ///
    /// - Throws: ``EditError`` with code `.unsupported`.
    public func apply(_ preview: EditPreview) async throws -> AppliedEdit {
        throw EditError(.unsupported, "this list is read-only")
    }
}
