import Foundation

/// The code of the README, which tests run: they hold the same lines.
public enum ReadmeExample {
    /// The lines of a test's source between `// begin` and `// end` that the README lacks.
    ///
    /// Indentation and what stands behind `//` do not count.
    public static func missingLines(of source: String) throws -> [String] {
        let file = URL(filePath: source)
        var folder = file
        repeat { folder.deleteLastPathComponent() } while folder.lastPathComponent != "Tests"
        let readme = folder.deletingLastPathComponent().appending(path: "README.md")
        let known = Set(try lines(of: readme))
        let own = try lines(of: file)
        guard let begin = own.firstIndex(of: "// begin"), let end = own.firstIndex(of: "// end"),
            begin + 1 < end
        else { return ["(the source has no example)"] }
        return own[(begin + 1)..<end].filter { !$0.isEmpty && !known.contains($0) }
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map { line in
            let text = line.trimmingCharacters(in: .whitespaces)
            guard !text.hasPrefix("//"), let comment = text.range(of: "  //") else { return text }
            return text[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
        }
    }
}
