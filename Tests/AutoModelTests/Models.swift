import AutoModel
import Foundation
import Observation

enum Genre: String, Sendable { case jazz, soul, folk }
struct Mood: OptionSet, Sendable {
    let rawValue: Int
    static let calm = Mood(rawValue: 1)
    static let loud = Mood(rawValue: 2)
}
struct Place: Codable, Equatable, Sendable { var city = ""; var seats: [Int] = [] }

@AutoModel final class Artist {
    var name = ""
    var formed: Date?
    var words: [String] = []
    var genre = Genre.jazz
    var other: Genre?
    var mood: Mood = []
    var home = Place()
    var second: Place?
    @Excluded var isSelected = false
    var albums = Children(of: Album.self, by: \.artist)

    var shout: String { name.uppercased() }
}

@AutoModel final class Album {
    var title = ""
    var year = 0
    var artist = Reference<Artist>(onDelete: .cascade)
}

@AutoModel struct Visit {
    var place = ""
    var stars: Int8 = 0
}

@AutoModel(ids: .ascending) final class Account {
    @Column(.unique) var email = ""
}

@AutoModel final class Lonely { var name = "" }

@AutoModel final class Bucket {
    var json = "{}"
    @Excluded var words: [String: Int] = [:]
    @Excluded var awakened = 0

    func awakeFromFetch() {
        words = (try? JSONDecoder().decode([String: Int].self, from: Data(json.utf8))) ?? [:]
        awakened += 1
        json = json + ""
    }
}

@AutoModel final class Numbers {
    var small: Int8 = 0
    var large: Int64 = -5
    var bits: UInt64 = 0
    var real = 1.5
    var flag = true
    var id128: UUID?
    var link: URL?
    var data = Data()
}

@AutoModel final class Named: Observable {
    private(set) var name = ""
    @Excluded var isOpen = false

    init(name: String) { self.name = name }
    func rename(_ name: String) { self.name = name }
}
