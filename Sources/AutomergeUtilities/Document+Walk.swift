public import Automerge

extension Document {
    /// Prints the present content as an indented tree, to see what is there while programming.
    ///
    /// - Throws: As ``schema()``.
    public func walk() throws { print(try schema().outline()) }
}

extension AutomergeValue {
    /// The content as lines, each level two spaces further in, keys in order.
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
