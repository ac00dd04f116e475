/// One of several edits, left out because its row had changed.
public struct SkippedEdit: Hashable, Sendable {
    /// The edit.
    public var edit: Edit
    /// The reason, as a clause that names the row.
    public var reason: String
}

extension SkippedEdit {
    /// Returns the number of skipped edits with the first reason: `2 skipped: a was written by
    /// another device in the meantime, and 1 more`.
    ///
    /// - Parameter skipped: The edits; at least one.
    public static func summary(of skipped: [SkippedEdit]) -> String {
        guard let first = skipped.first else { return "" }
        return "\(Counted.grouped(skipped.count)) skipped: "
            + AppliedEdit.summary(first.reason, others: skipped.count - 1)
    }
}

extension EditError {
    /// Whether the edited row has changed or no longer exists. A bulk edit skips such rows.
    var isAboutChangedRow: Bool { code == .moved || code == .notFound }

    /// Creates the error for a bulk edit that skipped every row.
    init(skipping skipped: [SkippedEdit]) {
        let only = skipped.count == 1 ? skipped.first?.reason : nil
        self.init(.moved, only ?? SkippedEdit.summary(of: skipped))
    }
}
