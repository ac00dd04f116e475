import AutoModel
import Automerge
import DocumentStore
import EntityStore
import Foundation
import KeyValueStore
import Replication
import Testing

// Types of a program that have the names of types of the libraries.

enum Own {
    @AutoModel final class Album {
        @AutoModel.Column(.indexed) var title = ""
        var level = Value.low
        var home = Property()
        var artist: AutoModel.Reference<Artist> = .init(onDelete: .cascade)
        var guests: AutoModel.ManyToMany<Artist> = .init(Artist.self)
    }

    @AutoModel final class Artist {
        var name = ""
        var albums: AutoModel.Children<Album> = .init(of: Album.self, by: \.artist)
    }

    @AutoModel struct Play {
        var level = Value.high
    }

    struct Property: Codable, Equatable { var street = "" }
    struct Entity: Codable, Equatable { var name = "" }
    struct Document: Codable, Equatable { var title = "" }
    struct Row { var cells: [String] = [] }
    enum Value: String, Codable { case low, high }
    struct Query { var text = "" }
    struct Column { var title = "" }
    struct Change { var title = "" }
    struct Condition { var text = "" }
    struct Position { var line = 0 }
    struct Reference { var page = 0 }
    struct Children { var count = 0 }
    struct ManyToMany { var count = 0 }
    struct Timestamp { var seconds = 0 }
    struct Counter { var count = 0 }
    struct Name { var text = "" }
    struct Result { var count = 0 }
    struct ModelColumn { var count = 0 }
    struct RecordDeclaration { var count = 0 }
    struct RandomID { var count = 0 }
    struct PropertyList { var count = 0 }
    struct LogRow { var count = 0 }
    struct LogFormat { var count = 0 }
    struct PropertyDictionary { var count = 0 }
    struct PropertyEntry { var count = 0 }
    struct PropertyKey { var count = 0 }

    @Suite struct OwnTypesTests {
        @Test func modelsUseTypesOfTheProgram() async throws {
            let database = try await AutoDatabase.open(
                at: ":memory:", models: Album.self, Artist.self, Play.self)
            let nina = try Artist.create { $0.name = "Nina" }
            let album = try Album.create {
                $0.title = "Pastel Blues"
                $0.home = Property(street: "Quai 1")
                $0.artist = .init(nina)
                $0.guests.set([nina])
            }
            try await database.saveAllChanges()
            let query: AutoModel.Query<Album> = Album.where {
                $0.artist == nina && $0.level == .low
            }
            #expect(try await query.first() === album)
            #expect(try await nina.albums.count() == 1)
            #expect(try await album.guests.count() == 1)
            #expect(try await Play.save([Play()])[0].level == .high)
            #expect(Reference(page: 1).page == 1 && Column(title: "a").title == "a")
            try database.close()
        }

        @Test func storesUseTypesOfTheProgram() async throws {
            let values = KeyValueStore()
            try values.set(encoding: Property(street: "Quai 1"), forKey: "home")
            #expect(try values.value(forKey: "home", as: Property.self)?.street == "Quai 1")
            let written: Replication.Timestamp? = values.newestTimestamp(forKey: "home")
            // A store in memory has no log, and so no times.
            #expect(written == nil && Timestamp(seconds: 1).seconds == 1)
            let list: KeyValueStore.PropertyList? = values["home"]
            #expect(list?.dictionary?["street"] == .string("Quai 1"))
            let rows: [KeyValueStore.LogRow] = try values.rows(forKey: "home")
            let changes = rows.map { KeyValueStore.Change($0) }
            let formats: [KeyValueStore.LogFormat?] = [values.configuration.format]
            #expect(changes.isEmpty && formats == [nil] && PropertyList(count: 1).count == 1)

            let entities = try EntityStore.inMemory()
            var properties = EntityStore.PropertyDictionary()
            properties["home"] = EntityStore.Property(.string("Quai 1"), type: "address")
            try await entities.add([(.new("person", identifier: "anna"), properties)])
            let city = EntityStore.PropertyKey("city")
            properties[city] = EntityStore.Property(.string("Basel"))
            try await entities.setProperties([.identifier("anna"): properties])
            let anna = try await entities.records(.all)[0]
            #expect(anna["home"]?.type == "address" && anna[value: "city"] == "Basel")
            let history: [EntityStore.PropertyEntry] = try await entities.entries(
                of: [anna.reference])[0]
            #expect(history.count == 3 && PropertyEntry(count: 1).count == 1)
            await entities.close()

            let documents = try AutomergeStore()
            let plans: AutomergeStore.Document = try documents.newWorkspace(named: "Plans").index
            let content: Automerge.Document = plans.automerge
            try content.put(obj: .ROOT, key: "count", value: .Counter(1))
            let count: Automerge.Value? = try content.get(obj: .ROOT, key: "count")
            #expect(count == .Scalar(.Counter(1)) && Counter(count: 1).count == 1)
            try plans.write(Document(title: "Trip"))
            #expect(try plans.read(Document.self) == Document(title: "Trip"))
            try documents.close()
        }
    }
}
