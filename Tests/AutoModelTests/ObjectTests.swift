import AutoModel
import Foundation
import Observation
import Testing

@Suite struct ObjectTests {
    @Test func objectsDeletedInATransactionAreNotSaved() throws {
        try withOpened(V1.Item.self) { database in
            let stored = try V1.Item.create()
            try stored.save()
            stored.size = 3
            let new = try V1.Item.create()
            try database.transaction {
                try V1.Item.delete([stored, new])
                try database.saveAllChanges()
            }
            #expect(stored.isDeleted && new.isDeleted && !stored.hasChanges)
            #expect(try V1.Item.all.count() == 0)
        }
    }

    @Test func everyPropertyTypeRoundTrips() throws {
        try withOpened(Artist.self, Album.self) { database in
            let nina = try Artist.create {
                $0.name = "Nina Simone's \u{0} \"band\" 🎹"
                $0.formed = Date(timeIntervalSince1970: 12.5)
                $0.words = ["a", "b"]
                $0.genre = .soul
                $0.other = .folk
                $0.mood = [.calm, .loud]
                $0.home = Place(city: "Tryon", seats: [1, 2])
                $0.second = Place(city: "Liberia")
            }
            try nina.save()
            let rows = try database.rows("SELECT typeof(words), genre, mood FROM Artist")
            #expect(rows == [["text", "soul", 3]])
            try database.close()
            let again = try opened(database.path, [Artist.self, Album.self])
            defer { try? again.close() }
            try again.use {
                let other = try #require(try Artist.fetch(nina.id))
                #expect(other !== nina)
                #expect(other.name == nina.name && other.formed == nina.formed)
                #expect(other.words == ["a", "b"] && other.genre == .soul && other.other == .folk)
                #expect(other.mood == [.calm, .loud] && other.home == nina.home)
                #expect(other.second == Place(city: "Liberia") && !other.hasChanges)
            }
        }
    }

    @Test func rowHasOneObject() throws {
        try withOpened(Artist.self, Album.self) { _ in
            let made = try Artist.create { $0.name = "Nina" }
            try made.save()
            let fetched = try Artist.fetch(made.id)
            #expect(fetched === made)
            let found = try Artist.where { $0.name == "Nina" }.fetch()
            #expect(found.first === made && found[id: made.id] === made)
        }
    }

    @Test func releasedObjectIsReadAgain() throws {
        try withOpened(Artist.self, Album.self) { _ in
            weak var gone: Artist?
            let id = try {
                let made = try Artist.create { $0.name = "Nina" }
                try made.save()
                gone = made
                return made.id
            }()
            #expect(gone == nil)
            #expect(try Artist.fetch(id)?.name == "Nina")
        }
    }

    @Test func onlySetColumnsAreUpdated() throws {
        try withOpened(Artist.self, Album.self) { database in
            let made = try Artist.create { $0.name = "Nina" }
            #expect(made.hasChanges)
            try made.save()
            #expect(!made.hasChanges)
            made.name = "Nina"
            made.isSelected = true
            #expect(!made.hasChanges)
            made.name = "Miriam"
            #expect(made.hasChanges)
            try database.execute("UPDATE Artist SET mood = 2")
            try Artist.saveChanges()
            #expect(try database.rows("SELECT name, mood FROM Artist") == [["Miriam", 2]])
        }
    }

    @Test func changesOfReleasedObjectsAreSaved() throws {
        try withOpened(Artist.self, Album.self) { database in
            try Artist.create { $0.name = "Nina" }.save()
            try Artist.all.first()?.name = "Miriam"
            try database.saveAllChanges()
            #expect(try database.rows("SELECT name FROM Artist") == [["Miriam"]])
        }
    }

    @Test func temporaryObjectIsNotSavedWithOthers() throws {
        try withOpened(Artist.self, Album.self) { database in
            let temporary = Artist()
            temporary.name = "draft"
            try database.saveAllChanges()
            #expect(try Artist.all.count() == 0)
            try temporary.save()
            #expect(try Artist.all.count() == 1)
            #expect(try Artist.fetch(temporary.id) === temporary)
        }
    }

