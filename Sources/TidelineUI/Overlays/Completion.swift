/// Completions of the word at the cursor in a text field, of which the user chooses one.
protocol Completion {
    /// The range of characters that a completion replaces.
    var range: Range<Int> { get set }
    /// The completions, most likely first.
    var words: [String] { get }
    /// The index of the completion at the cursor; `nil` before the user chooses a completion.
    var chosen: Int? { get set }
}

extension Completion {
    /// Replaces the word at the cursor with the next or previous completion.
    ///
    /// - Precondition: `words` isn't empty.
    mutating func choose(by step: Int, in text: inout TextField) {
        let next = (chosen ?? (step > 0 ? -1 : 0)).cycled(by: step, of: words.count)
        text.replace(range, with: words[next])
        chosen = next
        range = range.lowerBound..<text.cursor
    }
}
