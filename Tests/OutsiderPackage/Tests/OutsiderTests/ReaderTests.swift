import AutoModel
import Foundation
import Testing

@AutoModel final class Channel {
    @Column(.indexed) var name = ""
    var articles = Children(of: Article.self, by: \.channel)
}

@AutoModel final class Article {
    var title = ""
    var wordCount = 0
    var isRead = false
    var channel = Reference<Channel>(onDelete: .cascade)
    @Excluded var summary = ""
    @Excluded var log: [String] = []

    func awakeFromFetch() { summary = "\(title), \(wordCount) words" }
    func willSave() { wordCount = title.split(separator: " ").count }
    func didSave() { log.append("saved") }
    func willDelete() { log.append("deletes") }
    func didDelete() { log.append("deleted") }
}

@AutoModel(tracksChanges: false) final class Bookmark {
    var offset = 0.0
}

/// A reader of feeds that was written for AutoDB.
@Suite struct ReaderTests {
    @Test func hooksRunWhenAnArticleIsReadSavedAndDeleted() async throws {
        let database = try await AutoDatabase.open(
            at: ":memory:", models: Channel.self, Article.self, Bookmark.self)
        try await database.use {
            let tides = try await Article.create(id: 1) { $0.title = "Low tide at six" }
            #expect(tides.summary.isEmpty)
            try await tides.save()
            #expect(tides.wordCount == 4 && tides.log == ["saved"])
            try await tides.delete()
            #expect(tides.log == ["saved", "deletes", "deleted"])
            try await Article.create(id: 2) { $0.title = "High tide" }.save()
            let fetched = try await Article.fetch(2)
            #expect(fetched?.title == "High tide")
        }
        try database.close()
    }

    @Test func articlesAreSavedLaterAndFoundWithACachedQuery() async throws {
        let database = try await AutoDatabase.open(
            at: ":memory:", models: Channel.self, Article.self, Bookmark.self)
        try await database.use {
            let article = try await Article.create(id: 1) { $0.title = "Tides" }
            try article.saveLater()
            try await database.saveAllChanges()
            let unread = try Article.cachedQuery("unread") { Article.where { !$0.isRead } }
            #expect(try await unread.ids() == [1])
            let texts = ["1", "one"]
            let articles = try await Article.fetch(texts.compactMap { Int64($0) })
            #expect(articles.objects == [article] && articles[id: 1] === article)
        }
        try database.close()
    }

    @Test func untrackedObjectIsSavedOnlyExplicitly() async throws {
        let database = try await AutoDatabase.open(
            at: ":memory:", models: Channel.self, Article.self, Bookmark.self)
        try await database.use {
            let bookmark = try await Bookmark.create(id: 1)
            try await bookmark.save()
            bookmark.offset = 0.5
            try await database.saveAllChanges()
            #expect(try await Bookmark.where { $0.offset == 0.5 }.count() == 0)
            try await bookmark.save()
            #expect(try await Bookmark.where { $0.offset == 0.5 }.count() == 1)
        }
        try database.close()
    }

    @Test func channelsAreGroupedWithTheirArticles() async throws {
        let database = try await AutoDatabase.open(
            at: ":memory:", models: Channel.self, Article.self, Bookmark.self)
        try await database.use {
            let news = try Channel.create { $0.name = "News" }
            let quiet = try Channel.create { $0.name = "Quiet" }
            for title in ["Low tide", "High tide at noon"] {
                _ = try Article.create {
                    $0.title = title
                    $0.channel = Reference(news)
                }
            }
            try await database.saveAllChanges()
            let pairs = try await Channel.all.leftJoin(Article.all, by: \.channel)
                .where { channel, _ in channel.name == "Quiet" }.fetch()
            #expect(pairs.map(\.0) == [quiet] && pairs[0].1 == nil)
            let counts = try await Channel.all.leftJoin(Article.all, by: \.channel)
                .group { channel, _ in channel.name }
                .having { _, article in article.id.count() > 1 }
                .values { channel, article in (channel.name, article.wordCount.max()) }
            #expect(counts.map(\.0) == ["News"] && counts.map(\.1) == [4])
            let fetched = try await Channel.fetch(\.articles, of: [news, quiet])
            #expect(fetched.objects.count == 2)
        }
        try database.close()
    }

    @Test func callsHaveABlockingForm() throws {
        let database = try AutoDatabase.open(
            at: ":memory:", models: Channel.self, Article.self, Bookmark.self)
        try database.use {
            let article = try Article.create(id: 1) { $0.title = "Tides" }
            try article.save()
            #expect(try Article.where { $0.title == "Tides" }.fetch().objects == [article])
            #expect(try Article.fetch(1) === article)
            #expect(try Article.all.deleteMissing(ids: []) == 1)
        }
        try database.close()
    }

    @Test func idleFileIsClosedAndOpenedAgain() async throws {
        let folder = FileManager.default.temporaryDirectory
        let path = folder.appending(path: "reader-\(UUID()).db").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = AutoDatabase.Configuration()
        configuration.closeDelay = .milliseconds(1)
        let database = try await AutoDatabase.open(
            at: path, models: Channel.self, Article.self, Bookmark.self,
            configuration: configuration)
        try await database.use {
            try await Article.create(id: 1) { $0.title = "Low tide" }.save()
            try await database.release()
            try await database.resume()
            let article = try #require(try await Article.fetch(1))
            #expect(article.summary == "Low tide, 2 words")
        }
        try database.close()
    }
}
