public import Foundation

/// What this device wrote by an edit: all that is needed to take it back, also after a restart.
public struct WrittenEdit: Hashable, Sendable, Codable {
    /// What the edit was called.
    public var summary: String
    /// The data model that wrote it, as its part is named.
    public var model: String
    /// How many rows it wrote.
    public var rowCount: Int
    /// What takes it back, in the data model's own form.
    public var token: Data
    /// The edit that was waiting to be written when this was noted.
    public var pending: UUID?
    /// What taking back changes, as far as a preview can tell without the data model.
    public var changes: [EditPreview.Change]

    /// An edit as the data model wrote it.
    public init(
        summary: String, model: String, rowCount: Int = 1, token: Data = Data(),
        pending: UUID? = nil, changes: [EditPreview.Change] = []
    ) {
        self.summary = summary
        self.model = model
        self.rowCount = rowCount
        self.token = token
        self.pending = pending
        self.changes = changes
    }

    /// The token as what the data model made it of.
    ///
    /// - Throws: ``EditError``, `.unsupported`, for an edit of another data model, and for one whose
    ///   token cannot be read.
    public func token<Value: Decodable>(
        _ type: Value.Type, of model: String
    ) throws(EditError) -> Value {
        guard self.model == model, let value = try? JSONDecoder().decode(type, from: token) else {
            throw EditError(.unsupported, "\(summary) is not an edit of \(model)")
        }
        return value
    }
}
