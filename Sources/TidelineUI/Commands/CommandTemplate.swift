import TidelineCore

/// The command line of a custom command, with placeholders.
///
/// The line is split into words before the placeholders get their values, so that a value is always a
/// part of one word. In a line for the shell, placeholders are expansions of variables. The shell
/// doesn't interpret their content, whatever is around them.
struct CommandTemplate: Hashable, Sendable {
    /// A name in braces that stands for a value.
    enum Placeholder: String, Hashable, Sendable, CaseIterable {
        /// The path of the store.
        case path
        /// The name of the pane.
        case pane
        /// The name of the selected row.
        case row
        /// The value of the selected row.
        case value
        /// The device that wrote the selected row.
        case device

        /// Whether the value depends on the selected row.
        var isAboutRow: Bool {
            switch self {
            case .path, .pane: false
            case .row, .value, .device: true
            }
        }

        /// The variable of the shell.
        fileprivate var variable: String { "tideline_\(rawValue)" }
        var notation: String { "{\(rawValue)}" }
    }

    /// The reason why a line isn't a valid command line.
    struct Problem: Error, Equatable {
        var message: String
    }

    private enum Piece: Hashable {
        case text(String)
        case value(Placeholder)

        var isPlaceholder: Bool { if case .value = self { true } else { false } }
        var isBlank: Bool {
            if case .text(let text) = self { text.allSatisfy(\.isWhitespace) } else { false }
        }
    }

    private enum Form: Hashable {
        case words([[Piece]])
        case shell([Piece])
    }

    private let form: Form
    /// The placeholders that occur.
    let placeholders: Set<Placeholder>

    /// Parses a command line.
    ///
    /// - Parameter isShell: Whether the shell runs the line. If not, it's split into words here.
    /// - Throws: ``Problem``.
    init(_ line: String, isShell: Bool) throws(Problem) {
        guard line.contains(where: { !$0.isWhitespace }) else {
            throw Problem(message: "the command is empty")
        }
        guard !line.unicodeScalars.contains("\0") else {
            throw Problem(message: "the command contains a null character")
        }
        let pieces: [Piece]
        let program: Piece?
        if isShell {
            try Self.checkQuotes(around: line)
            pieces = try Self.pieces(of: line)
            form = .shell(pieces)
            program = pieces.first { !$0.isBlank }
        } else {
            var words: [[Piece]] = []
            for word in try Self.words(of: line) { words.append(try Self.pieces(of: word)) }
            pieces = words.flatMap(\.self)
            form = .words(words)
            program = words.first?.first(where: \.isPlaceholder)
        }
        if case .value(let placeholder)? = program {
            // Devices write the values. They must not choose the program.
            throw Problem(message: "\(placeholder.notation) can't be the program")
        }
        placeholders = Set(
            pieces.compactMap { if case .value(let placeholder) = $0 { placeholder } else { nil } })
    }

    /// Returns the program and its arguments.
    ///
    /// - Parameter values: The values of all placeholders that occur.
    func arguments(_ values: [Placeholder: String]) -> [String] {
        switch form {
        case .words(let words):
            return words.map { word in
                word.map { piece in
                    switch piece {
                    case .text(let text): text
                    case .value(let placeholder): values[placeholder] ?? ""
                    }
                }.joined()
            }
        case .shell(let pieces):
            let used = Placeholder.allCases.filter(placeholders.contains)
            let variables = used.enumerated().map { "\($1.variable)=$\($0 + 1)" }
            let line = pieces.map { piece in
                switch piece {
                case .text(let text): text
                case .value(let placeholder): "\"$\(placeholder.variable)\""
                }
            }.joined()
            return ["/bin/sh", "-c", variables.joined(separator: " ") + "\n" + line, "sh"]
                + used.map { values[$0] ?? "" }
        }
    }
}

// MARK: Parsing

