/// The help of a command in the width of the terminal.
enum HelpText {
    private static let start = "USAGE: "

    /// Wraps the usage, which the parser prints as a single line. An option stays on one line with
    /// its value.
    static func wrappingUsage(in help: String, columns: Int) -> String {
        help.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { line in
                line.hasPrefix(start) ? wrap(parts(of: line), columns) : [String(line)]
            }
            .joined(separator: "\n")
    }

    private static func wrap(_ parts: [String], _ columns: Int) -> [String] {
        let indent = String(repeating: " ", count: start.count)
        var lines: [String] = []
        for part in parts {
            if let line = lines.last, line.count + 1 + part.count <= columns {
                lines[lines.count - 1] += " \(part)"
            } else {
                lines.append(lines.isEmpty ? part : indent + part)
            }
        }
        return lines
    }

    /// Returns the parts of the usage: words, texts in brackets, and options with their values.
    private static func parts(of usage: Substring) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in usage.split(separator: " ") {
            let isValue = word.hasPrefix("<") && parts.last?.hasPrefix("--") == true
            if let last = parts.last, depth > 0 || isValue {
                parts[parts.count - 1] = "\(last) \(word)"
            } else {
                parts.append(String(word))
            }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        return parts
    }
}
