extension Column {
    /// A longer content is cut where there is no space that others leave.
    private static let widest = 24

    /// A column that is as wide as its contents, as far as they were seen.
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

    /// How many columns of the screen a text takes, and no more than there is use in knowing.
    private static func cells(of text: String, limit: Int) -> Int {
        min(CharacterWidth.width(of: String(text.prefix(limit))), limit)
    }
}
