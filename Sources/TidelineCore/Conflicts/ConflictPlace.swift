import Replication

/// The place of a conflict: a row of a data model, or one of its properties.
public struct ConflictPlace: Hashable, Sendable, Codable {
    /// The name of the row's data model.
    public var part: String
    /// The row's name in the data model's lists.
    public var row: String
    /// The property in conflict; `nil` for the whole row.
    public var property: String?

    /// Creates a reference to a row of a data model, or to a property of it.
    public init(part: String, row: RowID, property: FieldPath? = nil) {
        self.part = part
        self.row = row.name
        self.property = property?.property
    }
}

extension ConflictPlace {
    /// The place of the whole row.
    public var wholeRow: ConflictPlace { ConflictPlace(part: part, row: RowID(row)) }

    /// Returns whether another place is inside this place: in the same document, map or list.
    func contains(_ other: ConflictPlace) -> Bool {
        part == other.part && Name(other.row).hasPrefix(row + "/")
    }

    /// Compares the bytes of names, like ``RowID``.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.names == rhs.names }

    public func hash(into hasher: inout Hasher) { hasher.combine(names) }

    private var names: [Name?] { [Name(part), Name(row), property.map { Name($0) }] }

    /// Creates the place of a row in the list of all conflicts.
    ///
    /// In that list, the row of a key is named like the key. Names of other data models' rows, and
    /// of keys that start with NUL, have a prefix that starts with NUL.
    public init?(listed row: RowID) {
        let bytes = Array(row.name.utf8)
        guard bytes.first == 0 else {
            self.init(part: PaneID.keys.part, row: row)
            return
        }
        let names = bytes.dropFirst().split(
            separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard names.count == 3 else { return nil }
        let (part, rest) = (String(decoding: names[0], as: UTF8.self), names[2])
        guard !names[1].isEmpty else {
            self.init(part: part, row: RowID(String(decoding: rest, as: UTF8.self)))
            return
        }
        guard let length = Int(String(decoding: names[1], as: UTF8.self)), length >= 0,
            length <= rest.count
        else { return nil }
        self.init(
            part: part, row: RowID(String(decoding: rest.prefix(length), as: UTF8.self)),
            property: FieldPath(String(decoding: rest.dropFirst(length), as: UTF8.self)))
    }

    /// The identity of the place's row in the list of all conflicts.
    public var listedRow: RowID {
        guard let property else {
            let isPlain = part == PaneID.keys.part && row.utf8.first != 0
            return isPlain ? RowID(row) : RowID("\0\(part)\0\0\(row)")
        }
        return RowID("\0\(part)\0\(row.utf8.count)\0\(row)\(property)")
    }
}
