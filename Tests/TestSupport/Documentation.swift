public import Foundation

/// README.md and the pages under docs, whose commands and code are tested.
public enum Documentation {
    /// The folder of the checkout.
    public static let root: URL = {
        var folder = URL(filePath: #filePath)
        repeat { folder.deleteLastPathComponent() } while folder.lastPathComponent != "Tests"
        return folder.deletingLastPathComponent()
    }()

    /// The paths of all Markdown pages, relative to the root.
    public static let pages: [String] = {
        let folders = ["", "docs", "docs/decisions"]
        return folders.flatMap { folder in
            let names =
                (try? FileManager.default.contentsOfDirectory(
                    atPath: root.appending(path: folder).path)) ?? []
            return names.filter { $0.hasSuffix(".md") }.sorted()
                .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        }
    }()

    /// The paths of the libraries' articles.
    public static let articles: [String] = {
        let paths = FileManager.default.enumerator(atPath: root.appending(path: "Sources").path)
        let all = paths?.compactMap { $0 as? String } ?? []
        return all.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.map { "Sources/\($0)" }
    }()

    /// The lines of a page.
    public static func lines(of page: String) throws -> [String] {
        try lines(at: root.appending(path: page))
    }

    /// A fenced block of a page: the word after its opening fence, and its lines.
    public struct Block: Sendable {
        public let language: String
        public var lines: [String] = []
    }

    /// The fenced blocks of a page, in order.
    public static func blocks(of page: String) throws -> [Block] {
        var blocks: [Block] = []
        var isOpen = false
        for line in try lines(of: page) {
            if line.hasPrefix("```") {
                if !isOpen { blocks.append(Block(language: String(line.dropFirst(3)))) }
                isOpen.toggle()
            } else if isOpen {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }

    // MARK: Swift

    /// The lines between `// begin` and `// end` in a test's source that no page and no article of
    /// a library shows.
    ///
    /// Indentation and trailing comments don't count.
    public static func missingLines(of source: String) throws -> [String] {
        let shown = Set(
            try (pages + articles).flatMap { try blocks(of: $0) }.filter { $0.language == "swift" }
                .flatMap(\.lines).map(code))
        let tested = try testedLines(of: URL(filePath: source))
        guard !tested.isEmpty else { return ["(the source has no example)"] }
        return tested.filter { !shown.contains($0) }
    }

    /// Returns the lines of Swift on a page that no test contains. Tests are the files called
    /// `…ExampleTests.swift` and `ComingFrom…`, and the programs of the outsider's package.
    public static func untestedLines(of page: String) throws -> [String] {
        untested(try blocks(of: page).filter { $0.language == "swift" }.flatMap(\.lines))
    }

    /// Returns the lines of an article's first Swift example that no test contains.
    public static func untestedOpeningLines(of article: String) throws -> [String] {
        let opening = try blocks(of: article).first { $0.language == "swift" }
        return untested(opening?.lines ?? [])
    }

    private static func untested(_ lines: [String]) -> [String] {
        lines.map(code)
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") && !testedLines.contains($0) }
    }

    /// Returns the calls in the second column of a page's tables, without those that a test contains.
    public static func untestedCalls(of page: String) throws -> [String] {
        try lines(of: page).filter { $0.hasPrefix("| ") }.flatMap { row -> [String] in
            let cells = row.split(separator: " | ", maxSplits: 2, omittingEmptySubsequences: false)
            guard cells.count > 1 else { return [] }
            // Every second part is between backticks.
            let parts = cells[1].split(separator: "`", omittingEmptySubsequences: false)
            return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
        }.filter { call in !testedLines.contains { $0.contains(call) } }
    }

    private static let testedLines: Set<String> = {
        let folder = root.appending(path: "Tests").path
        let paths = FileManager.default.enumerator(atPath: folder)
        var lines: Set<String> = []
        while let path = paths?.nextObject() as? String {
            if path.hasSuffix("/.build") { paths?.skipDescendants() }
            let name = path.split(separator: "/").last ?? ""
            guard
                name.hasSuffix("ExampleTests.swift") || name.hasPrefix("ComingFrom")
                    || path.hasPrefix("OutsiderPackage/Sources/")
            else { continue }
            lines.formUnion((try? testedLines(of: URL(filePath: "\(folder)/\(path)"))) ?? [])
        }
        return lines
    }()

    private static func testedLines(of file: URL) throws -> [String] {
        let all = try lines(at: file).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let begin = all.firstIndex(of: "// begin"), let end = all.firstIndex(of: "// end"),
            begin < end
        else { return [] }
        return all[(begin + 1)..<end].map(code).filter { !$0.isEmpty }
    }

    private static func code(_ line: String) -> String {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard !text.hasPrefix("//"), let comment = text.range(of: "  //") else { return text }
        return text[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
    }

    private static func lines(at file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
    }
}
