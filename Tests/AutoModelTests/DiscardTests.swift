import AutoModel
import Foundation
import Testing

@Suite struct DiscardTests {
    @Test func discardingTheNamedObjectsResolvesTheError() throws {
        try withOpened(Account.self, V1.Item.self) { database in
            try Account.create { $0.email = "a" }.save()
            let repeated = try Account.create { $0.email = "a" }
            try database.execute("INSERT INTO Item (id, name) VALUES (8, 'theirs')")
            let deleted = try #require(try V1.Item.fetch(8))
            deleted.name = "mine"
            try database.execute("DELETE FROM Item")
            let error = #expect(throws: AutoModelError.self) { try database.saveAllChanges() }
            let objects = error?.objects ?? []
            #expect(objects.count == 2)
            #expect(objects.contains { $0 === repeated } && objects.contains { $0 === deleted })
            for object in objects { try object.discardChanges() }
            try database.saveAllChanges()
            #expect(repeated.email == "a" && deleted.isDeleted && !deleted.hasChanges)
            try database.expect("SELECT email FROM Account", [["a"]])
        }
    }

    @Test func discardedNewObjectLeavesTheDatabase() throws {
        try withOpened(V1.Item.self) { database in
            let item = try V1.Item.create(id: 7) { $0.name = "new" }
            try item.discardChanges()
            #expect(try V1.Item.fetch(7) == nil)
            try database.saveAllChanges()
            try database.expect("SELECT count(*) FROM Item", [[0]])
            let other = try V1.Item.create(id: 7)
            #expect(other !== item && item.name == "new")
            // It can be saved after all, if its identifier is free.
            try other.discardChanges()
            try item.save()
            #expect(try V1.Item.fetch(7) === item)
        }
    }

    @Test func discardedObjectGetsTheValuesOfItsRow() throws {
        try withOpened(V1.Shelf.self, V1.Item.self) { database in
            let item = try V1.Item.create { $0.name = "first" }
            let shelf = try V1.Shelf.create { $0.items.set([item]) }
            try database.saveAllChanges()
            item.name = "second"
            shelf.items.set([])
            try database.execute("UPDATE Item SET size = 3")
            try item.discardChanges()
            try shelf.discardChanges()
            #expect(item.name == "first" && item.size == 3 && !item.hasChanges)
            #expect(try shelf.items.objects().objects == [item] && !shelf.hasChanges)
            try database.saveAllChanges()
            try database.expect("SELECT name FROM Item", [["first"]])
        }
    }

    @Test func pendingDeletionIsDiscarded() throws {
        try withOpened(V1.Item.self, configure: { $0.laterDelay = .seconds(3600) }) { database in
            let item = try V1.Item.create()
            try item.save()
            try item.deleteLater()
            try item.discardChanges()
            try database.release()
            try database.resume()
            #expect(try V1.Item.all.count() == 1)
        }
    }

    @Test func discardingAndCreatingDoNotBlock() async throws {
        try await withDatabase(V1.Item.self) { database in
            let item = try await V1.Item.create(id: 7) { $0.name = "first" }
            try await item.save()
            let again = try await V1.Item.create(id: 7) { $0.name = "second" }
            #expect(again === item)
            try await item.discardChanges()
            #expect(item.name == "first")
        }
    }
}
