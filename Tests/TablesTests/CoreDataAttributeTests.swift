import CoreDataSamples
import Foundation
import GRDB
import Tables
import TestSupport
import Testing

/// Attributes, relationships, files and history of a Core Data store.
@Suite struct CoreDataAttributeTests {
    private func tables(_ store: GalleryStore, model: String? = nil) throws -> DatabaseTables {
        let file = TableFile(store.path)
        let model = try model.map { try CoreDataModelFile($0) }
        return try file.read { try DatabaseTables($0, model: model, storeAt: file.path) }.0
    }

    private func names(_ table: String, _ tables: DatabaseTables) -> [String: String] {
        let columns = tables.table(table)?.columns ?? []
        return Dictionary(
            columns.map { ($0.schema.name, $0.name) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func compositeAttributeHasOneColumnPerPart() throws {
        let tables = try tables(try GalleryStore())
        #expect(
            names("Album", tables) == [
                "ZISOPEN": "isOpen", "ZCODE": "shipping.area.code", "ZCAPACITY": "capacity",
                "ZCITY": "billing.city", "ZLINK": "link", "ZSTATUS": "status",
                "ZSTREET": "billing.street", "ZSTREET1": "shipping.street",
                "ZIDENTIFIER": "identifier", "ZTHEME": "theme",
            ])
    }

    @Test func attributesHaveTheTypesOfTheModel() throws {
        let tables = try tables(try GalleryStore())
        let album = try #require(tables.table("Album"))
        let types = [
            "capacity", "identifier", "isOpen", "link", "theme", "status", "shipping.area.code",
        ]
        #expect(
            types.map { album.column($0)?.attributeType } == [
                .decimal, .uuid, .boolean, .uri, .transformable, .string, .integer64,
            ])
        let photo = try #require(tables.table("Photo"))
        #expect(photo.column("image")?.isExternalBinary == true)
        // The model decides, even if the bytes look like those of the other kind.
        #expect(photo.column("raw")?.isExternalBinary == false)
        #expect(photo.column("note") == nil)
        #expect(photo.column("album")?.attributeType == nil)
    }

    @Test func toManyRelationshipLeadsToTheObjectsThatReferBack() throws {
        let tables = try tables(try GalleryStore())
        let photos = try #require(tables.table("Album")?.entity?.collections.first)
        #expect(photos.name == "photos" && photos.target == "Photo")
        #expect(photos.column == "ZALBUM" && photos.order == "Z_FOK_ALBUM")
        #expect(tables.table("Photo")?.entity?.collections == [])
    }

    @Test func historyListsChangedProperties() throws {
        let store = try GalleryStore()
        let tables = try tables(store)
        let history = try #require(CoreDataHistory(tables.schema))
        let changes = try TableFile(store.path).read {
            try history.changes($0, of: tables.model, limit: 100)
        }.0
        #expect(changes.map(\.action) == [.insert, .update, .update, .delete, .update, .update])
        // The bits of a photo are album, the position in the album's photos, image, raw, taken and
        // title.
        #expect(changes[1].properties == ["taken", "title"])
        #expect(changes[5].properties == ["album"])
        // A composite attribute has a bit for each of its attributes.
        #expect(changes[4].properties == ["billing.city", "photos", "shipping.area.code"])
        // A property that the model lacks makes all names unknown.
        #expect([0, 2, 3].map { changes[$0].properties } == [nil, nil, nil])
        #expect(changes[3].preserved.map(\.name) == ["taken", "title"])
        #expect(changes[3].preserved.map(\.value) == [.real(700_000_000), .text("gone")])
        #expect(changes[3].preserved.map(\.type) == [.date, .string])
        let unnamed = try TableFile(store.path).read {
            try history.changes($0, of: nil, limit: 100)
        }.0
        #expect(unnamed[1].properties == nil)
        #expect(unnamed[3].preserved.map(\.name) == ["ZTOMBSTONE0", "ZTOMBSTONE1"])
    }

    @Test func newestChangesAreReadFromTheEnd() throws {
        let store = try GalleryStore()
        let tables = try tables(store)
        let history = try #require(CoreDataHistory(tables.schema))
        try TableFile(store.path).read { db in
            let all = try history.changes(db, of: tables.model, limit: 100)
            for limit in [0, 2, .max] {
                let newest = try history.changes(db, of: tables.model, limit: limit)
                #expect(newest == all.suffix(limit))
            }
            for range in [0..<2, 1..<4, 0..<100, 9..<10, 2..<2] {
                let expected = Array(all.reversed().dropFirst(range.lowerBound).prefix(range.count))
                #expect(try history.newestChanges(db, in: range, of: tables.model) == expected)
            }
            for (index, change) in all.reversed().enumerated() {
                #expect(try history.newerCount(db, than: change.id) == index)
                #expect(try history.change(change.id, db, of: tables.model) == change)
            }
            #expect(try history.newerCount(db, than: 99) == nil)
            #expect(try history.change(99, db, of: tables.model) == nil)
            #expect(try [3, 100].map { try history.count(db, limit: $0) } == [3, 6])
        }
    }

    @Test func missingAndOrphanedFilesAreFound() throws {
        let store = try GalleryStore()
        let tables = try tables(store)
        let files = try TableFile(store.path).read {
            try ExternalFiles($0, tables, storeAt: store.path)
        }.0
        #expect(files.missingCount == 1 && files.orphaned == ["orphan"])
        let missing = try #require(files.missing.first)
        #expect(missing.entity == "Photo" && missing.row == 3 && missing.attribute == "image")
        #expect(missing.file == GalleryStore.missingFile)
    }

    @Test func modelNextToTheStoreNamesItsAttributes() throws {
        let store = try GalleryStore(
            modelCache: nil, hashes: ["Album": GalleryStore.hash(1), "Photo": GalleryStore.hash(1)])
        #expect(try tables(store).model?.source == .columns)
        try store.addModels(
            [
                ("Gallery", GalleryStore.model(title: "tiTle"), 1),
                ("Gallery 2", GalleryStore.model(), 2),
            ], current: "Gallery 2")
        // The store is of the first version.
        let tables = try tables(store)
        #expect(
            tables.model?.source == .file(store.folder.appending("Gallery.momd")))
        #expect(names("Photo", tables)["ZTITLE"] == "tiTle")
        #expect(tables.table("Album")?.column("capacity")?.attributeType == .decimal)
    }

    @Test func modelOfAnotherStoreIsNotUsed() throws {
        let store = try GalleryStore(modelCache: nil)
        try store.addModels([("Fleet", CoreDataStore.model, 1)], current: "Fleet")
        #expect(try tables(store).model?.source == .columns)
        let path = store.folder.appending("Gallery.momd")
        #expect { try tables(store, model: path) } throws: {
            ($0 as? TablesError)?.code == .usage
        }
    }

    @Test func givenModelTakesPrecedence() throws {
        let store = try GalleryStore()
        try store.addModels(
            [("Other", GalleryStore.model(title: "tiTle"), 1)], current: "Other",
            in: "models/Other.momd")
        for name in ["models/Other.momd", "models/Other.momd/Other.mom"] {
            let path = store.folder.appending(name)
            #expect(names("Photo", try tables(store, model: path))["ZTITLE"] == "tiTle")
        }
        #expect(names("Photo", try tables(store))["ZTITLE"] == "title")
        for path in [store.path, store.folder.path, "/nowhere.momd"] {
            #expect(throws: TablesError.self) { try CoreDataModelFile(path) }
        }
    }
}
