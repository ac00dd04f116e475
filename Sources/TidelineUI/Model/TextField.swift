/// A line of text being edited, with its cursor.
struct TextField: Hashable, Sendable {
    /// The text, by grapheme cluster.
    private(set) var characters: [Character]
    /// The cursor position, in `0 ... characters.count`.
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

    /// Inserts `text` at the cursor. Clusters at its ends may join with their neighbours.
    ///
    /// - Complexity: O(*n*) in the number of characters after the cursor, which move. Only clusters
    ///   next to the cursor are examined.
    mutating func insert(_ text: String) {
        let first = max(0, cursor - Self.joined)
        let end = min(characters.count, cursor + Self.joined)
        let head = String(characters[first..<cursor]) + text
        let whole = Array(head + String(characters[cursor..<end]))
        cursor = first + min(head.count, whole.count)
        characters.replaceSubrange(first..<end, with: whole)
    }

    /// The number of neighbouring clusters that inserted text may join with: marks, joiners, the
    /// halves of a flag.
    private static let joined = 8

    mutating func apply(_ edit: Edit) {
        switch edit {
        case .eraseBackwards: if cursor > 0 { remove(cursor - 1..<cursor) }
        case .eraseForwards: if cursor < characters.count { remove(cursor..<cursor + 1) }
        case .wordLeft: cursor = wordStart()
        case .wordRight: cursor = wordEnd()
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .start: cursor = 0
        case .end: cursor = characters.count
        case .eraseWord: remove(wordStart()..<cursor)
        case .eraseToStart: remove(0..<cursor)
        case .eraseToEnd: remove(cursor..<characters.count)
        }
    }

    /// Replaces a range of characters and places the cursor after the replacement.
    mutating func replace(_ range: Range<Int>, with text: String) {
        let range = range.clamped(to: 0..<characters.count)
        characters.removeSubrange(range)
        cursor = range.lowerBound
        insert(text)
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
