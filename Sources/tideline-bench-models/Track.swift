import AutoModel
import Foundation
import GRDB

/// The measured data, as a model and as a hand-written GRDB record.
@AutoModel final class Track {
    var title = ""
    var artist = ""
    var year = 0
    var plays = 0
    var rating = 0.0
    var isLoved = false
    var added: Date?
    var comment: String?
}

struct PlainTrack: FetchableRecord, PersistableRecord {
    static let databaseTableName = "PlainTrack"
    static let create = """
        CREATE TABLE PlainTrack (id INTEGER PRIMARY KEY, title TEXT NOT NULL DEFAULT '',
        artist TEXT NOT NULL DEFAULT '', year INTEGER NOT NULL DEFAULT 0,
        plays INTEGER NOT NULL DEFAULT 0, rating REAL NOT NULL DEFAULT 0,
        isLoved INTEGER NOT NULL DEFAULT 0, added REAL, comment TEXT)
        """

    enum Columns {
        static let id = Column("id")
        static let title = Column("title")
        static let artist = Column("artist")
        static let year = Column("year")
        static let plays = Column("plays")
        static let rating = Column("rating")
        static let isLoved = Column("isLoved")
        static let added = Column("added")
        static let comment = Column("comment")
    }

    var id: Int64
    var title = ""
    var artist = ""
    var year = 0
    var plays = 0
    var rating = 0.0
    var isLoved = false
    var added: Date?
    var comment: String?

    init(id: Int64) { self.id = id }

    init(row: Row) {
        id = row[Columns.id]
        title = row[Columns.title]
        artist = row[Columns.artist]
        year = row[Columns.year]
        plays = row[Columns.plays]
        rating = row[Columns.rating]
        isLoved = row[Columns.isLoved]
        added = (row[Columns.added] as Double?).map { Date(timeIntervalSince1970: $0) }
        comment = row[Columns.comment]
    }

    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.title] = title
        container[Columns.artist] = artist
        container[Columns.year] = year
        container[Columns.plays] = plays
        container[Columns.rating] = rating
        container[Columns.isLoved] = isLoved
        container[Columns.added] = added?.timeIntervalSince1970
        container[Columns.comment] = comment
    }
}

/// The values of a track, the same for every measured library.
struct TrackValues {
    let number: Int

    func fill(_ track: Track) {
        track.title = "The title of track \(number)"
        track.artist = "Artist \(number % 1_000)"
        track.year = 1950 + number % 75
        track.rating = Double(number % 50) / 10
        track.isLoved = number % 7 == 0
        track.added = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        track.comment = number % 3 == 0 ? "A comment about the song, \(number)" : nil
    }

    func fill(_ track: inout PlainTrack) {
        track.title = "The title of track \(number)"
        track.artist = "Artist \(number % 1_000)"
        track.year = 1950 + number % 75
        track.rating = Double(number % 50) / 10
        track.isLoved = number % 7 == 0
        track.added = Date(timeIntervalSince1970: 1_700_000_000 + Double(number))
        track.comment = number % 3 == 0 ? "A comment about the song, \(number)" : nil
    }
}
