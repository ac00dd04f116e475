import Foundation

/// The conflicts of one store that the user ignores, stored in a file in the user's state folder.
/// Nothing is written to the store.
public struct IgnoredConflictsFile: Sendable {
    private let file: StoreStateFile

    /// Creates a reference to a file in `folder`. The first mark creates both.
    init(in folder: URL, of store: String) { file = StoreStateFile(in: folder, of: store) }

    /// The path of the file, whether or not it exists.
    public var path: String { file.path }

    /// Returns the marks in effect, by place.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    public func marks() throws -> [ConflictPlace: IgnoredConflict] {
        var marks: [ConflictPlace: IgnoredConflict] = [:]
        for mark in try file.values(of: IgnoredConflict.self) {
            marks[mark.place] = mark.isWithdrawn ? nil : mark
        }
        return marks
    }

    /// Saves a mark, replacing the earlier mark of its place. A withdrawn mark isn't in effect.
    ///
    /// - Throws: `ReplicationError`; the earlier marks stay unchanged.
    public func keep(_ mark: IgnoredConflict) throws {
        try file.append(try file.line(mark))
    }
}
