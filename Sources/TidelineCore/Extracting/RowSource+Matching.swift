extension RowSource {
    /// Returns the rows that match a filter, in list order.
    ///
    /// - Throws: ``FilterError``; errors from reading the store.
    public func rows(matching filter: String) async throws -> [RowID] {
        var found: [RowID] = []
        try await forEachRow(of: RowQuery(filter: filter)) { found.append($0.id) }
        return found
    }

    /// Calls `body` with the rows of a query, in list order. They are read page by page.
    ///
    /// - Throws: ``FilterError``; errors from reading the store; `CancellationError`.
    func forEachRow(of query: RowQuery, _ body: (Row) -> Void) async throws {
        let page = 1_000
        var count = 0
        while true {
            try Task.checkCancellation()
            let window = try await window(
                WindowRequest(query: query, position: .index(count), count: page))
            // At the end of a list, a window may start before the requested row.
            let new = window.rows.dropFirst(max(0, count - window.start))
            for row in new { body(row) }
            count += new.count
            if new.isEmpty || window.isTotalExact && count >= window.total { return }
        }
    }
}
