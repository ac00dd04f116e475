import Foundation
import TestSupport
import Testing

/// README.md and docs: limits, links, and code that compiles.
@Suite struct DocumentationTests {
    @Test func readmeIsShort() throws {
        let lines = try Documentation.lines(of: "README.md")
        let words = lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }
        #expect(lines.count <= 151)  // with the empty one behind the last
        #expect(words.count <= 1_000)
    }

    @Test(arguments: Documentation.pages) func swiftCodeOfThePageIsTested(page: String) throws {
        #expect(try Documentation.untestedLines(of: page) == [])
    }

    @Test(arguments: Documentation.articles.filter { !$0.hasSuffix("/Migrations.md") })
    func openingExampleOfTheArticleIsTested(article: String) throws {
        #expect(try Documentation.untestedOpeningLines(of: article) == [])
    }

    private static let stores = [
        "KeyValueStore", "EntityStore", "ServerCatalog", "DocumentStore", "AutoModel",
    ]

    @Test(arguments: stores) func swiftCodeOfTheArticleIsTested(library: String) throws {
        let article = "Sources/\(library)/\(library).docc/\(library).md"
        #expect(try !Documentation.lines(of: article).isEmpty)
        #expect(try Documentation.untestedLines(of: article) == [])
    }

    @Test(arguments: Documentation.pages.filter { $0.hasPrefix("docs/from-") })
    func callsOfThePageAreTested(page: String) throws {
        #expect(try Documentation.untestedCalls(of: page) == [])
    }

    @Test(arguments: Documentation.pages) func relativeLinksResolve(page: String) throws {
        let text = try Documentation.lines(of: page).joined(separator: "\n")
        let folder = Documentation.root.appending(path: page).deletingLastPathComponent()
        for match in text.matches(of: /\]\(([^)\s]+)\)/) {
            let parts = match.1.split(separator: "#", omittingEmptySubsequences: false)
            if match.1.contains("://") { continue }
            let file = parts[0].isEmpty ? page : String(parts[0])
            let target =
                parts[0].isEmpty
                ? Documentation.root.appending(path: page) : folder.appending(path: file)
            guard FileManager.default.fileExists(atPath: target.path) else {
                Issue.record("\(match.1): no such file")
                continue
            }
            guard parts.count > 1 else { continue }
            let headings = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("#") }.map(Self.anchor)
            #expect(headings.contains(String(parts[1])), "\(match.1): no such heading")
        }
    }

    /// The anchor that GitHub gives a heading.
    private static func anchor(of heading: Substring) -> String {
        heading.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .replacing(" ", with: "-")
    }
}
