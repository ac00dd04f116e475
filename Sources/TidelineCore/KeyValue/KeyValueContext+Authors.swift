import KeyValueStore
import Replication

/// The writers of the words in a key's value, found by comparing the rows of its history.
extension KeyValueContext {
    /// The maximum number of rows to compare. Words from before them have an unknown writer.
    private static let comparedRows = 200

    /// Returns the texts of a key's value with the device that wrote each word. Numbers, dates and
    /// other parts of the value count as one word each.
    ///
    /// - Complexity: That of comparing the values of up to 200 rows word by word.
    func authors(ofKey key: String, at instant: Timestamp?) throws -> Detail? {
        var filter = KeyValueStore.RowFilter(key: key, longestValue: Self.longestListed)
        filter.through = instant
        let page = try store.rows(filter, .newest, limit: Self.comparedRows)
        guard let deciding = winner(ofKey: key, among: page.rows.reversed(), at: instant) else {
            return nil
        }
        var versions: [LogRow.Reference: AuthoredValue] = [:]
        for row in page.rows {
            let parents = parents(of: row, among: page.rows)
            let known = parents.compactMap { versions[$0] }
            // Words of an unavailable parent may be in the value too.
            let isComplete = known.count == parents.count && (!parents.isEmpty || isFirst(row))
            versions[row.reference] = try? row.value().map {
                AuthoredValue(
                    $0, by: isComplete ? .device(row.device) : .unknown, after: known)
            }
        }
        guard let value = versions[deciding.reference] else { return nil }
        return Detail(authorsOf: key, texts: value.texts) { author in
            author == .unknown ? "earlier writers" : author.name { name(of: $0) }
        }
    }

    /// Returns the causal parents of a row.
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

extension LogRow {
    fileprivate var reference: Reference { Reference(device: device, timestamp: timestamp) }
}

/// A value whose words each have a writer.
private struct AuthoredValue {
    /// The maximum number of texts in a value.
    private static let longest = 500

    private var leaves: [(path: [String], words: WordAuthors<Author>)] = []

    /// Creates the version of a value that was written after others.
    init(_ value: PropertyList, by author: Author, after earlier: [AuthoredValue]) {
        let known = earlier.map { version in
            Dictionary(
                version.leaves.map { ($0.path, $0.words) }, uniquingKeysWith: { first, _ in first })
        }
        append(value, [], by: author, after: known)
    }

    private mutating func append(
        _ value: PropertyList, _ path: [String], by author: Author,
        after earlier: [[[String]: WordAuthors<Author>]]
    ) {
        guard leaves.count < Self.longest else { return }
        if let members = value.members {
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                append(member, path + [name.text], by: author, after: earlier)
            }
        } else if let items = value.items {
            for (index, item) in items.enumerated() {
                append(item, path + [String(index)], by: author, after: earlier)
            }
        } else {
            let same = earlier.compactMap { $0[path] }
            leaves.append(
                (
                    path,
                    value.asText.map { WordAuthors($0, by: author, after: same) }
                        ?? WordAuthors(wholly: value.line, by: author, after: same)
                ))
        }
    }

    var texts: [WrittenText] {
        leaves.map {
            WrittenText(label: $0.path.joined(separator: " › "), parts: $0.words.parts)
        }
    }
}
