import Foundation

/// A regular expression between slashes.
///
/// `@unchecked`: an `NSRegularExpression` is immutable and can be used from several threads.
struct RegularExpression: Hashable, @unchecked Sendable {
    private let expression: NSRegularExpression
    /// The maximum number of characters to search, because a backtracking pattern must not block
    /// the screen.
    private static let searchedLength = 16_384

    /// The flags after the closing slash. `i` ignores case; with `m`, `^` and `$` match at the
    /// start and end of each line; with `s`, `.` matches line ends.
    static let flags: Set<Character> = ["i", "m", "s"]

    init?(_ pattern: String, flags: String = "") {
        var options: NSRegularExpression.Options = []
        if flags.contains("i") { options.insert(.caseInsensitive) }
        if flags.contains("m") { options.insert(.anchorsMatchLines) }
        if flags.contains("s") { options.insert(.dotMatchesLineSeparators) }
        guard let expression = try? NSRegularExpression(pattern: pattern, options: options) else {
            return nil
        }
        self.expression = expression
    }

    func isFound(in text: String) -> Bool {
        let text = text.prefix(Self.searchedLength)
        let range = NSRange(text.startIndex..., in: text)
        return expression.firstMatch(in: String(text), range: range) != nil
    }
}
