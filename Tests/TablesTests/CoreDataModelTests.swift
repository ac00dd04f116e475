import CoreDataSamples
import Foundation
import GRDB
import Tables
import TestSupport
import Testing

/// The model of a Core Data store.
@Suite struct CoreDataModelTests {
    private func tables(_ store: CoreDataStore) throws -> DatabaseTables {
        try TableFile(store.sample.path).read { try DatabaseTables($0) }.0
    }

    private func store(isCompressed: Bool = true) throws -> CoreDataStore {
        try CoreDataStore(
            modelCache: try CoreDataModelArchive.data(
                CoreDataStore.model, isCompressed: isCompressed))
    }

    private func names(_ table: String, in tables: DatabaseTables) -> [String]? {
        tables.table(table)?.columns.map(\.name)
    }

    private static let boat = [
        "sailNumber", "homePort", "builtOn", "_berth", "hullID", "photo", "secret",
    ]

    @Test(arguments: [true, false])
    func namesAndTargetsComeFromTheModel(isCompressed: Bool) throws {
        let tables = try tables(try store(isCompressed: isCompressed))
        #expect(names("Boat", in: tables) == Self.boat)
        #expect(names("Harbour", in: tables) == ["fullName"])
        let boat = try #require(tables.table("Boat"))
        #expect(boat.column("homePort")?.target == "Harbour")
        #expect(boat.columns.filter { $0.target != nil }.count == 1)
        #expect(boat.column("builtOn")?.isCoreDataDate == true)
        #expect(boat.column("hullID")?.uuidHint == .always)
        #expect(boat.column("secret")?.uuidHint == .never)
    }

    @Test func entityHasOnlyItsOwnAndInheritedAttributes() throws {
        let tables = try tables(try store())
        let dinghy = try #require(tables.table("Dinghy"))
        #expect(Set(dinghy.columns.map(\.name)) == Set(Self.boat + ["hasTrapeze", "note"]))
        #expect(dinghy.column("note")?.schema.name == "ZNOTE")
        let ketch = try #require(tables.table("Ketch"))
        #expect(Set(ketch.columns.map(\.name)) == Set(Self.boat + ["mastHeight", "note"]))
        #expect(ketch.column("note")?.schema.name == "ZNOTE1")
        #expect(tables.table("Boat")?.entity?.numbers == [1, 2, 4])
    }

    @Test func manyToManyRelationshipsKeepTheirOrder() throws {
        let store = try store()
        let tables = try tables(store)
        let crew = try #require(tables.table("Boat")?.entity?.links.first)
        #expect(crew.name == "crewMembers" && crew.target == "Sailor")
        #expect(crew.order == "Z_FOK_5CREWMEMBERS")
        let targets = try TableFile(store.sample.path).read { try crew.targets($0, limit: 10) }.0
        #expect(targets == [1: [2, 1], 2: [1]])
        let sailors = try #require(tables.table("Sailor"))
        let walk = try RowWalk(
            sailors.schema,
            sailors.selection(where: crew.condition(from: 1), sort: crew.order(from: 1)))
        let names = try TableFile(store.sample.path).read {
            try walk.rows($0, columns: ["ZNICKNAME"], limit: 10).map(\.values)
        }.0
        #expect(names == [[.text("Kim")], [.text("Jo")]])
        // Sub-entities inherit them.
        #expect(tables.table("Ketch")?.entity?.links == [crew])
        let links = try #require(tables.table("Sailor")?.entity?.links)
        #expect(Set(links.map(\.name)) == ["sailsOn", "friendsOf"])
        let boats = try #require(links.first { $0.name == "sailsOn" })
        #expect(boats.target == "Boat" && boats.order == nil)
        let sailor = try #require(tables.table("Boat"))
        let count = try TableFile(store.sample.path).read { db in
            try sailor.schema.count(db, where: boats.condition(from: 1))
        }.0
        #expect(count == 2)
    }

    @Test func externalBinaryDataIsRecognized() throws {
        let store = try store()
        let boat = try #require(try tables(store).table("Boat"))
        let photo = try #require(boat.column("photo"))
        #expect(photo.isExternalBinary)
        // With one value of another form, the column holds plain bytes.
        #expect(boat.column("secret")?.isExternalBinary == false)
        #expect(boat.column("hullID")?.isExternalBinary == false)
        #expect(ExternalBinary(stored: Data([1, 0x89, 0x50])) == .inline(Data([0x89, 0x50])))
        let name = "0C6A3C1E-5B1D-4F57-9C60-3A52B0A7E111"
        #expect(ExternalBinary(stored: Data([2] + Array(name.utf8) + [0])) == .file(name))
        #expect(ExternalBinary(stored: Data([2] + Array("../../etc/passwd".utf8))) == nil)
        #expect(
            ExternalFolder(of: "/a/Fleet.sqlite").path == "/a/.Fleet_SUPPORT/_EXTERNAL_DATA")
        let change = boat.update(
            RowKey(rowID: 1), photo, from: .blob(Data([1, 0x89, 0x50, 0x4E, 0x47])),
            to: .blob(Data([7])))
        #expect(change.cells.first?.value == .blob(Data([1, 7])))
    }

    @Test func withoutAModelNamesComeFromColumns() throws {
        for cache in [nil, Data([1, 2, 3]), Data("bplist00".utf8)] {
            let tables = try tables(try CoreDataStore(modelCache: cache))
            #expect(
                names("Boat", in: tables) == [
                    "sailnumber", "hastrapeze", "homeport", "builton", "mastheight", "_berth",
                    "note", "note1", "hullid", "photo", "secret",
                ])
            let link = try #require(tables.table("Boat")?.entity?.links.first)
            #expect(link.name == "crewmembers" && link.target == "Sailor")
        }
    }

    @Test func damagedModelsNeverCrash() throws {
        let whole = try CoreDataModelArchive.data(CoreDataStore.model)
        var random = SeededRandom(seed: 4_221)
        for _ in 0..<60 {
            var data = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let tables = try tables(try CoreDataStore(modelCache: data))
            #expect(tables.table("Boat")?.columns.isEmpty == false)
        }
    }
}
