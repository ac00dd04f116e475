public import Replication

/// The kinds of edits, for asking in advance whether an edit is possible.
public enum EditKind: Hashable, Sendable, CaseIterable {
    case set, add, duplicate, rename, remove, resolve, relate, restore, revert, count, run
    case takeOver
}

/// A change requested by the user.
public enum Edit: Hashable, Sendable {
    /// Sets a new value for a row, or for one of its fields.
    case set(RowID, field: FieldPath?, TypedText)
    /// Adds a row. With `parent`, adds a field to that row. With `field`, adds a member or item to
    /// the structured value in this field.
    case add(name: String, parent: RowID?, field: FieldPath? = nil, TypedText)
    /// Renames a row, or a member inside its value.
    case rename(RowID, field: FieldPath? = nil, to: String)
    /// Deletes rows, or a part of a row.
    case remove([RowID], field: FieldPath?)
    /// Resolves a conflict with one side's value or with another value.
    case resolve(RowID, Resolution)
    /// Relates a row to another row.
    case relate(RowID, field: String, to: RowID, kind: String)
    /// Increments or decrements a counter. Concurrent increments add up.
    case count(RowID, by: Int64)
    /// Restores rows, or one property of them, to their state at an instant. Deletes rows that
    /// didn't exist then.
    case restore([RowID], field: FieldPath? = nil, at: Timestamp)
    /// Copies the other store's state of rows in a list of differences. Deletes rows that the
    /// other store lacks.
    case takeOver([RowID])
    /// Undoes an edit that this device wrote.
    case revert(EditRecord)
    /// Runs a command of the list.
    case run(ListCommand, argument: String)

    /// A way to resolve a conflict.
    public indirect enum Resolution: Hashable, Sendable {
        /// Takes this side's value.
        case take(RowConflict.SideID)
        /// Writes another value.
        case value(TypedText)
        /// Writes the merged value, with these fields (`ConflictDetail.fields`) taken from the
        /// given sides.
        case picks([FieldPath: RowConflict.SideID])
        /// Resolves each of these properties separately. Used if devices disagree about properties,
        /// not about the row as a whole (``RowConflict/part``).
        case properties([FieldPath: Resolution])
    }

    /// Whether the edit changes the store, not only the content of a list.
    public var writes: Bool {
        if case .run(let command, _) = self { command.writes } else { true }
    }

    /// The name of the data model whose edit this edit undoes; `nil` if it isn't an undo.
    package var undoneModel: String? {
        if case .revert(let written) = self { written.model } else { nil }
    }

    /// The existing rows that the edit changes.
    var existingRows: [RowID] {
        switch self {
        case .set(let row, _, _), .rename(let row, _, _), .resolve(let row, _), .count(let row, _):
            [row]
        case .relate(let row, _, let target, _): [row, target]
        case .add(_, let parent, _, _): [parent].compactMap(\.self)
        case .remove(let rows, _), .restore(let rows, _, _), .takeOver(let rows): rows
        case .revert, .run: []
        }
    }

    /// The kind of the edit.
    public var kind: EditKind {
        switch self {
        case .set: .set
        case .add: .add
        case .rename: .rename
        case .remove: .remove
        case .resolve: .resolve
        case .relate: .relate
        case .restore: .restore
        case .takeOver: .takeOver
        case .count: .count
        case .revert: .revert
        case .run: .run
        }
    }
}
