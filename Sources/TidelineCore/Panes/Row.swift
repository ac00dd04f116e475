public import Replication

/// The identity of a row within its source, independent of its content and position.
///
/// Identities are compared by their bytes. Names that look the same but have different bytes, such
/// as the two encodings of `é`, identify different rows.
public struct RowID: Hashable, Sendable {
    /// The row's name, unique within its source.
    @Name public private(set) var name: String
    /// Creates an identity from the row's name.
    public init(_ name: String) { self.name = name }
}

/// A row of a list, ready to draw: one text per column.
public struct Row: Hashable, Sendable, Identifiable {
    /// The identity of the row.
    public let id: RowID
    /// The cells, in column order, unescaped. The screen makes control characters visible.
    public var cells: [RowCell]
    /// The device that wrote the row, if there is one.
    public var device: DeviceID?
    /// Whether the row is in conflict.
    public var isConflict: Bool
    /// The number of the row's properties in conflict; 1 for a conflict about the whole row.
    public var conflictCount: Int
    /// The number of conflicts inside the row.
    public var conflictsInside: Int
    /// Whether the row is dimmed, like a deleted key.
    public var isDimmed: Bool
    /// Whether the row only represents the rows inside a folder, and has no value to edit.
    public var isFolder = false
    /// Whether the row is a counter, which can be incremented.
    public var isCounter: Bool
    /// The edits that the list supports but that aren't possible for this row, with the reasons.
    public var refusedEdits: [EditKind: String] = [:]
    /// The property that editing the row as a whole changes; `nil` if the row is a single value.
    public var editedProperty: String?
    /// Whether the row is known to open as a list.
    public var opensList = false
    /// Whether the row of a past instant has different content now; `nil` if that isn't known or
    /// the list shows the present.
    public var differsFromNow: Bool?
    /// The filter to add to the parent list when the row is opened; `nil` if opening it shows the
    /// row itself.
    public var outerFilter: String?

    /// Creates a row with one cell per column, and with at most one conflict of its own.
    public init(
        id: RowID, cells: [RowCell], device: DeviceID? = nil, isConflict: Bool = false,
        conflictsInside: Int = 0, isDimmed: Bool = false, isCounter: Bool = false
    ) {
        self.id = id
        self.cells = cells
        self.device = device
        self.isConflict = isConflict
        self.conflictCount = isConflict ? 1 : 0
        self.conflictsInside = conflictsInside
        self.isDimmed = isDimmed
        self.isCounter = isCounter
    }
}

/// The content of a row in one column.
public struct RowCell: Hashable, Sendable {
    /// The text, unescaped. The screen makes control characters visible.
    public var text: String
    /// The role of the text, for the theme.
    public var role: TextRole
    /// The instant that the screen shows as an age (`2m`), or as a time if the column has at least
    /// 12 cells. `text` is then the absolute time.
    public var instant: Timestamp?
    /// The typed value, if it contains more than the text or differs from it.
    public var value: CellValue?

    /// Creates a cell.
    public init(
        _ text: String, _ role: TextRole = .plain, instant: Timestamp? = nil,
        value: CellValue? = nil
    ) {
        self.text = text
        self.role = role
        self.instant = instant
        self.value = value
    }
}

/// The role of a text. A theme defines its look.
public enum TextRole: String, Hashable, Sendable, CaseIterable {
    case plain, title, label, key, string, number, boolean, date, data, collection, deletion
    case device, timestamp, winner, loser, conflict, problem, badge, dim, link, added, removed
}
