import AutoModel
import Foundation
import Testing

/// `create(id:)` with an identifier that is in use.
@Suite struct CreateOrFetchTests {
    @Test func identifierOfARowReturnsItsObject() throws {
        try withOpened(V1.Item.self) { database in
            let first = try V1.Item.create(id: 7) {
                $0.name = "first"
                $0.size = 1
            }
            try first.save()
            let second = try V1.Item.create(id: 7) { $0.size = 2 }
            #expect(second === first && second.name == "first" && second.hasChanges)
            try database.saveAllChanges()
            try database.expect("SELECT id, name, size FROM Item", [[7, "first", 2]])
        }
    }

    @Test func rowWithoutAnObjectIsFetched() throws {
        try withOpened(V1.Item.self, Bucket.self) { database in
            try database.execute("INSERT INTO Item (id, name) VALUES (7, 'stored')")
            let item = try V1.Item.create(id: 7)
            #expect(item.name == "stored" && !item.hasChanges)
            #expect(try V1.Item.fetch(7) === item)
            try database.execute("INSERT INTO Bucket (id, json) VALUES (3, '{\"a\":1}')")
            #expect(try Bucket.create(id: 3).words == ["a": 1])
        }
    }

    @Test func identifierOfAnUnsavedObjectReturnsThatObject() throws {
        try withOpened(V1.Item.self) { database in
            let first = try V1.Item.create(id: 7) { $0.name = "new" }
            #expect(try V1.Item.create(id: 7) === first)
            #expect(try V1.Item.fetch(7) === first)
            try database.saveAllChanges()
            try database.expect("SELECT name FROM Item", [["new"]])
        }
    }

    @Test func unsavedObjectAdoptsARowThatAppears() throws {
        try withOpened(V1.Item.self) { database in
            let item = try V1.Item.create(id: 7) { $0.size = 5 }
            try database.execute("INSERT INTO Item (id, name, size) VALUES (7, 'theirs', 1)")
            #expect(try V1.Item.fetch(7) === item)
            #expect(item.name == "theirs" && item.size == 5)
            try database.saveAllChanges()
            try database.expect("SELECT name, size FROM Item", [["theirs", 5]])
        }
    }

    @Test func identifierOfADeletedRowReturnsANewObject() throws {
        try withOpened(V1.Item.self) { database in
            let first = try V1.Item.create(id: 7) { $0.name = "first" }
            try first.save()
            try first.delete()
            let second = try V1.Item.create(id: 7) { $0.name = "second" }
            #expect(second !== first)
            try second.save()
            // Another process deletes the row.
            try database.execute("DELETE FROM Item")
            let third = try V1.Item.create(id: 7) { $0.name = "third" }
            #expect(third !== second && second.isDeleted)
            let fourth = try database.transaction {
                try third.save()
                try third.delete()
                return try V1.Item.create(id: 7) { $0.name = "fourth" }
            }
            #expect(fourth !== third && third.isDeleted && !fourth.isDeleted)
            try database.saveAllChanges()
            try database.expect("SELECT name FROM Item", [["fourth"]])
        }
    }

    @Test func threadsThatCreateOneIdentifierGetOneObject() async throws {
        try await withDatabase(V1.Item.self) { database in
            for id in 1...20 as ClosedRange<Int64> {
                let objects = await withTaskGroup(of: V1.Item?.self) { group in
                    for _ in 0..<8 {
                        group.addTask { database.use { try? V1.Item.create(id: id) } }
                    }
                    return await group.reduce(into: [V1.Item?]()) { $0.append($1) }
                }
                #expect(objects.count == 8 && objects.allSatisfy { $0 != nil && $0 == objects[0] })
            }
        }
    }
}
