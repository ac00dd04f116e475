import TidelineCore

/// Completions for the name at the cursor in a query.
struct QueryCompletion: Completion, Hashable, Sendable {
    var range: Range<Int>
    let words: [String]
    var chosen: Int?

    private static let limit = 300
    /// The keywords before the name of a table.
    private static let beforeTables: Set = ["FROM", "JOIN", "INTO", "UPDATE", "TABLE"]

    /// Finds completions at the cursor: after a table and a point, the table's columns; after
    /// `FROM` and `JOIN`, tables; elsewhere, the columns of the query's tables, then all names.
    ///
    /// - Returns: `nil` if nothing can be completed.
    init?(of characters: [Character], at cursor: Int, _ known: QueryWords) {
        let tokens = Self.tokens(characters)
        guard !tokens.contains(where: { $0.isText && $0.range.contains(cursor - 1) }) else {
            return nil
        }
        let word = tokens.first { $0.isName && $0.range.lowerBound < cursor && cursor <= $0.end }
        range = (word?.range.lowerBound ?? cursor)..<cursor
        let start = range.lowerBound
        let typed = Self.name(characters[range]).lowercased()
        let before = tokens.last { $0.end <= start }
        let others = tokens.filter { $0.isName && $0 != word }
        let otherNames = Set(others.map { $0.name.lowercased() })
        let mentioned = known.tables.filter { otherNames.contains($0.name.lowercased()) }
        let names: [String]
        if before?.name == ".", before?.end == start {
            let owner = tokens.last { $0.end < start && $0.isName }?.name ?? ""
            names = Self.table(owner, in: known.tables, others)?.columns ?? []
        } else if Self.beforeTables.contains(before?.name.uppercased() ?? "") {
            names = known.tables.map(\.name)
        } else {
            names =
                mentioned.flatMap(\.columns) + known.tables.map(\.name)
                + known.tables.flatMap(\.columns)
        }
        words = names.filter { $0.lowercased().hasPrefix(typed) }.uniqued { $0.lowercased() }
            .prefix(Self.limit).map(QueryWords.sql)
        if words.isEmpty || words == [String(characters[range])] { return nil }
    }

    /// Whether the text still ends with the chosen completion at the cursor.
    func isShown(in text: TextField) -> Bool {
        guard let chosen, text.cursor == range.upperBound,
            range.upperBound <= text.characters.count
        else { return false }
        return String(text.characters[range]) == words[chosen]
    }

    // MARK: Tokens

    /// A part of a query: a name, a string literal, a comment, or any other character.
    private struct Token: Equatable {
        var range: Range<Int>
        /// The name without quotation marks; for any other token, its first character.
        var name: String
        var isName = false
        /// Whether this is a string literal or a comment.
        var isText = false
        var end: Int { range.upperBound }
    }

    private static func tokens(_ characters: [Character]) -> [Token] {
        var tokens: [Token] = []
        var start = 0
        while start < characters.count {
            let character = characters[start]
            var token = Token(range: start..<start + 1, name: String(character))
            func end(after quote: Character) -> Int {
                var end = start + 1
                while let mark = characters[end...].firstIndex(of: quote) {
                    end = mark + 1
                    // Two quotation marks inside quotation marks stand for one.
                    guard end < characters.count, characters[end] == quote else { return end }
                    end += 1
                }
                return characters.count
            }
            if character == "'" {
                token.range = start..<end(after: "'")
                token.isText = true
            } else if character == "-", characters[start...].starts(with: "--") {
                let end = characters[start...].firstIndex(where: \.isNewline)
                token.range = start..<(end ?? characters.count)
                token.isText = true
            } else if character == "\"" {
                token.range = start..<end(after: "\"")
                token.name = name(characters[token.range])
                token.isName = true
            } else if isPartOfName(character) {
                let end = characters[start...].firstIndex { !isPartOfName($0) }
                token.range = start..<(end ?? characters.count)
                token.name = String(characters[token.range])
                token.isName = true
            }
            if !character.isWhitespace { tokens.append(token) }
            start = token.end
        }
        return tokens
    }

    private static func isPartOfName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "$"
    }

    /// Returns a name without its quotation marks.
    private static func name(_ characters: ArraySlice<Character>) -> String {
        guard characters.first == "\"" else { return String(characters) }
        let isClosed = characters.count > 1 && characters.last == "\""
        return String(characters.dropFirst().dropLast(isClosed ? 1 : 0))
            .replacing("\"\"", with: "\"")
    }

    /// Returns the table with a name or an alias, as in `FROM orders AS o`.
    private static func table(
        _ name: String, in tables: [QueryWords.Table], _ tokens: [Token]
    ) -> QueryWords.Table? {
        func named(_ name: String) -> QueryWords.Table? {
            tables.first { areSame($0.name, name) }
        }
        if let table = named(name) { return table }
        for (index, token) in tokens.enumerated() where areSame(token.name, name) {
            let before = tokens[..<index].last { $0.name.uppercased() != "AS" }
            if let table = before.flatMap({ named($0.name) }) { return table }
        }
        return nil
    }

    private static func areSame(_ lhs: String, _ rhs: String) -> Bool {
        lhs.lowercased() == rhs.lowercased()
    }
}
