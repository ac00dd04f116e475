import Foundation
import GRDBSQLite

/// The names in an SQL text that can be functions and collations.
///
/// Finding the names doesn't require a database. Without a database, a function looks the same as
/// the name of a type or table before a parenthesis.
struct SQLMentions {
    struct Function {
        let name: String
        /// Whether only aggregate and window functions can be called in this form.
        var isAggregate = false
        /// Whether the name is called in a statement that doesn't create a view.
        var isInTable = false
        /// Whether the name is called in a `CHECK` constraint.
        var isInCheck = false
    }

    /// The names that can be functions, each once.
    private(set) var functions: [Function] = []
    private(set) var collations: [String] = []
    private var numbers: [[UInt8]: Int] = [:]
    /// The maximum number of names of each kind.
    private static let limit = 1024

    struct Token {
        enum Kind { case word, symbol, quoted(UInt8) }

        let kind: Kind
        /// The bytes without the quotes around them.
        let bytes: ArraySlice<UInt8>
        /// A word in upper case, if it can be a keyword; otherwise empty.
        let keyword: String

        init(_ kind: Kind, _ bytes: ArraySlice<UInt8>) {
            self.kind = kind
            self.bytes = bytes
            guard case .word = kind, bytes.count <= 20 else {
                keyword = ""
                return
            }
            keyword = String(
                decoding: bytes.lazy.map { (97...122).contains($0) ? $0 - 32 : $0 }, as: UTF8.self)
        }

        var name: String? {
            switch kind {
            case .word: return String(decoding: bytes, as: UTF8.self)
            case .symbol: return nil
            case .quoted(let quote):
                let text = String(decoding: bytes, as: UTF8.self)
                let mark = String(UnicodeScalar(quote))
                return quote == UInt8(ascii: "]")
                    ? text : text.replacingOccurrences(of: mark + mark, with: mark)
            }
        }

        func isSymbol(_ symbol: Unicode.Scalar) -> Bool {
            guard case .symbol = kind else { return false }
            return bytes.first == UInt8(ascii: symbol)
        }
    }

    init() {}

    init(_ sql: String) { add(sql) }

    /// Adds the names in another text.
    mutating func add(_ sql: String) {
        var rest = ArraySlice(sql.utf8)
        var before: Token?
        var beforeThat: Token?
        /// The function before each open parenthesis.
        var open: [Int?] = []
        /// The number of parentheses that were open before the current `CHECK` constraint; `nil`
        /// outside of constraints.
        var check: Int?
        var closed: Int?
        /// Whether the statement creates an index, and the table of the index hasn't been read yet.
        var isIndex = false
        var isView = false
        while let token = Self.next(&rest) {
            let justClosed = closed
            closed = nil
            if token.keyword == "VIEW", ["CREATE", "TEMP", "TEMPORARY"].contains(before?.keyword) {
                isView = true
            }
            if let number = open.last ?? nil {
                // `total(DISTINCT n)`, `list(n ORDER BY id)`
                let isFirst = before?.isSymbol("(") ?? false
                if token.keyword == "DISTINCT" && isFirst || token.keyword == "ORDER" {
                    functions[number].isAggregate = true
                }
            }
            if token.isSymbol("(") {
                if check == nil, before?.keyword == "CHECK" { check = open.count }
                let isTable = isIndex && beforeThat?.keyword == "ON"
                if isTable { isIndex = false }
                let number =
                    isTable ? nil : before.flatMap { function($0, after: beforeThat, check != nil) }
                if let number, !isView { functions[number].isInTable = true }
                open.append(number)
            } else if token.isSymbol(")") {
                closed = open.popLast() ?? nil
                if open.count == check { check = nil }
            } else if token.keyword == "REGEXP" {
                _ = note("regexp", check != nil)
            } else if token.keyword == "INDEX" {
                isIndex = ["CREATE", "UNIQUE"].contains(before?.keyword)
            } else if let justClosed, token.keyword == "OVER" || token.keyword == "FILTER" {
                functions[justClosed].isAggregate = true
            } else if before?.keyword == "COLLATE", let name = token.name,
                collations.count < Self.limit,
                !collations.contains(where: { SQLName.areSame($0, name) })
            {
                collations.append(name)
            }
            (beforeThat, before) = (before, token)
        }
    }

    /// Returns the number of the function that a token before a parenthesis names.
    private mutating func function(
        _ token: Token, after before: Token?, _ isInCheck: Bool
    ) -> Int? {
        guard let name = token.name, !Self.keywords.contains(token.keyword) else { return nil }
        switch before?.kind {
        // After another name, this is the type of a column.
        case .quoted: return nil
        case .word:
            let word = before?.keyword ?? ""
            guard Self.keywords.contains(word), !Self.beforeNames.contains(word) else { return nil }
        case .symbol, nil: break
        }
        return note(name, isInCheck)
    }

    /// Keywords before the names of tables and types.
    private static let beforeNames: Set<String> = [
        "TABLE", "EXISTS", "REFERENCES", "INTO", "USING", "AS",
    ]

    private mutating func note(_ name: String, _ isInCheck: Bool) -> Int? {
        let key = SQLName.folded(name)
        let number = numbers[key] ?? functions.count
        if number == functions.count {
            guard number < Self.limit else { return nil }
            numbers[key] = number
            functions.append(Function(name: name))
        }
        if isInCheck { functions[number].isInCheck = true }
        return number
    }

    /// Returns the tokens of an SQL text, except white space, comments and texts.
    static func tokens(of sql: String) -> [Token] {
        var rest = ArraySlice(sql.utf8)
        var tokens: [Token] = []
        while let token = next(&rest) { tokens.append(token) }
        return tokens
    }

    /// Removes and returns the next token that isn't white space, a comment or a text.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> Token? {
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "'"):
                rest.removeFirst()
                _ = quoted(&rest, until: byte)
            case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                rest.removeFirst()
                let quote = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
                return Token(.quoted(quote), quoted(&rest, until: quote))
            case UInt8(ascii: "-") where rest.dropFirst().first == byte:
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
                rest = rest.dropFirst(2)
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") { break }
                }
                rest = rest.dropFirst()
            case _ where isInWord(byte):
                let word = rest.prefix(while: isInWord)
                rest = rest.dropFirst(word.count)
                return Token(.word, word)
            case 0...32: rest.removeFirst()
            default:
                defer { rest.removeFirst() }
                return Token(.symbol, rest.prefix(1))
            }
        }
        return nil
    }

    /// Removes a quoted text and its closing quote, and returns the text. Quotes inside the text
    /// stay doubled, as in SQL.
    private static func quoted(
        _ rest: inout ArraySlice<UInt8>, until quote: UInt8
    ) -> ArraySlice<UInt8> {
        let isDoubled = quote != UInt8(ascii: "]")
        var end = rest.startIndex
        while end < rest.endIndex {
            let isQuote = rest[end] == quote
            if isQuote {
                guard isDoubled, end + 1 < rest.endIndex, rest[end + 1] == quote else { break }
                end += 1
            }
            end += 1
        }
        let text = rest[rest.startIndex..<end]
        rest = rest[end...].dropFirst()
        return text
    }

    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// SQLite's keywords, in upper case.
    private static let keywords: Set<String> = {
        var words: Set<String> = []
        for number in 0..<sqlite3_keyword_count() {
            var start: UnsafePointer<CChar>?
            var count: CInt = 0
            guard sqlite3_keyword_name(number, &start, &count) == SQLITE_OK, let start else {
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
            words.insert(String(decoding: bytes, as: UTF8.self))
        }
        return words
    }()
}
