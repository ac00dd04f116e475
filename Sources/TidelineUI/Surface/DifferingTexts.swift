/// Two texts where they differ: from shortly before the first difference on.
///
/// Where a column or a screen has no space for all of two texts, their beginnings may look alike.
struct DifferingTexts: Hashable, Sendable {
    /// So many characters before the difference say where it is.
    private static let lead = 8
    /// No line of any screen has more.
    private static let longest = 2_000

    var first: String
    var second: String

    /// - Parameter same: How many characters both may have in common at their beginning and are
    ///   shown from there all the same.
    /// - Complexity: O(*n*) in the length of what they have in common.
    init(_ first: String, _ second: String, same: Int) {
        (self.first, self.second) = (first, second)
        var (one, other) = (first.startIndex, second.startIndex)
        var common = 0
        while one < first.endIndex, other < second.endIndex, first[one] == second[other] {
            first.formIndex(after: &one)
            second.formIndex(after: &other)
            common += 1
        }
        guard common > same else { return }
        self.first = Self.part(of: first, at: one)
        self.second = Self.part(of: second, at: other)
    }

    private static func part(of text: String, at place: String.Index) -> String {
        let start =
            text.index(place, offsetBy: -lead, limitedBy: text.startIndex) ?? text.startIndex
        let part = text[start...].prefix(longest)
        return "…" + part + (part.endIndex < text.endIndex ? "…" : "")
    }
}
