import AutoModel
import Foundation
import Testing

/// The examples of the article of AutoModel.
enum ModelArticle {
    // begin
    @AutoModel final class Artist {
        @Column(.indexed) var name = ""
        var formed: Date?
        var words: [String] = []
        var albums = Children(of: Album.self, by: \.artist)
    }

    @AutoModel final class Album {
        var title = ""
        var year = 0
        var artist = Reference<Artist>(onDelete: .cascade)
    }

    @AutoModel final class Track {
        @AutoModel.Column(.indexed) var title = ""
        var album: AutoModel.Reference<Album> = .init(onDelete: .cascade)
        var singers: AutoModel.ManyToMany<Artist> = .init(Artist.self)
    }

    @AutoModel final class Article {
        @Column(.fullText) var title = ""
        var isRead = false
        var date = Date.now
    }

    @AutoModel final class Note {
        var text = ""
        var words = 0

        func willSave() { words = text.split(separator: " ").count }
    }

    @Suite struct ModelArticleExampleTests {
        @Test func objectsAreSavedAndFetched() async throws {
            let path = ":memory:"
            let database = try await AutoDatabase.open(at: path, models: Artist.self, Album.self)
            try await database.use {
                let nina = try Artist.create { $0.name = "Nina Simone" }
                try await nina.save()
                let found = try await Artist.where { $0.name.hasPrefix("N") }.fetch()
                print(found.first === nina)
                let texts = ["7", "8"]
                try await Artist.create(id: 7) { $0.name = "Seven" }.save()
                let seven = try await Artist.fetch(7)  // `nil` if the row doesn't exist
                let artists = try await Artist.fetch(texts.compactMap { Int64($0) })
                print(artists.objects.count, artists[id: 7] === seven)
                #expect(found.first === nina && artists.objects.map(\.name) == ["Seven"])
                do {
                    try await database.saveAllChanges()
                } catch let error as AutoModelError {
                    for object in error.objects { try await object.discardChanges() }
                }
                // The sequence ends with the deletion.
                let changes = nina.changes()
                nina.name = "Nina"
                try await nina.delete()
                for await change in changes {
                    guard let name = try change.oldValue(of: \Artist.Columns.name) else { continue }
                    print("was", name)
                }
            }
            try database.close()
        }

        @Test func objectsAreRelatedAndJoined() async throws {
            let database = try await AutoDatabase.open(
                at: ":memory:", models: Artist.self, Album.self, Track.self)
            try await database.use {
                let nina = try Artist.create { $0.name = "Nina Simone" }
                let song = try Track.create { $0.title = "Sinnerman" }
                let album = try Album.create { $0.year = 1965 }
                try await database.saveAllChanges()
                album.artist = Reference(nina)
                try await album.save()
                let artist = try await album.artist.object()
                let albums = try await nina.albums.objects()
                try await song.singers.append(nina)
                #expect(artist === nina && albums.objects == [album])
                #expect(try await song.singers.count() == 1)
                let found = try await Album.all.join(\.artist)
                    .where { album, artist in album.year > 1960 && artist.name.hasPrefix("N") }
                    .fetch()
                for (album, artist) in found { print(album.title, artist.name) }
                let counts = try await Artist.all.leftJoin(Album.all, by: \.artist)
                    .group { artist, _ in artist.id }
                    .values { artist, album in (artist.name, album.id.count(), album.year.max()) }
                #expect(found.count == 1 && counts.map(\.2) == [1965])
                for try await change in try Artist.all.order({ $0.name.ascending }).live() {
                    print(change.list.map(\.name), change.inserted, change.removed)
                    break
                }
                album.artist = nil
                try await album.save()
                #expect(try await Album.where { $0.artist == nil }.count() == 1)
                #expect(album.artist == nil && album.artist.id == nil)
            }
            try database.close()
        }

        @Test func articlesAreQueried() async throws {
            let database = try await AutoDatabase.open(
                at: ":memory:", models: Article.self, Note.self)
            try await database.use {
                for (id, title) in ["Low tide", "High tide", "Gulls"].enumerated() {
                    try await Article.create(id: Int64(id + 1)) { $0.title = title }.save()
                }
                let feed = try await Article.fetch([1, 2])
                let yesterday = Date.now.addingTimeInterval(-86_400)
                let unread = try await Article.where { !$0.isRead && $0.date > yesterday }
                    .order { [$0.date.descending, $0.title.ascending] }.limit(20).fetch()
                for article in unread { print(article.title) }
                print(unread.objects.count, try await Article.search("tide").count())
                let newest = try await Article.all.value { $0.date.max() }  // a `Date?`
                try await Article.all.deleteMissing(ids: feed.map(\.id))  // keeps only these rows
                #expect(unread.objects.count == 3 && newest ?? .distantPast > yesterday)
                #expect(try await Article.search("tide").count() == 2)
                do {
                    let unread = try Article.cachedQuery("unread") { Article.where { !$0.isRead } }
                    #expect(try await unread.count() == 2)
                }

                let note = try Note.create { $0.text = "Low tide" }
                note.text += "…"
                try note.saveLater()
                try await database.saveAllChanges()
                #expect(note.words == 2)
            }
            try database.close()
        }

        @Test func databaseOfATestIsInMemory() async throws {
            let database = try await AutoDatabase.open(
                at: ":memory:", models: Artist.self, Album.self)
            try await database.use {
                try await Artist.create(id: 1) { $0.name = "Nina" }.save()
                #expect(try await Artist.all.count() == 1)
            }
            try database.close()
        }
    }
    // end
}
