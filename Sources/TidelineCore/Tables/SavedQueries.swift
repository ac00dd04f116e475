import Foundation

/// The saved queries of one database, stored in a file in the user's state folder. Nothing is
/// written to the database.
public struct SavedQueries: Sendable {
    private let file: StoreStateFile

    /// Creates a reference to a file in `folder`. Saving the first query creates both.
    init(in folder: URL, of store: String) { file = StoreStateFile(in: folder, of: store) }

    /// The path of the file, whether or not it exists.
    public var path: String { file.path }

    /// Returns the saved queries, oldest first.
    ///
    /// - Throws: `ReplicationError` if the file can't be read.
    func queries() throws -> [SavedQuery] {
        var queries: [SavedQuery] = []
        for query in try file.values(of: SavedQuery.self) {
            queries.removeAll { $0.id == query.id }
            if !query.isForgotten { queries.append(query) }
        }
        return queries
    }

    /// Saves a query, or the deletion of one.
    ///
    /// - Throws: `ReplicationError`; the earlier queries stay unchanged.
    func keep(_ query: SavedQuery) throws {
        try file.append(try file.line(query))
    }
}

/// A query that the user typed.
struct SavedQuery: Hashable, Sendable, StoreStateValue {
    var id = UUID()
    var name: String
    var sql: String
    /// Whether the query was deleted.
    var isForgotten = false
    var store = ""

    var row: RowID { RowID("query/\(id.uuidString)") }
}
