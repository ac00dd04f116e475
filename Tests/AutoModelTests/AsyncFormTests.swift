import AutoModel
import Foundation
import Testing

/// The asynchronous forms have the same names as the synchronous ones.
@Suite struct AsyncFormTests {
    @Test func objectsAreSavedFetchedAndDeletedWithoutBlocking() async throws {
        try await withDatabase(Artist.self, Album.self) { database in
            let nina = try Artist.create { $0.name = "Nina" }
            try await nina.save()
            let miriam = try Artist.create { $0.name = "Miriam" }
            try await Artist.saveChanges()
            miriam.name = "Zenzile"
            try await database.saveAllChanges()
            let found = try await Artist.where { $0.name > "A" }.order { [$0.name.ascending] }
                .fetch()
            #expect(found.map(\.name) == ["Nina", "Zenzile"] && found[0] === nina)
            #expect(try await Artist.fetch([miriam.id]).first === miriam)
            #expect(try await Artist.fetch(nina.id) === nina)
            #expect(try await Artist.all.first() != nil)
            #expect(try await Artist.all.ids().count == 2)
            #expect(try await Artist.all.values { $0.name }.sorted() == ["Nina", "Zenzile"])
            #expect(try await Artist.all.value { $0.name.min() } == "Nina")
            #expect(try await Artist.all.groups { $0.genre }.map(\.count) == [2])
            try await nina.delete()
            #expect(try await Artist.where { $0.name == "Zenzile" }.delete() == 1)
            #expect(try await Artist.all.count() == 0)
            try await database.execute("INSERT INTO Artist (id, name) VALUES (?, ?)", [5, "x"])
            #expect(try await database.rows("SELECT name FROM Artist") == [["x"]])
            try await database.transaction { try Artist.fetch(5)?.delete() }
            #expect(try await Artist.all.count() == 0)
        }
    }

    @Test func arrayOfModelsIsOpenedWithoutBlocking() async throws {
        let models: [any AutoRecord.Type] = [Visit.self]
        let database = try await AutoDatabase.open(at: ":memory:", models: models)
        let count = try await database.use { try await Visit.all.count() }
        #expect(count == 0)
        try database.close()
    }

    @Test func databaseIsOpenedAndReleasedWithoutBlocking() async throws {
        try await withDatabase(Visit.self) { database in
            try await Visit.save([Visit(place: "Rome", stars: 2)])
            try await database.release()
            try await database.resume()
            #expect(try await Visit.all.fetch().map(\.place) == ["Rome"])
            let other = try await AutoDatabase.open(at: database.path, models: Visit.self)
            #expect(try await other.use { try await Visit.all.count() } == 1)
            try other.close()
        }
    }
}
