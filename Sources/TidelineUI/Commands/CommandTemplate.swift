/// The command line of a custom command, with placeholders.
///
/// The line is split into words before the placeholders get their values, so that a value is always
/// a part of one word. In a line for the shell, placeholders are expansions of variables, whose
/// content the shell doesn't interpret. This doesn't protect from programs that interpret their
/// arguments.
struct CommandTemplate: Hashable, Sendable {
    /// A name in braces that a value replaces.
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

    enum Piece: Hashable {
        case text(String)
        case value(Placeholder)
    }

    private enum Form: Hashable {
        case words([[Piece]])
        case shell([Piece])
    }

    private let form: Form
    let placeholders: Set<Placeholder>

    /// Parses a command line.
    ///
    /// - Parameter isShell: Whether the shell runs the line. If not, the initializer splits the
    ///   line into words.
    init(_ line: String, isShell: Bool) throws(Problem) {
        guard line.contains(where: { !$0.isWhitespace }) else {
            throw Problem(message: "the command is empty")
        }
        guard !line.unicodeScalars.contains("\0") else {
            throw Problem(message: "the command contains a null character")
        }
        let reader = try CommandLineReader(line, isShell: isShell)
        for command in reader.commands { try command.check(isShell: isShell) }
        form = isShell ? .shell(reader.line.pieces) : .words(reader.commands[0].words.map(\.pieces))
        placeholders = reader.line.placeholders
    }

    /// Returns the program and its arguments, given the values of all placeholders that occur.
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
