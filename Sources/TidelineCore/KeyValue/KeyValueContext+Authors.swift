import KeyValueStore
import Replication

/// The writers of the words in a key's value, found by comparing the rows of its history.
extension KeyValueContext {
    /// The maximum number of rows to compare. Words that are older than these rows have an unknown
    /// writer.
    private static let comparedRows = 200

    /// Returns the texts of a key's value with the writer of each word; `nil` without a value.
    ///
    /// - Complexity: The complexity of comparing the values of up to 200 rows word by word.
    func writtenTexts(ofKey key: String, at instant: Timestamp?) throws -> WrittenTexts? {
        let filter = KeyValueStore.RowFilter(
            key: key, through: instant, longestValue: Self.longestListed)
        let page = try store.rows(filter, .newest, limit: Self.comparedRows)
        guard let deciding = winner(ofKey: key, among: page.rows.reversed(), at: instant),
            !deciding.isDeletion
        else { return nil }
        if deciding.isLeftInLog {
            throw EditError(.unsupported, "the value of \(key) is too long to show its writers")
        }
        var versions: [LogRow.Reference: AuthoredValue<PropertyList>] = [:]
        for row in page.rows {
            let parents = parents(of: row, among: page.rows)
            let known = parents.compactMap { versions[$0] }
            // If a parent isn't available, some words of the value may come from it.
            let isComplete = known.count == parents.count && (!parents.isEmpty || isFirst(row))
            let writer = TextWriter(.device(row.device), at: row.timestamp)
            guard !row.isDeletion else {
                versions[row.reference] = AuthoredValue()
                continue
            }
            versions[row.reference] = try? row.value().map {
                AuthoredValue($0, by: isComplete ? writer : .unknown, after: known)
            }
        }
        guard let value = versions[deciding.reference] else { return nil }
        return WrittenTexts(key, value.texts(), isCut: value.isCut) { $0.name { name(of: $0) } }
    }

    private func parents(of row: LogRow, among rows: [LogRow]) -> [LogRow.Reference] {
        if let parents = row.parents { return parents }
        guard let time = row.parentTimestamp else { return [] }
        let candidates = rows.filter { $0.timestamp == time }
        let parent = candidates.first { $0.device == row.device } ?? candidates.first
        return [parent?.reference ?? LogRow.Reference(device: row.device, timestamp: time)]
    }

    private func isFirst(_ row: LogRow) -> Bool {
        row.parentTimestamp == nil && (row.parents?.isEmpty ?? true)
    }
}
