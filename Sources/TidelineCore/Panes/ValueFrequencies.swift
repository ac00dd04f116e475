/// The distinct values in a column of a list, each with its number of rows.
public struct ValueFrequencies: Hashable, Sendable {
    /// A value.
    public struct Item: Hashable, Sendable {
        /// The value in the list's form.
        public var cell: RowCell
        /// The number of rows.
        public var count: Int
        /// The filter that selects these rows; `nil` if no filter can select them.
        public var filter: String?
    }

    /// The values, most frequent first. Rare values may be left out.
    public var items: [Item]
    /// The number of rows.
    public var rowCount: Int
    /// The number of distinct values, including those left out.
    public var distinctCount: Int
    /// Facts about the whole column, for the inspector.
    public var sections: [Detail.Section] = []
}

extension ValueFrequencies {
    /// Counts the values of rows that are read in several steps.
    package struct Counter {
        private let column: Int
        private let field: FilterField?
        /// Whether the column shows a property of an entity.
        private let isProperty: Bool
        private var cells: [String: (cell: RowCell, count: Int)] = [:]
        private var rowCount = 0

        /// Creates a counter for a column of a list; `nil` if the list has no such column.
        package init?(_ column: String, of info: ListInfo) {
            guard let index = info.columns.firstIndex(where: { $0.id == column }) else {
                return nil
            }
            self.column = index
            let fieldName = info.columns[index].fieldName
            isProperty = fieldName != nil
            field = FilterField.named(fieldName ?? column, in: info.filterFields)
        }

        package mutating func add(_ row: Row) {
            guard row.cells.indices.contains(column) else { return }
            let cell = row.cells[column]
            rowCount += 1
            cells[cell.text, default: (cell, 0)].count += 1
        }

        /// Returns the counts. Equally frequent values are in the order of their contents.
        package func frequencies(limit: Int) -> ValueFrequencies {
            let sorted = cells.values
                .map { (cell: $0.cell, count: $0.count, order: CellOrder($0.cell)) }
                .sorted { ($1.count, $0.order) < ($0.count, $1.order) }
            let items = sorted.prefix(limit).map { cell, count, _ in
                Item(cell: cell, count: count, filter: filter(selecting: cell))
            }
            return ValueFrequencies(
                items: items, rowCount: rowCount, distinctCount: cells.count,
                sections: CellProfile(sorted.map { ($0.cell, $0.count) }).sections)
        }

        /// Returns the filter that selects the rows with a cell; `nil` if no filter can.
        private func filter(selecting cell: RowCell) -> String? {
            guard isProperty else { return field?.term(equalTo: cell) }
            return switch cell.role {
            case .string, .number, .boolean, .date: field?.term(equalTo: cell)
            // A filter finds the target of a relationship by its name or identifier.
            case .link: field?.term(equalTo: String(cell.text.trimmingPrefix("→ ")))
            // The cells of missing values, bytes, lists and maps don't show the compared text.
            default: nil
            }
        }
    }
}

extension FilterField {
    /// Returns the term that selects rows with this cell; `nil` if no term can.
    func term(equalTo cell: RowCell) -> String? {
        // Ages change while they are shown, so they can't be compared.
        guard cell.instant == nil, kind != .age else { return nil }
        switch kind {
        case .number, .size:
            // The shown number may be rounded, or have a unit.
            if let value = cell.value, value.number != nil { return term(equalTo: value.json.line) }
            return FilterNumber(cell.text) == nil ? nil : term(equalTo: cell.text)
        case .choice(let known):
            // Cells of several choices have no text.
            guard cell.value.map({ $0.string != nil }) ?? true,
                known.contains(where: { $0.lowercased() == cell.text.lowercased() })
            else { return nil }
            return term(equalTo: cell.text)
        case .text, .name, .age, .instant, .value:
            return term(equalTo: cell.value?.string ?? cell.text)
        }
    }

    /// Returns the term that selects rows with this text; `nil` if no filter can express it.
    package func term(equalTo text: String) -> String? {
        let special = Self.comparisonSigns + " ()|\"*"
        guard !name.contains("\"") else { return nil }
        let name = name.contains(where: special.contains) ? "\"\(name)\"" : name
        guard text.contains("\"") else {
            let isPlain =
                !text.isEmpty && !text.contains { special.contains($0) || $0.isWhitespace }
            return "\(name)=\(isPlain ? text : "\"\(text)\"")"
        }
        // A quotation mark has a meaning only at the start of a value.
        if text.first != "\"", !text.contains(where: { " |)".contains($0) }) {
            return "\(name)=\(text)"
        }
        switch kind {
        case .text, .name, .instant, .value, .choice: return "\(name)~/\\A\(Self.escaped(text))\\z/"
        case .number, .size, .age: return nil
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if character.isASCII, !character.isLetter, !character.isNumber, character != "_",
                !character.isNewline
            {
                escaped.append("\\")
            }
            escaped.append(character)
        }
        return escaped
    }
}
