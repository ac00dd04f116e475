extension RowSource {
    /// Returns the texts in the field's column, for as many rows as can be read quickly.
    ///
    /// - Throws: ``FilterError``; errors from reading the rows.
    public func values(of field: FilterField, in query: RowQuery) async throws -> [String] {
        guard let column = info.columns.firstIndex(where: { $0.id == field.name }) else {
            return []
        }
        let window = try await window(WindowRequest(query: query, count: 1_000))
        return FilterField.values(in: column, of: window.rows)
    }
}

extension FilterField {
    /// Returns the distinct texts in a column, in the form for a filter: strings have no quotation
    /// marks. Texts of more than 100 characters are left out.
    package static func values(in column: Int, of rows: [Row]) -> [String] {
        let texts = rows.lazy.compactMap { row -> String? in
            guard row.cells.indices.contains(column) else { return nil }
            let cell = row.cells[column]
            // A number that is shown as a date is also compared as a date.
            let isDate = cell.value?.number != nil && cell.value?.instant != nil
            let text = isDate ? cell.value?.json.line ?? cell.text : cell.text
            let isString = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
            return isString ? String(text.dropFirst().dropLast()) : text
        }
        return Array(Set(texts.filter { !$0.isEmpty && $0.count <= 100 }))
    }
}
