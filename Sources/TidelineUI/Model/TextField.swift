import TidelineCore

/// A text being edited, usually of one line, with its cursor.
struct TextField: Hashable, Sendable {
    /// The text, by grapheme cluster.
    private(set) var characters: [Character]
    /// The cursor position, in `0 ... characters.count`.
    private(set) var cursor: Int { didSet { goal = nil } }
    /// The column that the cursor returns to after moving through shorter lines.
    private var goal: Int?

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String {
        get { String(characters) }
        set { self = TextField(newValue) }
    }

    var isEmpty: Bool { characters.isEmpty }

    /// Inserts `text` at the cursor. The first and the last cluster of `text` may merge with
    /// neighboring clusters.
    ///
    /// - Complexity: O(*n*) in the number of characters after the cursor, which move. Only the
    ///   clusters next to the cursor are examined.
    mutating func insert(_ text: String) {
        let first = max(0, cursor - Self.joined)
        let end = min(characters.count, cursor + Self.joined)
        let head = String(characters[first..<cursor]) + text
        let whole = Array(head + String(characters[cursor..<end]))
        cursor = first + min(head.count, whole.count)
        characters.replaceSubrange(first..<end, with: whole)
    }

    /// The number of neighboring clusters that inserted text may merge with: marks, joiners, the
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
        case .start: cursor = lineStart()
        case .end: cursor = lineEnd()
        case .eraseWord: remove(wordStart()..<cursor)
        case .eraseToStart: remove(lineStart()..<cursor)
        case .eraseToEnd:
            // At the end of a line, join the line with the next one.
            let end = lineEnd()
            remove(cursor..<(end > cursor ? end : min(end + 1, characters.count)))
        }
    }

    /// Moves the cursor to the start or the end of the whole text.
    mutating func moveToEnd(isLast: Bool) { cursor = isLast ? characters.count : 0 }

    /// Moves the cursor to the character that contains a UTF-8 offset of the text.
    ///
    /// - Complexity: O(*n*) in the offset.
    mutating func move(toUTF8Offset offset: Int) {
        var end = 0
        cursor =
            characters.firstIndex { character in
                end += character.utf8.count
                return end > offset
            } ?? characters.count
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

    private func lineStart() -> Int {
        characters[..<cursor].lastIndex(where: \.isNewline).map { $0 + 1 } ?? 0
    }

    private func lineEnd() -> Int {
        characters[cursor...].firstIndex(where: \.isNewline) ?? characters.count
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

// MARK: Several lines

extension TextField {
    /// Returns the lines of the text in a box, as ranges of characters without their line breaks.
    /// Long lines are broken after a space, or anywhere if there is none.
    ///
    /// - Parameter columns: The width of the box. A column is left free for the cursor.
    func lines(columns: Int) -> [Range<Int>] {
        let most = max(1, columns - 1)
        var lines: [Range<Int>] = []
        var start = 0
        var width = 0
        var gap: Int?
        for (index, character) in characters.enumerated() {
            if character.isNewline {
                lines.append(start..<index)
                (start, width, gap) = (index + 1, 0, nil)
                continue
            }
            let own = CharacterWidth.width(of: character)
            if width + own > most, index > start {
                let end = gap ?? index
                lines.append(start..<end)
                width = self.width(of: end..<index)
                (start, gap) = (end, nil)
            }
            width += own
            if character == " " { gap = index + 1 }
        }
        lines.append(start..<characters.count)
        return lines
    }

    func cursorLine(in lines: [Range<Int>]) -> Int {
        lines.lastIndex { $0.lowerBound <= cursor } ?? 0
    }

    /// Moves the cursor by lines of a box, and keeps its column if the lines are long enough.
    ///
    /// - Returns: Whether a line exists in that direction.
    mutating func move(byLines step: Int, columns: Int) -> Bool {
        let lines = lines(columns: columns)
        let current = cursorLine(in: lines)
        let target = current.moved(by: step, of: lines.count)
        guard target != current else { return false }
        let goal = goal ?? width(of: lines[current].lowerBound..<cursor)
        // If a line is only broken for display, its end is the start of the next line.
        let isBroken =
            target + 1 < lines.count && lines[target + 1].lowerBound == lines[target].upperBound
        let end = max(lines[target].lowerBound, lines[target].upperBound - (isBroken ? 1 : 0))
        var place = lines[target].lowerBound
        var width = 0
        while place < end {
            width += CharacterWidth.width(of: characters[place])
            if width > goal { break }
            place += 1
        }
        cursor = place
        self.goal = goal
        return true
    }

    private func width(of range: Range<Int>) -> Int {
        characters[range].reduce(0) { $0 + CharacterWidth.width(of: $1) }
    }
}

extension TextField {
    /// An edit of a line of text. The raw value is the action's name.
    enum Edit: String, Hashable, Sendable, CaseIterable {
        case left = "text-left"
        case right = "text-right"
        case wordLeft = "text-word-left"
        case wordRight = "text-word-right"
        case start = "text-start"
        case end = "text-end"
        case eraseBackwards = "text-erase"
        case eraseForwards = "text-erase-next"
        case eraseWord = "text-erase-word"
        case eraseToStart = "text-erase-to-start"
        case eraseToEnd = "text-erase-to-end"

        var title: String {
            switch self {
            case .left: "Previous character"
            case .right: "Next character"
            case .wordLeft: "Previous word"
            case .wordRight: "Next word"
            case .start: "Start of line"
            case .end: "End of line"
            case .eraseBackwards: "Delete previous character"
            case .eraseForwards: "Delete next character"
            case .eraseWord: "Delete previous word"
            case .eraseToStart: "Delete to start of line"
            case .eraseToEnd: "Delete to end of line"
            }
        }
    }
}
