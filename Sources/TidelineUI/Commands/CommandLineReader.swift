/// Reads a command line in one pass, and finds its words, quotes and placeholders. In a line for
/// the shell, the reader follows quotes and expansions to know the context of each placeholder.
struct CommandLineReader {
    /// A part of the line with its own rules.
    private enum Context {
        case singleQuotes, doubleQuotes
        /// `$(…)` or `(…)`.
        case parentheses
        /// `$((…))` or `((…))`. Each open parenthesis adds one context.
        case arithmetic
        /// `${…}`.
        case expansion
        case backquotes
        case comment
        /// The rest of the line after `<<`. The reader doesn't look for the end of the
        /// here-document.
        case hereDocument

        /// The reason why a placeholder isn't allowed in this context; `nil` if it is allowed.
        var problem: String? {
            switch self {
            case .parentheses, .comment: nil
            case .singleQuotes, .doubleQuotes: "is quoted already: remove the quotes around it"
            case .arithmetic:
                "can't be a part of an arithmetic expression, which the shell evaluates"
            case .expansion: "can't be inside ${…}"
            case .backquotes: "can't be inside backquotes: use $(…)"
            case .hereDocument: "can't be after <<: use printf %s and a pipe"
            }
        }
    }

    private typealias Problem = CommandTemplate.Problem

    /// The unchanged line, with its placeholders.
    private(set) var line = TemplateText()
    /// The commands of the line, without quotes. Only a line for the shell can have several.
    private(set) var commands: [CommandWords] = []

    private let isShell: Bool
    private var rest: Substring.UnicodeScalarView
    private var previous: Unicode.Scalar = " "
    /// The open contexts, the innermost last.
    private var contexts: [Context] = []
    /// The open commands, each nested in the previous command.
    private var openCommands = [CommandWords()]

    init(_ text: String, isShell: Bool) throws(CommandTemplate.Problem) {
        self.isShell = isShell
        rest = Substring(text).unicodeScalars
        while let character = rest.first {
            if character == "{", previous != "$", try readName() { continue }
            rest.removeFirst()
            line.add(character)
            let before = previous
            previous = character
            try read(character, after: before)
        }
        if !isShell, let open = contexts.last {
            let quote = open == .singleQuotes ? "'" : "\""
            throw Problem(message: "a quote (\(quote)) isn't closed")
        }
        commands += openCommands
    }

    private mutating func read(
        _ character: Unicode.Scalar, after before: Unicode.Scalar
    ) throws(CommandTemplate.Problem) {
        switch (contexts.last, character) {
        case (.singleQuotes, "'"), (.doubleQuotes, "\""), (.expansion, "}"), (.arithmetic, ")"):
            contexts.removeLast()
        case (.singleQuotes, _): add(character)
        case (.doubleQuotes, "\\"): try readEscaped(among: "\"\\$`")
        case (.doubleQuotes, _): if !startExpansion(character) { add(character) }
        case (.expansion, "\\"), (.arithmetic, "\\"): try readEscaped()
        case (.expansion, "'"), (.expansion, "\""): startQuotes(character)
        case (.arithmetic, "("): contexts.append(.arithmetic)
        case (.expansion, _), (.arithmetic, _): _ = startExpansion(character)
        case (.comment, "\n"):
            contexts.removeLast()
            endCommand()
        case (.comment, _), (.hereDocument, _): break
        case (.parentheses, _), (.backquotes, _), (nil, _):
            try readPlain(character, after: before)
        }
    }

    /// Reads a character outside of quotes.
    private mutating func readPlain(
        _ character: Unicode.Scalar, after before: Unicode.Scalar
    ) throws(CommandTemplate.Problem) {
        switch character {
        case "'", "\"": startQuotes(character)
        case "\\": try readEscaped()
        case "\n" where isShell: endCommand()
        case _ where character.properties.isWhitespace:
            openCommands[openCommands.count - 1].endWord()
        case _ where !isShell:
            try check(character)
            add(character)
        default: if !startExpansion(character) { readOperator(character, after: before) }
        }
    }

    /// Reads an operator of the shell, or a character of a word.
    private mutating func readOperator(
        _ character: Unicode.Scalar, after before: Unicode.Scalar
    ) {
        switch character {
        case "`": endInnerCommand()
        case "(": startParentheses()
        case ")" where contexts.last == .parentheses: endInnerCommand()
        // `2>&1` and `>|` are redirections.
        case "&" where before == "<" || before == ">", "|" where before == ">": add(character)
        case ")", ";", "|", "&": endCommand()
        case "#" where before.properties.isWhitespace || ";|&()".unicodeScalars.contains(before):
            contexts.append(.comment)
        case "<" where before == "<":
            // `<<<` is followed by a word.
            if take("<") { add("<") } else { contexts.append(.hereDocument) }
        default: add(character)
        }
    }

