import Replication

/// The undo data of an edit of keys.
struct KeyUndo: Hashable, Sendable, Codable {
    /// A row of a key's log.
    struct KeyRow: Hashable, Sendable, Codable {
        var key: String
        /// The timestamp of the row, in microseconds since 2001.
        var microseconds: Int64

        init(_ key: String, _ timestamp: Timestamp) {
            self.key = key
            microseconds = timestamp.microseconds
        }

        var timestamp: Timestamp { Timestamp(microseconds: microseconds) }
    }

    var keys: [KeyRow]
    /// The undo data of the edited part of a value, for use if another part was written later.
    var part: PartUndo?
}

struct PartUndo: Hashable, Sendable, Codable {
    enum Action: String, Hashable, Sendable, Codable {
        case set, add, rename, remove
    }

    var action: Action
    var field: FieldPath
    var name = ""
    var text: TypedText?

    /// Returns the edit that restores the part.
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