    @Test func reloadedObjectKeepsUnsavedChanges() throws {
        try withOpened(Artist.self, Album.self) { database in
            let nina = try Artist.create { $0.name = "Nina" }
            try nina.save()
            nina.words = ["mine"]
            try database.execute("UPDATE Artist SET name = 'Eunice', words = '[\"theirs\"]'")
            _ = try Artist.fetch(nina.id)
            #expect(nina.name == "Eunice" && nina.words == ["mine"])
            try nina.reload()
            #expect(nina.words == ["theirs"] && !nina.hasChanges)
        }
    }

    @Test func failedSaveChangesNothingAndKeepsTheChanges() throws {
        try withOpened(Account.self) { database in
            let first = try Account.create { $0.email = "a" }
            try first.save()
            let second = try Account.create { $0.email = "b" }
            let third = try Account.create { $0.email = "a" }
            let error = #expect(throws: AutoModelError.self) {
                try Account.save([second, third])
            }
            #expect(error?.code == .notUnique && error?.ids == [third.id])
            #expect(try Account.all.count() == 1)
            #expect(second.hasChanges && third.hasChanges)
            third.email = "c"
            try Account.saveChanges()
            #expect(try Account.all.values { $0.email } == ["a", "b", "c"])
            #expect(second.id == 2 || second.id == 3)
        }
    }

    @Test func transactionIsAllOrNothing() throws {
        struct Stop: Error {}
        try withOpened(Account.self) { database in
            let kept = try Account.create { $0.email = "kept" }
            try kept.save()
            let new = Account()
            new.email = "new"
            #expect(throws: Stop.self) {
                try database.transaction {
                    try new.save()
                    kept.email = "other"
                    try kept.save()
                    #expect(try Account.all.count() == 2)
                    throw Stop()
                }
            }
            #expect(new.id == 0 && new.hasChanges && kept.hasChanges)
            #expect(try Account.all.values { $0.email } == ["kept"])
            try database.transaction {
                try new.save()
                try kept.save()
            }
            #expect(try Account.all.values { $0.email } == ["other", "new"])
        }
    }

    @Test func deletedObjectsCannotBeSaved() throws {
        try withOpened(Account.self) { _ in
            let made = try Account.create { $0.email = "a" }
            try made.save()
            try made.delete()
            #expect(made.isDeleted && !made.hasChanges)
            #expect(try Account.fetch(made.id) == nil)
            made.email = "b"
            #expect(throws: AutoModelError.self) { try made.save() }
            #expect(try Account.all.count() == 0)
            // Numbers aren't reused.
            let next = try Account.create()
            try next.save()
            #expect(next.id == 2)
        }
    }

    @Test func savingARowDeletedElsewhereThrows() throws {
        try withOpened(Account.self) { database in
            let made = try Account.create { $0.email = "a" }
            try made.save()
            made.email = "b"
            try database.execute("DELETE FROM Account")
            let error = #expect(throws: AutoModelError.self) { try made.save() }
            #expect(error?.code == .noRow && error?.ids == [made.id])
        }
    }

    @Test func awakeFromFetchSetsDependentProperties() throws {
        try withOpened(Bucket.self) { database in
            try database.execute("INSERT INTO Bucket (id, json) VALUES (7, '{\"a\":1}')")
            let bucket = try #require(try Bucket.fetch(7))
            #expect(bucket.words == ["a": 1] && !bucket.hasChanges && bucket.awakened == 1)
            try database.execute("UPDATE Bucket SET json = '{\"b\":2}'")
            _ = try Bucket.fetch(7)
            #expect(bucket.words == ["b": 2] && bucket.awakened == 2)
            _ = try Bucket.fetch(7)
            #expect(bucket.awakened == 2)
        }
    }

    @Test func extremeNumbersRoundTrip() throws {
        try withOpened(Numbers.self) { database in
            let made = try Numbers.create {
                $0.small = .min
                $0.large = .max
                $0.bits = .max
                $0.real = -.infinity
                $0.id128 = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
                $0.link = URL(string: "https://example.com/a?b=c#d")
                $0.data = Data([0, 255])
            }
            try made.save()
            let id = made.id
            try database.close()
            let again = try opened(database.path, [Numbers.self])
            defer { try? again.close() }
            try again.use {
                let other = try #require(try Numbers.fetch(id))
                #expect(other !== made)
                #expect(other.small == .min && other.large == .max && other.bits == .max)
                #expect(other.real == -.infinity && other.id128 == made.id128)
                #expect(other.link == made.link && other.data == made.data && other.flag)
                other.real = .nan
                let error = #expect(throws: AutoModelError.self) { try other.save() }
                #expect(error?.code == .invalidValue)
                #expect(other.hasChanges)
                try again.execute("UPDATE Numbers SET small = 1000")
                #expect(throws: AutoModelError.self) { try Numbers.fetch(id) }
            }
        }
    }

    @Test func sqlDefaultsMatchTheDeclaration() throws {
        try withOpened(Numbers.self, Artist.self, Album.self) { database in
            try database.execute("INSERT INTO Numbers (id) VALUES (1)")
            let number = try #require(try Numbers.fetch(1))
            #expect(number.large == -5 && number.flag && number.real == 1.5)
            try database.execute("INSERT INTO Artist (id) VALUES (1)")
            let artist = try #require(try Artist.fetch(1))
            #expect(artist.words == [] && artist.genre == .jazz && artist.home == Place())
            let error = #expect(throws: AutoModelError.self) {
                try database.execute("INSERT INTO Numbers (id, flag) VALUES (2, NULL)")
            }
            #expect(error?.message.contains("NOT NULL") == true)
        }
    }

    @Test func releaseRunsPostponedWork() throws {
        try withOpened(Account.self, configure: { $0.laterDelay = .seconds(3600) }) { database in
            let kept = Account()
            kept.email = "kept"
            try kept.saveLater()
            let gone = try Account.create { $0.email = "gone" }
            try gone.save()
            try gone.deleteLater()
            #expect(try Account.all.values { $0.email } == ["gone"])
            try database.release()
            let error = #expect(throws: AutoModelError.self) { try Account.all.count() }
            #expect(error?.code == .closed)
            try database.resume()
            #expect(try Account.all.values { $0.email } == ["kept"])
            #expect(gone.isDeleted && !kept.hasChanges)
        }
    }

    @Test func postponedSavesRunByThemselves() async throws {
        try await withDatabase(Account.self, configure: { $0.laterDelay = .milliseconds(5) }) { _ in
            let made = Account()
            made.email = "a"
            let changes = made.changes()
            try made.saveLater()
            for await change in changes where change.kind == .saved { break }
            #expect(try await Account.all.values { $0.email } == ["a"])
        }
    }

    @Test func structsAreRowsWithoutIdentity() throws {
        try withOpened(Visit.self) { _ in
            var visit = Visit(place: "Paris", stars: 4)
            try visit.save()
            visit.stars = 5
            try visit.save()
            try Visit.save([Visit(place: "Rome")])
            let found = try Visit.all.order { [$0.place.ascending] }.fetch()
            #expect(found.map(\.place) == ["Paris", "Rome"] && found[0].stars == 5)
            #expect(found[id: visit.id]?.place == "Paris")
            try visit.delete()
            let starred = try Visit.where { $0.stars > 0 }.count()
            #expect(starred == 0)
        }
    }

    @Test func observersSeeSetsAndReloads() throws {
        try withOpened(Named.self) { database in
            let made = Named(name: "Nina")
            try made.save()
            let reported = Asked()
            let observe = {
                withObservationTracking {
                    _ = made.name
                } onChange: {
                    reported.note(.progress(table: "", 0))
                }
            }
            observe()
            made.rename("Eunice")
            #expect(reported.events.count == 1)
            try made.save()
            observe()
            try database.execute("UPDATE Named SET name = 'Miriam'")
            #expect(reported.events.count == 2 && made.name == "Miriam")
        }
    }

    @Test func errorWithoutADatabaseSuggestsOpeningOne() throws {
        let error = #expect(throws: AutoModelError.self) { try Lonely.all.fetch() }
        #expect(error?.code == .notOpen && error?.message.contains("AutoDatabase.open") == true)
    }
}