    /// Starts an expansion with `$` or a backquote, in a line for the shell.
    private mutating func startExpansion(_ character: Unicode.Scalar) -> Bool {
        guard isShell else { return false }
        if character == "`", contexts.last != .backquotes {
            contexts.append(.backquotes)
            startInnerCommand()
        } else if character == "$", take("{") {
            contexts.append(.expansion)
            add("")
        } else if character == "$", take("(") {
            add("")
            startParentheses()
        } else {
            return false
        }
        return true
    }

    private mutating func startParentheses() {
        if take("(") {
            contexts += [.arithmetic, .arithmetic]
        } else {
            contexts.append(.parentheses)
            startInnerCommand()
        }
    }

    private mutating func startQuotes(_ quote: Unicode.Scalar) {
        contexts.append(quote == "'" ? .singleQuotes : .doubleQuotes)
        add("")
    }

    private mutating func startInnerCommand() { openCommands.append(CommandWords()) }

    private mutating func endInnerCommand() {
        contexts.removeLast()
        commands.append(openCommands.removeLast())
    }

    private mutating func endCommand() {
        commands.append(openCommands.removeLast())
        openCommands.append(CommandWords())
    }

    /// Reads the character after a backslash, which loses its special meaning. In quotes, a
    /// backslash escapes only some characters.
    private mutating func readEscaped(
        among special: String? = nil
    ) throws(CommandTemplate.Problem) {
        guard let next = rest.first, special?.unicodeScalars.contains(next) ?? true else {
            return add("\\")
        }
        if isShell, let name = Self.name(at: rest)?.name,
            CommandTemplate.Placeholder(rawValue: name) != nil
        {
            throw Problem(
                message: "{\(name)} is after a backslash: to write it as text, use {{\(name)}}")
        }
        rest.removeFirst()
        line.add(next)
        add(next)
    }

    /// Adds a character to the current word.
    private mutating func add(_ character: Unicode.Scalar) { add(String(character)) }

    /// Adds a text to the current word, or to a new word.
    private mutating func add(_ text: String) {
        openCommands[openCommands.count - 1].add { $0.add(text) }
    }

    /// Reads the next character if it equals `character`. Returns whether it does.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        line.add(character)
        previous = character
        return true
    }

    /// Throws an error for a character that has a meaning only for a shell.
    private func check(_ character: Unicode.Scalar) throws(CommandTemplate.Problem) {
        let isExpansion =
            character == "$"
            && rest.first.map {
                $0.properties.isAlphabetic || "_{(".unicodeScalars.contains($0)
            } == true
        guard isExpansion || "`|&;<>".unicodeScalars.contains(character) else { return }
        throw Problem(message: "\(character) needs shell: true, or quotes around it")
    }

    // MARK: Placeholders

    /// Reads a name in braces. `{{name}}` means `{name}`, and `${name}` is left to the shell.
    private mutating func readName() throws(CommandTemplate.Problem) -> Bool {
        if let found = Self.name(at: rest.dropFirst()), found.rest.first == "}" {
            rest = found.rest.dropFirst()
            line.add("{\(found.name)}")
            add("{\(found.name)}")
        } else if let found = Self.name(at: rest) {
            let placeholder = try placeholder(found.name)
            rest = found.rest
            line.add(placeholder)
            if contexts.last != .comment {
                openCommands[openCommands.count - 1].add { $0.add(placeholder) }
            }
        } else {
            return false
        }
        previous = "}"
        return true
    }

    /// Returns the placeholder with the given name. Throws an error if the placeholder isn't
    /// allowed in the current context.
    private func placeholder(
        _ name: String
    ) throws(CommandTemplate.Problem) -> CommandTemplate.Placeholder {
        guard let placeholder = CommandTemplate.Placeholder(rawValue: name) else {
            let known = CommandTemplate.Placeholder.allCases.map(\.notation)
            throw Problem(
                message: "unknown placeholder {\(name)}; the placeholders are "
                    + "\(known.joined(separator: ", ")); to write {\(name)} as text, "
                    + "use {{\(name)}}")
        }
        if isShell, let problem = contexts.last?.problem {
            throw Problem(message: "\(placeholder.notation) \(problem)")
        }
        return placeholder
    }

    /// Returns the name in braces at the start of a text, and the text after the closing brace.
    private static func name(
        at text: Substring.UnicodeScalarView
    ) -> (name: String, rest: Substring.UnicodeScalarView)? {
        guard text.first == "{" else { return nil }
        let name = text.dropFirst().prefix { $0.isASCII && $0.properties.isAlphabetic }
        let end = text[name.endIndex...]
        guard !name.isEmpty, end.first == "}" else { return nil }
        return (String(name), end.dropFirst())
    }
}
