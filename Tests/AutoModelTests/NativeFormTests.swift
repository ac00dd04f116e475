import AutoModel
import Foundation
import Testing

@AutoModel final class Chapter {
    var title = ""
    var isRead = false
    var date = Date(timeIntervalSince1970: 0)
    var opened: Date?
    var stars: Int?
}

/// Calls as a program that knows other databases writes them.
@Suite struct NativeFormTests {
    private func filled(_ body: (AutoDatabase) throws -> Void) throws {
        try withOpened(Chapter.self) { database in
            for number in 1...6 {
                try Chapter.create(id: Int64(number)) {
                    $0.title = "Chapter \(number)"
                    $0.isRead = number % 2 == 0
                    $0.date = Date(timeIntervalSince1970: Double(number))
                    $0.opened = number < 3 ? Date(timeIntervalSince1970: Double(10 * number)) : nil
                    $0.stars = number < 4 ? number : nil
                }
            }
            try Chapter.saveChanges()
            try body(database)
        }
    }

    @Test func booleanColumnsAreConditions() throws {
        try filled { _ in
            let unread = try Chapter.where { !$0.isRead }.ids()
            #expect(unread == [1, 3, 5])
            #expect(try Chapter.where { $0.isRead }.ids() == [2, 4, 6])
            #expect(try Chapter.where { $0.isRead && $0.title == "Chapter 4" }.ids() == [4])
            #expect(try Chapter.where { $0.title == "Chapter 1" || $0.isRead }.count() == 4)
            #expect(try Chapter.where { !($0.isRead || $0.opened == nil) }.ids() == [1])
            #expect(try Chapter.where { _ in !RowExpression(sql: "isRead") }.ids() == [1, 3, 5])
        }
    }

    @Test func aggregatesOfOptionalColumnsAreSingleOptionals() async throws {
        try filled { _ in
            let newest: Date? = try Chapter.all.value { $0.date.max() }
            #expect(newest == Date(timeIntervalSince1970: 6))
            let opened: Date? = try Chapter.all.value { $0.opened.max() }
            #expect(opened == Date(timeIntervalSince1970: 20))
            let total: Int? = try Chapter.all.value { $0.stars.sum() }
            #expect(total == 6)
            let average: Double? = try Chapter.all.value { $0.stars.average() }
            #expect(average == 2)
            let none: Date? = try Chapter.where { $0.id > 9 }.value { $0.opened.min() }
            #expect(none == nil)
            let title: String? = try Chapter.where { $0.id == 3 }.value { $0.title }
            #expect(title == "Chapter 3")
        }
        try await withDatabase(Chapter.self) { _ in
            let none: Date? = try await Chapter.all.value { $0.date.max() }
            #expect(none == nil)
        }
    }

    @Test func rowsMissingFromAFeedAreDeleted() async throws {
        try filled { _ in
            let held = try #require(try Chapter.fetch(5))
            #expect(try Chapter.where { !$0.isRead }.deleteMissing(ids: [1, 2]) == 2)
            #expect(held.isDeleted)
            #expect(try Chapter.all.ids() == [1, 2, 4, 6])
            let new = try Chapter.create(id: 8)
            #expect(try Chapter.all.deleteMissing(ids: Set([1])) == 3)
            #expect(!new.isDeleted && new.hasChanges)
        }
        try await withDatabase(Visit.self) { _ in
            let visits = try await Visit.save([Visit(place: "Rome"), Visit(place: "Oslo")])
            #expect(try await Visit.all.deleteMissing(ids: [visits[0].id]) == 1)
            #expect(try await Visit.where { $0.place == "Rome" }.delete() == 1)
        }
    }

    @Test func valuesAreFetchedByIdentifier() async throws {
        try await withDatabase(Visit.self) { _ in
            var rome = Visit(place: "Rome")
            try await rome.save()
            let oslo = try await Visit.save([Visit(place: "Oslo")])[0]
            #expect(try await Visit.fetch(rome.id)?.place == "Rome")
            #expect(try await Visit.fetch(0) == nil)
            let found = try await Visit.fetch([oslo.id, 0, rome.id, oslo.id])
            #expect(found.map(\.place) == ["Oslo", "Rome", "Oslo"])
            #expect(found[id: rome.id]?.place == "Rome")
            try await rome.delete()
            #expect(try await Visit.all.count() == 1)
        }
    }

    @Test func changesHaveTheOldValues() async throws {
        try await withDatabase(Chapter.self) { database in
            let chapter = try await Chapter.create(id: 1) { $0.title = "old" }
            try await chapter.save()
            var changes = chapter.changes().makeAsyncIterator()
            chapter.title = "new"
            let edit = try #require(await changes.next())
            #expect(edit.kind == .edited && edit.oldValues == ["title": "old"])
            #expect(try edit.oldValue(of: \Chapter.Columns.title) == "old")
            #expect(try edit.oldValue(of: \Chapter.Columns.isRead) == nil)
            try await chapter.save()
            #expect(await changes.next()?.oldValues == [:])
            try await database.execute("UPDATE Chapter SET stars = 3, title = 'newer'")
            _ = try await Chapter.fetch(1)
            let refresh = try #require(await changes.next())
            #expect(refresh.kind == .refreshed)
            #expect(refresh.oldValues == ["title": "new", "stars": .null])
        }
    }

    @Test func databaseInMemoryNeedsNoFile() async throws {
        let database = try await AutoDatabase.open(at: ":memory:", models: Chapter.self)
        let other = try await AutoDatabase.open(at: ":memory:", models: Chapter.self)
        try await database.use {
            try await Chapter.create(id: 1) { $0.title = "x" }.save()
            #expect(try await Chapter.all.count() == 1)
        }
        #expect(try await other.use { try await Chapter.all.count() } == 0)
        try database.close()
        try other.close()
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }

    @Test func objectIsReloadedWithoutBlocking() async throws {
        try await withDatabase(Chapter.self) { _ in
            let chapter = try await Chapter.create(id: 1) { $0.title = "stored" }
            try await chapter.save()
            chapter.title = "edited"
            try await chapter.reload()
            #expect(chapter.title == "stored" && !chapter.hasChanges)
        }
    }
}
