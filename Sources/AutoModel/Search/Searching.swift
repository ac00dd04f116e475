import Foundation

extension AutoObject {
    /// The objects with all of these words in their full-text columns, the best first.
    ///
    /// Case and diacritics do not matter, and the last word is the beginning of one. Signs are not
    /// words: what a person types is what is looked for. The query has no order but the rank; it
    /// takes no further conditions.
    ///
    /// - Throws: ``AutoModelError`` where no open database has the model, or it has no column with
    ///   `@Column(.fullText)`.
    public static func search(_ words: String) throws -> Query<Self> {
        let table = try AutoDatabase.table(of: Self.self)
        guard !table.layout.fullTextColumns.isEmpty else {
            throw AutoModelError(
                .declaration,
                "'\(table.layout.name)' has no words to search; mark a property with "
                    + "'@Column(.fullText)'")
        }
        var terms = words.split(whereSeparator: \.isWhitespace).map {
            "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\""
        }
        if let last = terms.indices.last { terms[last] += "*" }
        let search = quoted(SearchPlan.searchTable(of: table.layout.name))
        var query = Query<Self>()
        query.database = table.database
        // Nothing to look for finds nothing.
        query.tail =
            terms.isEmpty
            ? ("WHERE 0", [])
            : (
                "JOIN \(search) ON \(search).rowid = \(quoted(table.layout.name)).id "
                    + "WHERE \(search) MATCH ? ORDER BY rank, id",
                [.text(terms.joined(separator: " "))]
            )
        return query
    }
}
