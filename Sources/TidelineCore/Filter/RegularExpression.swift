import Foundation

/// A regular expression between slashes.
///
/// `@unchecked`: an `NSRegularExpression` never changes, and may be used from several threads.
struct RegularExpression: Hashable, @unchecked Sendable {
    private let expression: NSRegularExpression
    /// Longer texts are searched up to here only: a backtracking pattern must not stop the screen.
    private static let searchedLength = 16_384

    /// What may follow the closing slash: any case; `^` and `$` at lines; `.` takes line ends.
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
