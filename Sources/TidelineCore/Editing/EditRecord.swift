public import Foundation

/// A record of an edit by this device, with everything needed to undo it, even after a restart.
public struct EditRecord: Hashable, Sendable, Codable {
    /// The summary of the edit, or of the first of several edits.
    public var lead: String
    /// The number of further edits that this edit combines.
    public var others = 0
    /// The summary of all edits.
    public var summary: String { AppliedEdit.summary(lead, others: others) }
    /// The data model that wrote the edit, by the name of its part.
    public var model: String
    /// The number of rows written.
    public var rowCount: Int
    /// The undo data, in the data model's own form.
    public var token: Data
    /// The identifier of the pending edit that this record was made for.
    public var pending: UUID?
    /// The changes that undoing makes, as far as they are known without the data model.
    public var changes: [EditPreview.Change]
    /// The file that has the undo data and the changes, if they are too large for the journal.
    var file: String?

    /// Creates a record of an edit.
    public init(
        summary: String, model: String, rowCount: Int = 1, token: Data = Data(),
        changes: [EditPreview.Change] = []
    ) {
        lead = summary
        self.model = model
        self.rowCount = rowCount
        self.token = token
        self.changes = changes
    }

    private enum CodingKeys: String, CodingKey {
        case lead = "summary"
        case others, model, rowCount, token, pending, changes, file
    }

    /// Decodes a record. Records of earlier versions lack the number of further edits.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        lead = try values.decode(String.self, forKey: .lead)
        others = try values.decodeIfPresent(Int.self, forKey: .others) ?? 0
        model = try values.decode(String.self, forKey: .model)
        rowCount = try values.decode(Int.self, forKey: .rowCount)
        token = try values.decode(Data.self, forKey: .token)
        pending = try values.decodeIfPresent(UUID.self, forKey: .pending)
        changes = try values.decode([EditPreview.Change].self, forKey: .changes)
        file = try values.decodeIfPresent(String.self, forKey: .file)
    }

    /// Decodes the undo data.
    ///
    /// - Parameter model: The name of the data model that decodes the undo data.
    /// - Throws: ``EditError`` with code `.unsupported` for an edit of another data model or an
    ///   unreadable token.
    public func token<Value: Decodable>(
        _ type: Value.Type, of model: String
    ) throws(EditError) -> Value {
        guard self.model == model, let value = try? JSONDecoder().decode(type, from: token) else {
            throw EditError(.unsupported, "\(summary) is not an edit of \(model)")
        }
        return value
    }
}
