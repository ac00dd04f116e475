/// The result of writing several previewed edits.
public struct WrittenEdits: Sendable {
    /// The edits that were written. An edit can combine several previews.
    public var applied: [AppliedEdit] = []
    /// The edits that were left out because their rows had changed since the preview.
    public var skipped: [SkippedEdit] = []
    /// The previews that were not written because of the failure, in order.
    public var left: [EditPreview] = []
    /// The reason for stopping early.
    public var failure: (any Error)?
}
