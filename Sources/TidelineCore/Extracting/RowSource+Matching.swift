extension RowSource {
    /// Returns the rows that match a filter, in list order.
    ///
    /// - Parameter filter: The filter as typed.
    /// - Throws: ``FilterError``; errors from reading the store.
    public func rows(matching filter: String) async throws -> [RowID] {
        let (page, query) = (1_000, RowQuery(filter: filter))
        var found: [RowID] = []
        while true {
            let window = try await window(
                WindowRequest(query: query, position: .index(found.count), count: page))
            // At the end of a list, a window may start before the requested row.
            let new = window.rows.dropFirst(max(0, found.count - window.start))
            found += new.map(\.id)
            if new.isEmpty || window.isTotalExact && found.count >= window.total { return found }
        }
    }
}
