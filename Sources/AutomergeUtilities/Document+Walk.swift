public import Automerge

extension Document {
    /// Prints the current content as an indented tree, for debugging.
    ///
    /// - Throws: The errors of ``schema()``.
    public func walk() throws { print(try schema().outline()) }
}

extension AutomergeValue {
    /// Returns the content as lines with sorted keys. Each level is indented by two more spaces.
    func outline(indentation: String = "") -> String {
        let inner = indentation + "  "
        switch self {
        case .dict(let entries):
            if entries.isEmpty { return "{}" }
            let lines = entries.sorted { $0.key < $1.key }
                .map { "\(inner)\"\($0.key)\": \($0.value.outline(indentation: inner))" }
            return "{\n\(lines.joined(separator: "\n"))\n\(indentation)}"
        case .array(let elements):
            if elements.isEmpty { return "[]" }
            let lines = elements.map { inner + $0.outline(indentation: inner) }
            return "[\n\(lines.joined(separator: "\n"))\n\(indentation)]"
        case .text(let characters): return "Text[\"\(characters)\"]"
        case .scalar(let value): return value.description
        }
    }
}
