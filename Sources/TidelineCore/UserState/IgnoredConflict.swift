public import Foundation
public import Replication

/// A mark on an ignored conflict. It is valid while the conflict's sides stay the same.
public struct IgnoredConflict: Hashable, Sendable, Codable, StoreStateValue {
    /// The row or property in conflict.
    public var place: ConflictPlace
    /// The sides of the conflict: their authors and timestamps.
    public var sides: [String]
    /// The user's note. May be empty.
    public var note: String
    /// The time when the conflict was marked.
    public var date: Date
    /// Whether the mark was withdrawn.
    public var isWithdrawn = false
    var store = ""

    /// Creates a mark for a conflict in its current state.
    public init(_ place: ConflictPlace, _ conflict: RowConflict, note: String, date: Date) {
        self.place = place
        sides = Self.sides(of: conflict)
        self.note = note
        self.date = date
    }

    /// Returns whether this mark applies: whether the conflict has the marked sides.
    public func isAbout(_ conflict: RowConflict) -> Bool { sides == Self.sides(of: conflict) }

    /// Returns whether this mark applies to the conflict with the given sides.
    public func isAbout(_ sides: some Sequence<(device: DeviceID, instant: Timestamp)>) -> Bool {
        self.sides
            == sides.map { Self.side(Author.device($0.device).name, $0.instant) }.sorted()
    }

    private static func sides(of conflict: RowConflict) -> [String] {
        conflict.sides.map { side($0.author.name, $0.instant) }.sorted()
    }

    private static func side(_ author: String, _ instant: Timestamp) -> String {
        "\(author) \(instant.microseconds)"
    }
}
