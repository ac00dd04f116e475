public import Foundation
import Replication

/// The conflicts of one store that a person needs nothing done about: a file in the user's state
/// folder. Nothing of it is written into the store.
public struct BenignConflicts: Sendable {
    private let notes: StoreNotes

    /// - Parameters:
    ///   - folder: The folder of such files; made by the first mark.
    ///   - store: The path of the store.
    init(in folder: URL, of store: String) { notes = StoreNotes(in: folder, of: store) }

    /// Where they are kept, or would be.
    public var path: String { notes.path }

    /// The marks that hold, in no order.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read at all.
    public func marks() throws -> [BenignMark] {
        var marks: [BenignMark.Place: BenignMark] = [:]
        for mark in try notes.values(of: BenignMark.self) where mark.store == notes.store {
            marks[mark.place] = mark.isWithdrawn ? nil : mark
        }
        return Array(marks.values)
    }

    /// Keeps a mark, in place of an earlier one of the same row, or takes that away.
    ///
    /// - Throws: `ReplicationError`; the marks before stay as they are.
    public func keep(_ mark: BenignMark) throws {
        var mark = mark
        mark.store = notes.store
        try notes.append(try StoreNotes.line(mark))
    }
}

/// That a person needs nothing done about a conflict, as long as its sides are the same.
public struct BenignMark: Hashable, Sendable, Codable {
    /// The row that is in conflict.
    public struct Place: Hashable, Sendable, Codable {
        /// The name of the data model that the row is of.
        public var part: String
        /// The row's name in the lists of it.
        public var row: String

        /// A row of a data model.
        public init(part: String, row: RowID) {
            self.part = part
            self.row = row.name
        }
    }

    /// The row that is in conflict.
    public var place: Place
    /// Who has a side in it, and since when.
    public var sides: [String]
    /// Why nothing needs to be done, in a person's words; may be empty.
    public var note: String
    /// When it was marked.
    public var date: Date
    /// Whether the mark was taken away.
    public var isWithdrawn = false
    fileprivate var store = ""

    /// A mark about a conflict as it is now.
    public init(_ place: Place, _ conflict: RowConflict, note: String, date: Date) {
        self.place = place
        sides = Self.sides(of: conflict)
        self.note = note
        self.date = date
    }

    /// Whether a conflict is the one that was marked: nobody has written since.
    public func isAbout(_ conflict: RowConflict) -> Bool { sides == Self.sides(of: conflict) }

    private static func sides(of conflict: RowConflict) -> [String] {
        conflict.sides.map { "\($0.author.name) \($0.instant.microseconds)" }.sorted()
    }
}
