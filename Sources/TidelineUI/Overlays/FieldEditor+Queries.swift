import TidelineCore

/// A query that the user typed before, shown in the editor.
struct RecalledQuery: Hashable, Sendable {
    /// The query's index among the typed queries.
    var index: Int
    /// The text to return to after the newest query.
    var draft: String
}

/// Completion of names, and return to earlier queries.
extension FieldEditor {
    /// Inserts the next or previous completion of the name at the cursor.
    mutating func complete(by step: Int, in context: ScreenContext) -> [ScreenOutcome] {
        if completion?.isShown(in: value) != true {
            completion = QueryCompletion(
                of: value.characters, at: value.cursor, words(in: context))
        }
        guard completion != nil else { return [.notice(.info, "nothing to complete")] }
        completion?.choose(by: step, in: &value)
        (problem, recalled, isLeaving) = (nil, nil, false)
        reveal(in: context)
        return []
    }

    /// Replaces the text with an earlier or later query.
    mutating func recall(by step: Int, in context: ScreenContext) {
        let typed = words(in: context).typed
        let draft = recalled?.draft ?? value.text
        var index = (recalled?.index ?? typed.count) + step
        while typed.indices.contains(index), typed[index] == value.text { index += step }
        guard index >= 0, index <= typed.count else { return }
        recalled = index < typed.count ? RecalledQuery(index: index, draft: draft) : nil
        value = TextField(index < typed.count ? typed[index] : draft)
        (completion, problem, isLeaving) = (nil, nil, false)
        reveal(in: context)
    }

    private func words(in context: ScreenContext) -> QueryWords {
        context.navigation.pane?.lists.first?.source.queryWords ?? QueryWords()
    }

    /// The chosen completion and those after it, in one line; `nil` if there is nothing to choose.
    var shownCompletions: String? {
        guard let completion, let chosen = completion.chosen, completion.words.count > 1,
            completion.isShown(in: value)
        else { return nil }
        let words = completion.words[chosen...].prefix(4).joined(separator: "  ")
        return "\(chosen + 1)/\(completion.words.count): \(Sanitizer.visible(words))"
    }
}
