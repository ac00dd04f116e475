import CoreDataSamples
import Foundation
import Replication
import Tables
import Testing

@testable import TidelineCore

/// A Core Data store in the browser.
@Suite struct CoreDataPaneTests {
    private let store = Result { try GalleryStore() }

    private func database() throws -> TableDatabase {
        let database = TableDatabase(
            try store.get().path, device: try DeviceID("desk"), isWritable: true)
        _ = try database.currentTables()
        return database
    }

    private func rows(of entity: String, in database: TableDatabase) throws -> any RowSource {
        let table = try #require(database.tables?.table(entity))
        return try TableLists.rows(of: table, in: database) { false }
    }

    private func texts(_ source: any RowSource, _ column: String) async throws -> [String] {
        let index = try #require(source.info.columns.firstIndex { $0.id == column })
        return try await source.window(WindowRequest(count: 20)).rows.map { $0.cells[index].text }
    }

    @Test func orderedRelationshipIsFollowedInBothDirections() async throws {
        let database = try database()
        let albums = try rows(of: "Album", in: database)
        let relations = try #require(try await albums.open(RowID("Album/1"), at: nil))
        #expect(try await texts(relations, "reference") == ["photos ← Photo"])
        #expect(try await texts(relations, "rows") == ["2"])
        let row = try #require(try await relations.window(WindowRequest(count: 1)).rows.first)
        let photos = try #require(try await relations.open(row.id, at: nil))
        // The rows have the order of the relationship, not of the keys.
        #expect(try await texts(photos, "title") == ["first", "second"])
        let sorted = try await photos.window(
            WindowRequest(
                query: RowQuery(sort: .init(column: "title", isDescending: true)), count: 9))
        #expect(sorted.rows.map(\.id.name) == ["Photo/1", "Photo/2"])
        let back = try #require(try await photos.open(RowID("Photo/1"), at: nil))
        #expect(try await texts(back, "reference") == ["album → Album"])
    }

    @Test func valuesInFilesAreShownAndMissingFilesNamed() async throws {
        let photos = try rows(of: "Photo", in: try database())
        let first = try #require(try await photos.detail(of: RowID("Photo/1"), at: nil))
        #expect(first.sections.contains { $0.title.contains("4 bytes") }, "\(first)")
        let third = try #require(try await photos.detail(of: RowID("Photo/3"), at: nil))
        let problems = third.sections.flatMap(\.lines).filter { $0.role == .problem }
        #expect(problems.count == 1)
        #expect(problems.first?.text.contains(GalleryStore.missingFile) == true, "\(problems)")
        let codes = try Doctor(try store.get().path, own: nil).examine().map(\.code)
        #expect(codes.sorted() == ["external-missing", "external-orphan"])
    }

    @Test func exportedRowsHaveTheSizesOfFiles() async throws {
        let photos = try rows(of: "Photo", in: try database())
        let listed = try await photos.window(WindowRequest(count: 9)).rows
        let records = try await photos.records(of: listed, at: nil)
        let images = records.compactMap { $0["image"] }
        #expect(images.count == 3)
        #expect(images.first == .external(GalleryStore.file, byteCount: 4))
        #expect(images.last == .external(GalleryStore.missingFile, byteCount: nil))
    }

    @Test func historyListsChangedPropertiesAndKeptValues() async throws {
        let history = CoreDataHistorySource(try database())
        #expect(
            try await texts(history, "properties") == [
                "album", "billing.city, photos, shipping.area.code",
                "taken: 2023-03-08 20:26:40Z, title: gone", "", "taken, title", "",
            ])
        let detail = try #require(try await history.detail(of: RowID("change/2"), at: nil))
        let changed = detail.sections.first { $0.title == "Changed properties" }
        #expect(changed?.lines.map(\.text) == ["taken", "title"])
        let object = try #require(try await history.open(RowID("change/2"), at: nil))
        #expect(try await texts(object, "title") == ["second"])
    }

    @Test func longHistoryShowsItsNewestChanges() async throws {
        let history = CoreDataHistorySource(try database(), limit: 4)
        let request = WindowRequest(
            position: .row(RowID("change/4"), offset: 0, fallback: 0), count: 2)
        let window = try await history.window(request)
        #expect(window.total == 4 && window.found == 2)
        #expect(window.rows.contains { $0.id == RowID("change/4") })
        #expect(history.info.title == "History (newest 4 changes)")
        #expect(
            try await history.window(WindowRequest(count: 9)).rows.map(\.id.name)
                == [6, 5, 4, 3].map { "change/\($0)" })
        let filtered = WindowRequest(query: RowQuery(filter: "properties:album"), count: 9)
        #expect(try await history.window(filtered).rows.map(\.id.name) == ["change/6"])
        // Older changes are still found by name.
        #expect(try await history.detail(of: RowID("change/1"), at: nil) != nil)
        let whole = CoreDataHistorySource(try database())
        #expect(try await whole.window(WindowRequest(count: 9)).total == 6)
        #expect(whole.info.title == "History")
    }

    @Test func uuidIsEditedAsText() async throws {
        let albums = try rows(of: "Album", in: try database())
        let row = RowID("Album/1")
        let field = FieldPath("identifier")
        let old = "00010203-0405-4607-8809-0A0B0C0D0E0F"
        #expect(try await albums.editableValue(of: row, field: field) == TypedText(.string, old))
        let new = "4C85328F-80CC-4E58-AF6C-068FC3D901AA"
        let preview = try await albums.preview(
            .set(row, field: field, TypedText(.string, new)))
        _ = try await albums.apply(preview)
        #expect(try await texts(albums, "identifier") == [new])
        await #expect(throws: EditError.self) {
            try await albums.preview(.set(row, field: field, TypedText(.string, "x")))
        }
    }
}
