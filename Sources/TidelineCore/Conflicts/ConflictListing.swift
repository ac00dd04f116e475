public import Replication

/// The conflicts of one data model, for the list of all conflicts of a store. Methods throw errors
/// from reading the store.
public protocol ConflictListing: Sendable {
    /// The name of the data model, as in ``PaneID/part``.
    var part: String { get }
    /// The edits that resolve conflicts, or the reasons why they aren't possible.
    var edits: [EditKind: Availability] { get }

    /// Returns the conflicts now or at an instant; the same object if they haven't changed.
    func conflicts(at instant: Timestamp?) async throws -> ListedConflicts

    /// Returns the row in conflict; `nil` if the store no longer has it.
    func target(of place: ConflictPlace) async throws -> ConflictTarget?

    /// A source that can undo the edits of the data model.
    var undoing: any RowSource { get }

    /// Drops the lists of past instants.
    func forgetPast()
}

extension ConflictListing {
    /// Returns the row in the source that also undoes edits.
    public func target(of place: ConflictPlace) async throws -> ConflictTarget? {
        ConflictTarget(
            source: undoing, row: RowID(place.row),
            property: place.property.map { FieldPath($0) })
    }

    public func forgetPast() {}
}

/// The row, or the property of a row, that is in conflict.
public struct ConflictTarget: Sendable {
    /// A source that has the row.
    public var source: any RowSource
    /// The row.
    public var row: RowID
    /// The property in conflict; `nil` for the whole row.
    public var property: FieldPath?
}

/// The conflicts of one data model in one state of the store. Compared by identity.
public final class ListedConflicts: Sendable {
    /// The conflicts, each named by its ``ConflictPlace/listedRow``. For a row that contains
    /// conflicts, such as a document or a type of entities, `index(of:)` returns the index of the
    /// first of them.
    public let rows: any IndexedRows & Sendable

    /// Wraps a list of conflicts.
    public init(_ rows: any IndexedRows & Sendable) { self.rows = rows }
}

extension Row {
    /// Creates the row of a conflict in the list of all conflicts.
    ///
    /// - Parameters:
    ///   - name: The display name of the item in conflict.
    ///   - kind: The kind of item in conflict: `key`, `property`, `document`.
    ///   - device: The winner's device or actor.
    ///   - instant: The time of the winning write, if it is known.
    ///   - writer: The device that wrote the winner, if it is known.
    public init(
        conflict place: ConflictPlace, name: String, kind: String, winner: RowCell, device: RowCell,
        others: RowCell, instant: Timestamp?, writer: DeviceID?
    ) {
        self.init(
            id: place.listedRow,
            cells: [
                RowCell(name, .key), RowCell(kind, .label), winner, device, others,
                instant.map { RowCell($0.iso8601, .timestamp, instant: $0) } ?? RowCell("", .dim),
            ], device: writer, isConflict: true)
    }

    /// Creates the row of a conflict that was resolved after the list was made. The next list
    /// doesn't contain the row.
    ///
    /// - Parameters:
    ///   - name: The display name of the item.
    ///   - kind: The kind of item: `key`, `property`, `document`.
    public init(endedConflict place: ConflictPlace, name: String, kind: String) {
        self.init(
            id: place.listedRow,
            cells: [RowCell(name, .key), RowCell(kind, .label)]
                + Array(repeating: RowCell("…", .dim), count: 4), isDimmed: true)
    }
}