extension CommandTemplate {
    /// Splits a line into words, as a shell does: at spaces outside of quotes.
    private static func words(of line: String) throws(Problem) -> [String] {
        var words: [String] = []
        var word: String?
        var scan = QuoteScan()
        var rest = line[...]
        while let character = rest.popFirst() {
            switch scan.read(character, before: rest.first) {
            case .removed: word = word ?? ""
            case .kept: word = (word ?? "") + String(character)
            case .plain where character.isWhitespace:
                if let word { words.append(word) }
                word = nil
            case .plain:
                try check(character, before: rest.first)
                word = (word ?? "") + String(character)
            }
        }
        if let open = scan.open { throw Problem(message: "a quote (\(open)) isn't closed") }
        if let word { words.append(word) }
        return words
    }

    /// Throws an error for a character that has a meaning only for a shell.
    private static func check(_ character: Character, before next: Character?) throws(Problem) {
        let isExpansion =
            character == "`"
            || character == "$" && next.map { $0.isLetter || "_{(".contains($0) } == true
        guard isExpansion || "|&;<>".contains(character) else { return }
        throw Problem(message: "\(character) needs shell: true, or quotes around it")
    }

    /// Throws an error if a placeholder stands inside quotes, which would end there.
    private static func checkQuotes(around line: String) throws(Problem) {
        var scan = QuoteScan()
        var rest = line[...]
        while let character = rest.first {
            if scan.open != nil, let (name, _) = name(at: rest),
                let placeholder = Placeholder(rawValue: name)
            {
                throw Problem(
                    message:
                        "\(placeholder.notation) is quoted already: remove the quotes around it")
            }
            rest.removeFirst()
            _ = scan.read(character, before: rest.first)
            // `${path}` is a variable, and `{{path}}` is text.
            if "${".contains(character), rest.first == "{" { rest.removeFirst() }
        }
    }

    /// Finds the placeholders in a text. `{{name}}` stands for the text `{name}`, and `${name}` is
    /// left to the shell.
    private static func pieces(of text: String) throws(Problem) -> [Piece] {
        var pieces: [Piece] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.first {
            if character == "{", rest.dropFirst().first == "{",
                let (name, end) = name(at: rest.dropFirst()), rest[end...].first == "}"
            {
                plain += "{\(name)}"
                rest = rest[end...].dropFirst()
            } else if plain.last != "$", let (name, end) = name(at: rest) {
                guard let placeholder = Placeholder(rawValue: name) else {
                    let known = Placeholder.allCases.map(\.notation).joined(separator: ", ")
                    throw Problem(
                        message:
                            "unknown placeholder {\(name)}; the placeholders are \(known). For "
                            + "the text itself, write {{\(name)}}")
                }
                if !plain.isEmpty { pieces.append(.text(plain)) }
                plain = ""
                pieces.append(.value(placeholder))
                rest = rest[end...]
            } else {
                plain.append(character)
                rest.removeFirst()
            }
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
        return pieces
    }

    /// Returns the name in braces at the start of a text, and where it ends.
    private static func name(at text: Substring) -> (name: String, end: String.Index)? {
        guard text.first == "{" else { return nil }
        let name = text.dropFirst().prefix { $0.isASCII && $0.isLetter }
        guard !name.isEmpty, text[name.endIndex...].first == "}" else { return nil }
        return (String(name), text.index(after: name.endIndex))
    }
}

/// The quotes of a shell, read character by character.
private struct QuoteScan {
    enum Reading {
        /// A quote or a backslash, which isn't part of the word.
        case removed
        /// A quoted character.
        case kept
        /// A character outside of quotes.
        case plain
    }

    /// The quote that isn't closed yet.
    private(set) var open: Character?
    private var isEscaped = false

    mutating func read(_ character: Character, before next: Character?) -> Reading {
        if isEscaped {
            isEscaped = false
            return .kept
        }
        switch (open, character) {
        case (nil, "\\"):
            guard next != nil else { return .kept }
            isEscaped = true
            return .removed
        case ("\"", "\\"):
            guard let next, "\"\\$`".contains(next) else { return .kept }
            isEscaped = true
            return .removed
        case (nil, "'"), (nil, "\""):
            open = character
            return .removed
        case (let quote?, character) where quote == character:
            open = nil
            return .removed
        case (nil, _): return .plain
        default: return .kept
        }
    }
}
