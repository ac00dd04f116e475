import Testing
import TidelineCore

@testable import TidelineUI

/// Completion of names in queries.
@Suite struct QueryCompletionTests {
    private let words = QueryWords(tables: [
        .init("orders", columns: ["id", "customer", "order", "total price"]),
        .init("customer", columns: ["id", "name"]),
    ])

    /// Returns the completions at `|`.
    private func completions(
        _ text: String, of words: QueryWords? = nil
    ) throws -> [String]? {
        let characters = Array(text)
        let cursor = try #require(characters.firstIndex(of: "|"))
        let query = characters.filter { $0 != "|" }
        return QueryCompletion(of: query, at: cursor, words ?? self.words)?.words
    }

    @Test(arguments: [
        ("SELECT * FROM cu|", ["customer"]),
        ("SELECT * FROM |", ["orders", "customer"]),
        ("SELECT cu| FROM orders", ["customer"]),
        ("SELECT i|", ["id"]),
        ("SELECT tot| FROM orders", ["\"total price\""]),
        ("SELECT \"total p|", ["\"total price\""]),
        ("SELECT ord| FROM orders", ["\"order\"", "orders"]),
        ("SELECT o.| FROM orders AS o", ["id", "customer", "\"order\"", "\"total price\""]),
        ("SELECT c.n| FROM orders o JOIN customer c", ["name"]),
        ("SELECT \"orders\".CU|", ["customer"]),
    ])
    func namesAreOfferedForTheirPlace(_ text: String, _ expected: [String]) throws {
        #expect(try completions(text) == expected, "\(text)")
    }

    @Test(arguments: [
        "SELECT 'cu|'", "SELECT 'cu|", "SELECT 1 -- cu|", "SELECT x.|", "SELECT nothing|",
        "SELECT * FROM customer|",
    ])
    func nothingIsOfferedElsewhere(_ text: String) throws {
        #expect(try completions(text) == nil, "\(text)")
    }

    @Test(arguments: [
        (#"SELECT "say ""hi"" to".| FROM "say ""hi"" to""#, [#""to ""whom""#, "greeting"]),
        (#"SELECT g| FROM "say ""hi"" to" WHERE x = 'it''s'"#, ["greeting"]),
        (#"SELECT * FROM "say ""h|"#, [#""say ""hi"" to""#]),
        (#"SELECT * FROM "say ""|"#, [#""say ""hi"" to""#]),
        (#"SELECT "to ""w|"#, [#""to ""whom""#]),
    ])
    func namesWithQuotationMarksAreCompleted(_ text: String, _ expected: [String]) throws {
        let words = QueryWords(tables: [
            .init(#"say "hi" to"#, columns: [#"to "whom"#, "greeting"])
        ])
        #expect(try completions(text, of: words) == expected, "\(text)")
    }

    @Test func completionsAreChosenInTurn() throws {
        var text = TextField("SELECT * FROM ")
        var completion = try #require(
            QueryCompletion(of: text.characters, at: text.cursor, words))
        let shown = [1, 1, 1, -1].map { step in
            completion.choose(by: step, in: &text)
            return text.text
        }
        #expect(
            shown == ["orders", "customer", "orders", "customer"].map { "SELECT * FROM \($0)" })
        #expect(completion.isShown(in: text))
        text.insert(" ")
        #expect(!completion.isShown(in: text))
    }
}
