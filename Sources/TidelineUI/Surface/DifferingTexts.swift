/// Two texts, starting shortly before their first difference.
///
/// If there isn't enough space for both texts, their starts may look the same.
struct DifferingTexts: Hashable, Sendable {
    /// The number of characters before the difference to keep as context.
    private static let lead = 8
    /// The maximum number of characters, wider than any screen.
    private static let longest = 2_000

    var first: String
    var second: String

    /// Shortens two texts.
    ///
    /// - Parameter same: The length of a common start that is kept.
    /// - Complexity: O(*n*) in the length of the common start.
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
