/// A text with placeholders.
struct TemplateText: Hashable {
    private var earlier: [CommandTemplate.Piece] = []
    private var text = ""

    var pieces: [CommandTemplate.Piece] { text.isEmpty ? earlier : earlier + [.text(text)] }
    var placeholders: Set<CommandTemplate.Placeholder> { Set(pieces.compactMap(\.placeholder)) }
    /// The first placeholder.
    var placeholder: CommandTemplate.Placeholder? {
        earlier.lazy.compactMap(\.placeholder).first
    }
    /// The text before the first placeholder.
    var start: String {
        if case .text(let text)? = earlier.first { text } else { earlier.isEmpty ? text : "" }
    }

    mutating func add(_ character: Unicode.Scalar) { text.unicodeScalars.append(character) }

    mutating func add(_ text: String) { self.text += text }

    mutating func add(_ placeholder: CommandTemplate.Placeholder) {
        if !text.isEmpty { earlier.append(.text(text)) }
        earlier.append(.value(placeholder))
        text = ""
    }
}

extension CommandTemplate.Piece {
    fileprivate var placeholder: CommandTemplate.Placeholder? {
        if case .value(let placeholder) = self { placeholder } else { nil }
    }
}

/// The words of one command of a line.
struct CommandWords {
    private(set) var words: [TemplateText] = []
    private var isInWord = false

    /// Applies a change to the current word, or to a new one.
    mutating func add(_ change: (inout TemplateText) -> Void) {
        if !isInWord { words.append(TemplateText()) }
        isInWord = true
        change(&words[words.count - 1])
    }

    mutating func endWord() { isInWord = false }

    /// Checks that a value is used neither as the program nor as a script, because any device may
    /// have written the value.
    func check(isShell: Bool) throws(CommandTemplate.Problem) {
        if let placeholder = (isShell ? program : words.first)?.placeholder {
            throw CommandTemplate.Problem(
                message: "\(placeholder.notation) can't be the program")
        }
        var shell: String?
        var option: String?
        var rest = words[...]
        while let word = rest.popFirst() {
            if let name = shell, let before = option {
                if let placeholder = word.placeholder {
                    throw CommandTemplate.Problem(
                        message: "\(placeholder.notation) can't be a part of a script: use "
                            + "shell: true instead of \(name) \(before)")
                }
                // The script is the first word that isn't an option. `-o` is followed by the name
                // of an option.
                if !word.start.hasPrefix("-"), !word.start.hasPrefix("+") {
                    (shell, option) = (nil, nil)
                } else if word.start.hasSuffix("o") {
                    _ = rest.popFirst()
                }
            } else if shell != nil, Self.isScriptOption(word.start) {
                option = word.start
            } else if let name = word.start.split(separator: "/").last.map(String.init),
                Self.shells.contains(name)
            {
                shell = name
            }
        }
    }

    /// The word that names the program in a line for the shell. Keywords, assignments and
    /// redirections can come before it.
    private var program: TemplateText? {
        var rest = words[...]
        while let word = rest.popFirst() {
            let start = word.start
            if start.hasSuffix("<") || start.hasSuffix(">"), word.placeholder == nil {
                _ = rest.popFirst()
            } else if !Self.keywords.contains(start), !start.contains(where: "=<>".contains) {
                return word
            }
        }
        return nil
    }

    /// Returns whether the shell runs the next word: `-c`, `-ec`, `-lc`.
    private static func isScriptOption(_ word: String) -> Bool {
        let letters = word.dropFirst()
        return word.hasPrefix("-") && letters.contains("c")
            && letters.allSatisfy { $0.isASCII && $0.isLetter }
    }

    private static let shells: Set = [
        "sh", "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "tcsh", "zsh",
    ]
    private static let keywords: Set = [
        "!", "{", "do", "elif", "else", "if", "then", "time", "until", "while",
    ]
}
