/// Copies another store's items that can't be typed as values.
protocol Takeover: Sendable {
    /// Whether the open store's data of this kind can be written.
    var availability: Availability { get }
    /// Whether several items can be copied in one edit.
    var takesSeveral: Bool { get }

    /// Returns the preview of copying items.
    ///
    /// - Throws: ``EditError`` if an item can't be copied; errors from reading either store.
    func preview(_ differences: [StoreDifference], _ edit: Edit) async throws -> EditPreview
    /// Writes a previewed edit, unless the open store's items have changed since the preview.
    ///
    /// - Throws: ``EditError``.
    func apply(
        _ preview: EditPreview, _ differences: [StoreDifference]
    ) async throws -> AppliedEdit
    /// Returns differences with the current state of the open store, in the same order.
    ///
    /// - Throws: Errors from reading the open store.
    func updated(_ differences: [StoreDifference]) async throws -> [StoreDifference]
}

extension Takeover {
    /// `false`, because items are copied one by one.
    var takesSeveral: Bool { false }
}
