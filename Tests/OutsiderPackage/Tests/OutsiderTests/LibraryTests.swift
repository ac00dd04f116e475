import AutoModel
import Foundation
import Testing

@AutoModel final class Singer {
    var name = ""
    var born: Date?

    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

@AutoModel final class Song {
    var title = ""
    var isPlayed = false
    var length = 0.0
    var singer = Reference<Singer>(onDelete: .cascade)
    var guests = ManyToMany(Singer.self)

    func willSave() { title = title.trimmingCharacters(in: .whitespaces) }
}

@AutoModel struct Play {
    var song = ""
}

/// A program of songs that was written for AutoDB.
@Suite struct LibraryTests {
    @Test func songsAreFoundWithTheirSingers() async throws {
        let database = try await AutoDatabase.open(
            at: ":memory:", models: Singer.self, Song.self, Play.self)
        let nina = try Singer.create { $0.name = "Nina" }
        let miriam = Singer(name: "Miriam")
        try await miriam.save()
        for (id, title) in ["Sinnerman ", "Feeling Good", "Be My Husband"].enumerated() {
            try await Song.create(id: Int64(id + 1)) {
                $0.title = title
                $0.isPlayed = id == 0
                $0.length = Double(id)
                $0.singer = Reference(nina)
                $0.guests.set([miriam])
            }
        }
        try await database.saveAllChanges()

        let unplayed = try await Song.where { !$0.isPlayed }.fetch()
        #expect(unplayed.map(\.title) == ["Feeling Good", "Be My Husband"])
        let singers = try await Song.fetch(\.singer, of: unplayed)
        #expect(singers.objects == [nina])
        let guests = try await Song.fetch(\.guests, of: unplayed)
        #expect(guests.objects == [miriam])
        #expect(try await unplayed[0].guests.count() == 1)
        let query = unplayed[0].guests.query.where { $0.name == "Miriam" }
        #expect(try await query.first() === miriam)
        let longest: Double? = try await Song.all.value { $0.length.max() }
        let youngest: Date? = try await Singer.all.value { $0.born.max() }
        #expect(longest == 2 && youngest == nil)
        #expect(try await Song.fetch(1)?.title == "Sinnerman")
        #expect(try await Song.where { $0.singer == nina && !$0.isPlayed }.count() == 2)
        #expect(try await Song.where { $0.singer == nil }.count() == 0)

        let play = try await Play.save([Play(song: "Sinnerman")])[0]
        #expect(try await Play.fetch(play.id)?.song == "Sinnerman")
        var changes = nina.changes().makeAsyncIterator()
        nina.name = "Nina Simone"
        #expect(try await changes.next()?.oldValue(of: \Singer.Columns.name) == "Nina")
        try await nina.save()
        let pairs = try await Song.all.join(\.singer).where { song, singer in
            song.length > 0 && singer.name.hasPrefix("Nina")
        }.order { song, _ in song.title.ascending }.fetch()
        #expect(pairs.map(\.0.title) == ["Be My Husband", "Feeling Good"])
        #expect(try await Song.where { [1, 3].contains($0.id) }.count() == 2)
        #expect(try await Song.all.deleteMissing(ids: [1, 2]) == 1)
        try database.close()
    }
}
