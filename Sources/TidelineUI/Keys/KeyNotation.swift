/// The notation for keys in the configuration and in help: `j`, `^d`, `gg`, `S-Left`, `M-5`,
/// `PgDn`.
public enum KeyNotation {
    private static let named: [(String, Key.Code)] = [
        ("Enter", .enter), ("Esc", .escape), ("Tab", .tab), ("BackTab", .backTab),
        ("Up", .up), ("Down", .down), ("Left", .left), ("Right", .right),
        ("Home", .home), ("End", .end), ("PgUp", .pageUp), ("PgDn", .pageDown),
        ("Ins", .insert), ("Del", .delete), ("Backspace", .backspace),
        ("Space", .character(" ")),
    ]

    private static let symbols: [Key.Code: String] = [
        .up: "↑", .down: "↓", .left: "←", .right: "→", .backTab: "S-Tab",
    ]

    /// Returns the text that help shows for a key.
    public static func text(for key: Key) -> String {
        var text = ""
        if key.modifiers.contains(.alt) { text += "M-" }
        if key.modifiers.contains(.shift) { text += "S-" }
        if key.modifiers.contains(.control) { text += "^" }
        switch key.code {
        case .character(let character) where character != " ": text.append(character)
        case .function(let number): text += "F\(number)"
        default:
            text += symbols[key.code] ?? named.first { $0.1 == key.code }?.0 ?? "?"
        }
        return text
    }

    /// Returns the text that help shows for a sequence of keys.
    public static func text(for keys: [Key]) -> String {
        keys.map { text(for: $0) }.joined(separator: keys.allSatisfy(isPlain) ? "" : " ")
    }

    private static func isPlain(_ key: Key) -> Bool {
        if case .character = key.code { key.modifiers.isEmpty } else { false }
    }

    /// Parses a sequence of keys, such as `gg`, `^x ^s` or `PgDn`.
    ///
    /// - Returns: The keys, or `nil` if a part of the text isn't a key.
    public static func keys(in text: String) -> [Key]? {
        var keys: [Key] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if let key = key(named: String(word)) {
                keys.append(key)
            } else if !word.hasPrefix("^"), !word.contains("-") || word.count < 3 {
                keys += word.map { Key(.character($0)) }
            } else {
                return nil
            }
        }
        return keys.isEmpty ? nil : keys
    }

    private static func key(named text: String) -> Key? {
        var rest = text[...]
        var modifiers: Key.Modifiers = []
        while rest.count > 1 {
            if rest.hasPrefix("M-"), rest.count > 2 {
                modifiers.insert(.alt)
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("S-"), rest.count > 2 {
                modifiers.insert(.shift)
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("^") {
                modifiers.insert(.control)
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        if rest == "Tab", modifiers == .shift { return Key(.backTab) }
        if let code = named.first(where: { $0.0.lowercased() == rest.lowercased() })?.1 {
            return Key(code, modifiers)
        }
        if let code = symbols.first(where: { $0.value == rest })?.key {
            return Key(code, modifiers)
        }
        if rest.count == 1, let character = rest.first {
            return Key(.character(character), modifiers)
        }
        if rest.first == "F", let number = Int(rest.dropFirst()), (1...24).contains(number) {
            return Key(.function(number), modifiers)
        }
        return nil
    }
}
