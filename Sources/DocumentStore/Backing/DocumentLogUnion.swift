import Foundation
import GRDB
import Replication

/// Combines two versions of one device's log of documents, such as the versions of two branches.
package enum DocumentLogUnion {
    /// Appends the rows that only the other version has, and their chunks. Chunks that either
    /// version deleted are deleted.
    ///
    /// Chunks are changes of documents, so the documents of the combined log have the edits of both
    /// versions.
    ///
    /// - Parameter path: The version to change. No other code may write to it.
    /// - Returns: The number of appended rows.
    /// - Throws: `ReplicationError` for a file that can't be read or written.
    package static func append(logAt other: String, toLogAt path: String) throws -> Int {
        let ours = try DocumentLogRow.rows(inLogAt: path)
        var theirs = try DocumentLogRow.rows(inLogAt: other)
        let common = zip(ours, theirs).prefix { $0 == $1 }.count
        theirs.removeFirst(common)
        guard !theirs.isEmpty else { return 0 }
        try theirs.readChunks(ofLogAt: other)
        var numbers: [Int64: Int64] = [:]
        for row in ours.prefix(common) { numbers[row.id] = row.id }
        for (place, row) in theirs.enumerated() {
            numbers[row.id] = Int64(ours.count + place) + 1
        }
        let database = LocalDatabase(path: path) { _ = try DocumentLog().identity(in: $0) }
        defer { database.close() }
        // Chunks that the other version has already deleted.
        var deletedIDs = Set(
            theirs.lazy.filter { $0.isChunk && $0.data == nil }.compactMap { numbers[$0.id] })
        try database.write { db in
            for row in theirs {
                try append(row.numbered(numbers[row.id] ?? 0, numbers), &deletedIDs, to: db)
            }
        }
        return theirs.count
    }

    private static func append(
        _ row: DocumentLogRow, _ deletedIDs: inout Set<Int64>, to db: Database
    ) throws {
        var row = row
        if row.isDeletion {
            // Both versions may have deleted the same chunks.
            let deleted = try row.deletedRows.filter { id in
                try db.execute(sql: "DELETE FROM content WHERE id = ?", arguments: [id])
                return db.changesCount > 0 || deletedIDs.remove(id) != nil
            }
            row.text = deleted.map(String.init).joined(separator: ",")
            row.size = Int64(deleted.count)
        }
        try row.insert(into: db)
    }
}
