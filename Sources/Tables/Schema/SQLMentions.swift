import GRDBSQLite

/// The names in an SQL text that can be functions and collations.
///
/// Finding names needs no database, but can't distinguish a function from the name of a type or a
/// table with a parenthesis after it.
struct SQLMentions {
    struct Function {
        let name: String
        /// Whether the name is called with `OVER` or `FILTER`.
        var isWindow = false
        /// Whether a `CHECK` constraint calls it.
        var isInCheck = false
    }

    /// The names that can be functions, each once.
    private(set) var functions: [Function] = []
    private(set) var collations: [String] = []
    private var numbers: [[UInt8]: Int] = [:]
    /// The maximum number of names of each kind.
    private static let limit = 1024

    private enum Token {
        case word([UInt8])
        case quoted([UInt8])
        case symbol(UInt8)

        /// The token as a keyword in upper case; empty if it can't be one.
        var keyword: String {
            guard case .word(let bytes) = self else { return "" }
            return String(decoding: bytes, as: UTF8.self).uppercased()
        }

        var name: String? {
            switch self {
            case .word(let bytes), .quoted(let bytes): String(decoding: bytes, as: UTF8.self)
            case .symbol: nil
            }
        }
    }

    init() {}

    init(_ sql: String) { add(sql) }

    /// Adds the names in another text.
    mutating func add(_ sql: String) {
        var rest = ArraySlice(sql.utf8)
        var before: Token?
        var beforeThat: Token?
        var open: [Int?] = []
        /// The number of open parentheses outside the current `CHECK` constraint.
        var check: Int?
        var closed: Int?
        while let token = Self.next(&rest) {
            let justClosed = closed
            closed = nil
            switch token {
            case .symbol(UInt8(ascii: "(")):
                if check == nil, before?.keyword == "CHECK" { check = open.count }
                let called = before.flatMap { function($0, after: beforeThat) }
                if check != nil, let called { functions[called].isInCheck = true }
                open.append(called)
            case .symbol(UInt8(ascii: ")")):
                closed = open.popLast() ?? nil
                if open.count == check { check = nil }
            case .symbol: break
            case .word, .quoted:
                let keyword = token.keyword
                if keyword == "REGEXP", let called = note("regexp") {
                    if check != nil { functions[called].isInCheck = true }
                }
                if let justClosed, keyword == "OVER" || keyword == "FILTER" {
                    functions[justClosed].isWindow = true
                }
                if before?.keyword == "COLLATE", let name = token.name,
                    collations.count < Self.limit,
                    !collations.contains(where: { SQLName.areSame($0, name) })
                {
                    collations.append(name)
                }
            }
            (beforeThat, before) = (before, token)
        }
    }

    /// Returns the number of the function that a token before a parenthesis names.
    private mutating func function(_ token: Token, after before: Token?) -> Int? {
        guard let name = token.name, !Self.keywords.contains(token.keyword) else { return nil }
        if case .quoted = before { return nil }
        if case .word = before, let word = before?.keyword {
            // After another name, this is the type of a column.
            guard Self.keywords.contains(word), !Self.beforeNames.contains(word) else { return nil }
        }
        return note(name)
    }

    /// Keywords before the names of tables and types.
    private static let beforeNames: Set<String> = [
        "TABLE", "EXISTS", "REFERENCES", "INTO", "USING", "AS",
    ]

    private mutating func note(_ name: String) -> Int? {
        let key = SQLName.folded(name)
        if let known = numbers[key] { return known }
        guard functions.count < Self.limit else { return nil }
        numbers[key] = functions.count
        functions.append(Function(name: name))
        return functions.count - 1
    }

    /// Removes and returns the next token that isn't white space, a comment or a text.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> Token? {
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"): _ = quoted(&rest, until: byte)
            case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(quoted(&rest, until: byte))
            case UInt8(ascii: "["):
                let name = Array(rest.prefix { $0 != UInt8(ascii: "]") })
                rest = rest.dropFirst(name.count + 1)
                return .quoted(name)
            case UInt8(ascii: "-") where rest.first == byte:
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where rest.first == UInt8(ascii: "*"):
                rest = rest.dropFirst()
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") { break }
                }
                rest = rest.dropFirst()
            case _ where isInWord(byte):
                let word = [byte] + rest.prefix(while: isInWord)
                rest = rest.dropFirst(word.count - 1)
                return .word(word)
            case 0...32: break
            default: return .symbol(byte)
            }
        }
        return nil
    }

    /// Removes and returns a text up to its closing quote, with doubled quotes as one.
    private static func quoted(_ rest: inout ArraySlice<UInt8>, until quote: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first == quote else { break }
                rest = rest.dropFirst()
            }
            text.append(byte)
        }
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
