public import Foundation
public import Replication

/// What this device wrote by an edit: all that is needed to take it back, also after a restart.
public struct WrittenEdit: Hashable, Sendable, Codable {
    /// A row of a key's log.
    public struct KeyRow: Hashable, Sendable, Codable {
        public var key: String
        /// When it was written: microseconds since 2001.
        public var microseconds: Int64

        public init(_ key: String, _ timestamp: Timestamp) {
            self.key = key
            microseconds = timestamp.microseconds
        }

        public var timestamp: Timestamp { Timestamp(microseconds: microseconds) }
    }

    /// What the edit was called.
    public var summary: String
    public var keys: [KeyRow]
    /// What puts back a part of a key's value and nothing beside it, for when somebody has written
    /// another part since.
    public var part: PartUndo?
    /// What takes back a write of entities, in the entity store's own form.
    public var entities: String?
    /// The edit that was waiting to be written when this was noted.
    public var pending: UUID?
    /// What taking back changes in entities, as far as a preview tells.
    public var changes: [EditPreview.Change]

    public init(
        summary: String, keys: [KeyRow] = [], part: PartUndo? = nil, entities: String? = nil,
        pending: UUID? = nil, changes: [EditPreview.Change] = []
    ) {
        self.summary = summary
        self.keys = keys
        self.part = part
        self.entities = entities
        self.pending = pending
        self.changes = changes
    }
}

/// Puts back a part of a key's value.
public struct PartUndo: Hashable, Sendable, Codable {
    enum Action: String, Hashable, Sendable, Codable {
        case set, add, rename, remove
    }

    var action: Action
    var field: FieldPath
    var name = ""
    var text: TypedText?

    /// The edit that does it.
    func edit(of key: String) -> Edit? {
        let row = RowID(key)
        switch (action, text) {
        case (.set, let text?): return .set(row, field: field, text)
        case (.add, let text?): return .add(name: name, parent: row, field: field, text)
        case (.rename, _): return .rename(row, field: field, to: name)
        case (.remove, _): return .remove([row], field: field)
        case (.set, nil), (.add, nil): return nil
        }
    }
}
