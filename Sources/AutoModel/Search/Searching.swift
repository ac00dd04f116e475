extension AutoObject {
    /// Searches the full-text columns for objects that contain all of the words, best match first.
    ///
    /// The search ignores case and diacritics, and the last word may be a prefix. Punctuation has
    /// no special meaning. The result can't be narrowed with further conditions or sorted
    /// differently.
    ///
    /// - Throws: ``AutoModelError`` if no open database has the model, or the model has no column
    ///   with `@Column(.fullText)`.
    public static func search(_ words: String) throws -> Query<Self> {
        let table = try AutoDatabase.table(of: Self.self)
        guard !table.layout.fullTextColumns.isEmpty else {
            throw AutoModelError(
                .declaration,
                "'\(table.layout.name)' has no full-text index; mark a property with "
                    + "'@Column(.fullText)'")
        }
        var terms = words.split(whereSeparator: \.isWhitespace).map { quoted(String($0)) }
        if let last = terms.indices.last { terms[last] += "*" }
        let search = quoted(SearchPlan.searchTable(of: table.layout.name))
        var query = Query<Self>()
        query.database = table.database
        // A search without words finds nothing.
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
