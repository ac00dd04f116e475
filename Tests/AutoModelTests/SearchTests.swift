import AutoModel
import Testing

@Suite struct SearchTests {
    private func found(_ words: String) throws -> [String] {
        try Article.search(words).fetch().map(\.title)
    }

    @Test func prefixesMatchWithoutDiacritics() throws {
        try withOpened(Article.self) { database in
            for title in ["Über den Fluss", "Fluss, Fluss, Fluss", "Zürich", "\"quoted\" AND OR"] {
                _ = try Article.create { $0.title = title }
            }
            try database.saveAllChanges()
            #expect(try found("fluss") == ["Fluss, Fluss, Fluss", "Über den Fluss"])
            #expect(try found("uber flu") == ["Über den Fluss"])
            #expect(try found("ZUR") == ["Zürich"])
            #expect(try found("\"quoted") == ["\"quoted\" AND OR"])
            #expect(try found("and or") == ["\"quoted\" AND OR"])
            #expect(try found("   ").isEmpty && found("nothing").isEmpty)
        }
    }

    @Test func indexFollowsAllWriters() throws {
        try withOpened(Article.self) { database in
            let article = try Article.create { $0.title = "river" }
            try article.save()
            article.title = "lake"
            try article.save()
            #expect(try found("river").isEmpty && found("lake") == ["lake"])
            try database.execute("UPDATE Article SET body = 'sea'")
            #expect(try found("sea") == ["lake"])
            try article.delete()
            #expect(try found("lake").isEmpty)
        }
    }

    @Test func modelWithoutFullTextIndexThrows() throws {
        try withOpened(Account.self) { _ in
            let error = #expect(throws: AutoModelError.self) { try Account.search("x") }
            #expect(error?.code == .declaration)
        }
    }
}

@AutoModel final class Article {
    @Column(.fullText) var title = ""
    @Column(.fullText) var body: String?
    var author = ""
}
