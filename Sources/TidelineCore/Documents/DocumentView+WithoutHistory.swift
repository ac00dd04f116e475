import Automerge
public import Foundation

extension DocumentView {
    /// The parts of a document that a copy without history lacks.
    public struct LostHistory: Hashable, Sendable {
        public let changes: Int
        public let authors: Int
        /// The number of keys and items with several values. Only the winner of these values is
        /// kept.
        public let conflicts: Int
    }

    /// Returns the current content as a new document without history, in file format.
    ///
    /// - Throws: `DocError` for content that can't be copied.
    /// - Complexity: O(*n*) in the number of operations.
    public func savedWithoutHistory() throws -> (bytes: Data, lost: LostHistory) {
        var authors: Set<String> = []
        forEachChange { authors.insert($0.actor) }
        let lost = LostHistory(
            changes: document.changeCount, authors: authors.count, conflicts: try conflictCount())
        return (try document.withoutHistory().save(), lost)
    }
}
