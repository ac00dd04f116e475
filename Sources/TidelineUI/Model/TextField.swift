/// A line of text that is being typed, with its cursor.
struct TextField: Hashable, Sendable {
    /// What was typed, by grapheme cluster.
    private(set) var characters: [Character]
    /// Where the next character goes: `0 ... characters.count`.
    private(set) var cursor: Int

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String {
        get { String(characters) }
        set { self = TextField(newValue) }
    }

    var isEmpty: Bool { characters.isEmpty }

    /// Puts `text` at the cursor. Clusters that the neighbours join with are joined.
    mutating func insert(_ text: String) {
        let head = String(characters[..<cursor]) + text
        let tail = String(characters[cursor...])
        let joined = Array(head + tail)
        cursor = min(Array(head).count, joined.count)
        characters = joined
    }

    /// Applies an editing key.
    ///
    /// - Returns: Whether the key meant something here.
    mutating func handle(_ key: Key) -> Bool {
        switch (key.code, key.modifiers) {
        case (.character(let character), let modifiers)
        where modifiers.isDisjoint(with: [.control, .alt]):
            insert(String(character))
        case (.backspace, _): if cursor > 0 { remove(cursor - 1..<cursor) }
        case (.delete, _), (.character("d"), .control):
            if cursor < characters.count { remove(cursor..<cursor + 1) }
        case (.left, .control), (.character("b"), .alt): cursor = wordStart()
        case (.right, .control), (.character("f"), .alt): cursor = wordEnd()
        case (.left, _), (.character("b"), .control): cursor = max(0, cursor - 1)
        case (.right, _), (.character("f"), .control): cursor = min(characters.count, cursor + 1)
        case (.home, _), (.character("a"), .control): cursor = 0
        case (.end, _), (.character("e"), .control): cursor = characters.count
        case (.character("w"), .control): remove(wordStart()..<cursor)
        case (.character("u"), .control): remove(0..<cursor)
        case (.character("k"), .control): remove(cursor..<characters.count)
        default: return false
        }
        return true
    }

    private mutating func remove(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private func wordStart() -> Int {
        var index = cursor
        while index > 0, !Self.isWord(characters[index - 1]) { index -= 1 }
        while index > 0, Self.isWord(characters[index - 1]) { index -= 1 }
        return index
    }

    private func wordEnd() -> Int {
        var index = cursor
        while index < characters.count, !Self.isWord(characters[index]) { index += 1 }
        while index < characters.count, Self.isWord(characters[index]) { index += 1 }
        return index
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}
