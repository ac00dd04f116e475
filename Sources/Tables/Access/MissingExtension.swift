/// A missing part of SQLite that a file needs.
struct MissingExtension {
    enum Kind: String {
        case collation, function, module, tokenizer
    }

    let kind: Kind
    let name: String

    /// Reads SQLite's message about a missing part; `nil` for other messages.
    init?(_ message: String) {
        for (beginning, kind) in Self.beginnings where message.hasPrefix(beginning) {
            self.kind = kind
            let name = message.dropFirst(beginning.count)
            self.name = String(name.hasSuffix("()") ? name.dropLast(2) : name)
            return
        }
        return nil
    }

    private static let beginnings: [(String, Kind)] = [
        ("no such collation sequence: ", .collation), ("no such function: ", .function),
        ("unknown function: ", .function), ("no such module: ", .module),
        ("no such tokenizer: ", .tokenizer), ("unknown tokenizer: ", .tokenizer),
    ]
}
