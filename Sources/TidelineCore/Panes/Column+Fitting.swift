extension Column {
    /// The maximum width. Longer contents are shortened if other columns leave no space.
    private static let widest = 24

    /// Creates a column that is as wide as the contents seen so far.
    init(
        _ id: String, _ title: String, fitting contents: [String], alignment: Alignment = .leading,
        isSortable: Bool = false, sortCost: String? = nil
    ) {
        let longest = contents.reduce(0) { max($0, Self.cells(of: $1, limit: 200)) }
        let width = max(longest, Self.cells(of: title, limit: 16), 3)
        self.init(
            id, title, minimumWidth: min(width, 14), width: width <= Self.widest ? width : nil,
            alignment: alignment, isSortable: isSortable, sortCost: sortCost)
    }

    /// Returns the width of a text in terminal columns, at most `limit`.
    private static func cells(of text: String, limit: Int) -> Int {
        min(CharacterWidth.width(of: String(text.prefix(limit))), limit)
    }
}
