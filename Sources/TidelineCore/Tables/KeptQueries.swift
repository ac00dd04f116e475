import Foundation
import Replication

/// The queries of one database that a person keeps: a file in the user's state folder. Nothing of
/// them is written into the database.
public struct KeptQueries: Sendable {
    private let notes: StoreNotes

    /// - Parameters:
    ///   - folder: The folder of such files; made by the first query.
    ///   - store: The path of the database.
    init(in folder: URL, of store: String) { notes = StoreNotes(in: folder, of: store) }

    /// Where they are kept, or would be.
    public var path: String { notes.path }

    /// The queries that are kept, the oldest first.
    ///
    /// - Throws: `ReplicationError` for a file that cannot be read at all.
    func queries() throws -> [KeptQuery] {
        var queries: [KeptQuery] = []
        for query in try notes.values(of: KeptQuery.self) where query.store == notes.store {
            queries.removeAll { $0.id == query.id }
            if !query.isForgotten { queries.append(query) }
        }
        return queries
    }

    /// Keeps a query, or that it is forgotten.
    ///
    /// - Throws: `ReplicationError`; the queries before stay as they are.
    func keep(_ query: KeptQuery) throws {
        var query = query
        query.store = notes.store
        try notes.append(try StoreNotes.line(query))
    }
}

/// A query that a person has typed.
struct KeptQuery: Hashable, Sendable, Codable {
    var id = UUID()
    var name: String
    var sql: String
    /// Whether it was taken away again.
    var isForgotten = false
    fileprivate(set) var store = ""

    init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// The row that it is in the list of queries.
    var row: RowID { RowID("query/\(id.uuidString)") }
}
