// begin
import AutoModel
import Foundation

@AutoModel final class Artist {
    @Column(.indexed) var name = ""
    var formed: Date?
    var words: [String] = []
    var albums = Children(of: Album.self, by: \.artist)
}

@AutoModel final class Album {
    var title = ""
    var artist = Reference<Artist>(onDelete: .cascade)
}

@main struct Music {
    static func main() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "music-\(UUID()).db").path
        let database = try await AutoDatabase.open(at: path, models: Artist.self, Album.self)
        let nina = try Artist.create { $0.name = "Nina Simone" }
        let album = try Album.create { $0.title = "Pastel Blues" }
        album.artist = Reference(nina)
        try await database.saveAllChanges()

        let found = try await Artist.where { $0.formed == nil && $0.name.hasPrefix("N") }.fetch()
        print(found.first === nina, try await nina.albums.objects().map(\.title))
        try await nina.delete()
        print(try await Album.all.count())
        // end
        try database.close()
    }
}
