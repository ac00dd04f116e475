import KeyValueStore
import Replication

/// How a key came to be in conflict.
extension KeyValueContext {
    /// How many writes are listed at most.
    private static let longestLineage = 60

    /// The rows of a key from what its sides started from to the sides.
    ///
    /// - Complexity: A search in each log, and O(*n*²) in the rows that are listed.
    func lineage(ofKey key: String, at instant: Timestamp?) throws -> RowLineage? {
        guard let conflict = try storeConflict(ofKey: key, at: instant) else { return nil }
        var filter = KeyValueStore.RowFilter(
            key: key, from: conflict.base?.timestamp, longestValue: Self.longestListed)
        filter.through = instant
        let page = try store.rows(filter, .newest, limit: Self.longestLineage)
        let rows = Array(page.rows.reversed())
        let sides = ([conflict.winner] + conflict.others).map(\.reference)
        let writes = rows.indices.map { index in
            let row = rows[index]
            return RowLineage.Write(
                author: .device(row.device), instant: row.timestamp, value: oneLine(row),
                role: role(of: row), knows: Self.known(by: index, of: rows),
                side: sides.firstIndex(of: row.reference),
                isBase: row.reference == conflict.base?.reference)
        }
        return RowLineage(writes, hasMore: page.hasMore)
    }

    /// Which of the older rows a row builds on.
    ///
    /// - Parameter rows: The newest first.
    private static func known(by index: Int, of rows: [LogRow]) -> [Int] {
        let row = rows[index]
        let older = rows.indices.dropFirst(index + 1)
        if let parents = row.parents {
            return older.filter { parents.contains(rows[$0].reference) }
        }
        // Of a parent that is known by its time alone the device's own row is meant, where it has
        // one of that time.
        let own = older.first { rows[$0].device == row.device }
        let named = older.filter { rows[$0].timestamp == row.parentTimestamp }
        let parent = named.first { rows[$0].device == row.device } ?? named.first
        return Set([own, parent].compactMap(\.self)).sorted()
    }
}
