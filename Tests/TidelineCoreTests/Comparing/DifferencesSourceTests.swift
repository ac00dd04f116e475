import Automerge
import EntityStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// The list of the differences between an open store and another one.
@Suite struct DifferencesSourceTests {
    /// A store, and a copy from before its last writes.
    private struct Pair {
        let shared: SharedPackage
        let copy: String

        init() throws {
            shared = try SharedPackage()
            copy = shared.folder.appending("Copy.store")
            try FileManager.default.copyItem(atPath: shared.path, toPath: copy)
        }

        func listed(_ open: String, from other: String) async throws -> (
            source: DifferencesSource, rows: [[String]]
        ) {
            var opener = StoreOpener(device: try DeviceID("anna"), isWritable: true)
            opener.listsFolders = false
            let session = try opener.open(open)
            let source = try await DifferencesSource(of: session, with: other, at: nil)
            let window = try await source.window(
                WindowRequest(query: RowQuery(), position: .index(0), count: 100))
            return (source, window.rows.map { $0.cells.map(\.text) })
        }

        /// Writes an entity, copies the store, and then changes the entity in the original.
        ///
        /// - Returns: The path of the copy.
        func changedEntity(
            from before: PropertyDictionary, to after: PropertyDictionary
        ) async throws -> String {
            let ben = try DeviceID("ben")
            var store = try await EntityStore.open(shared.package, device: ben)
            try await store.add([(.new("book", identifier: "book-moby-dick"), before)])
            await store.close()
            let other = shared.folder.appending("Other.store")
            try FileManager.default.copyItem(atPath: shared.path, toPath: other)
            store = try await EntityStore.open(shared.package, device: ben)
            try await store.set([(.identifier("book-moby-dick"), after)])
            await store.close()
            return other
        }

        func firstRow(of source: DifferencesSource) async throws -> RowID {
            let window = try await source.window(
                WindowRequest(query: RowQuery(), position: .index(0), count: 1))
            return try #require(window.rows.first?.id)
        }
    }

    @Test func differencesAreNamedFromTheOpenStoresSide() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/1/title": "newer", "note/9": "added"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        #expect(!source.isEmpty)
        #expect(rows.map { $0[2] } == ["changed", "added"])
        #expect(rows.map { $0[0] } == ["note/1/title", "note/9"])
        #expect(rows[0][4] == "\"newer\"" && rows[1][3] == "" && rows[1][4] == "\"added\"")

        // From the point of view of the copy, the rows haven't arrived yet.
        let behind = try await pair.listed(pair.copy, from: pair.shared.path)
        #expect(behind.rows.map { $0[2] } == ["not arrived", "not arrived"])
        #expect(behind.rows[0][3] == "\"newer\"")
    }

    @Test func differencesAreInNaturalOrder() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/10": "ten", "note/9": "nine"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        #expect(rows.map { $0[0] } == ["note/9", "note/10"])
        let row = try await pair.firstRow(of: source)
        let detail = try await source.detail(of: row, at: nil)
        #expect(detail?.title == "key note/9")
    }

    @Test func deletedValuesAreDistinguishedFromMissingOnes() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/1/title": nil, "note/9": "added"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        #expect(rows.map { $0[4] } == ["deleted", "\"added\""], "\(rows)")
        #expect(rows[0][3] != "" && rows[1][3] == "", "\(rows)")
        let row = try await pair.firstRow(of: source)
        let detail = try #require(try await source.detail(of: row, at: nil))
        #expect(detail.lines("removed").contains("open store deleted"), "\(detail)")
    }

    @Test func listIsFilteredBySideAndKind() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/1/title": "newer", "note/9": "added"])
        let (source, _) = try await pair.listed(pair.shared.path, from: pair.copy)
        for (filter, count) in [
            ("change:changed", 1), ("change:added", 1), ("kind:key", 2), ("open:added", 1),
            ("name:note/9", 1), ("kind:table", 0),
        ] {
            var query = RowQuery()
            query.filter = filter
            let window = try await source.window(
                WindowRequest(query: query, position: .index(0), count: 100))
            #expect(window.total == count, "\(filter)")
        }
    }

    @Test func editStartsWithTheOtherStoresValue() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/1/title": "newer"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        let row = try await pair.firstRow(of: source)
        let offered = try #require(try await source.editableValue(of: row, field: nil))
        #expect("\"\(offered.text)\"" == rows[0][3] && offered.text != "newer")
        #expect(source.info.whyNoAlert != nil)

        let preview = try await source.preview(.set(row, field: nil, offered))
        let applied = try await source.apply(preview)
        #expect(try await pair.listed(pair.shared.path, from: pair.copy).source.isEmpty)
        let undo = try #require(applied.undo.first)
        _ = try await source.apply(try await source.preview(undo))
        #expect(try await pair.listed(pair.shared.path, from: pair.copy).rows[0][4] == "\"newer\"")
    }

    @Test func valueThatOnlyTheOtherStoreHasIsCopied() async throws {
        let pair = try Pair()
        let other = try SharedPackage()
        try other.write("anna", ["note/99": "only there"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: other.path)
        let index = try #require(rows.firstIndex { $0[0] == "note/99" })
        let window = try await source.window(
            WindowRequest(query: RowQuery(), position: .index(index), count: 1))
        let row = try #require(window.rows.first?.id)
        let offered = try #require(try await source.editableValue(of: row, field: nil))
        let applied = try await source.apply(
            try await source.preview(.set(row, field: nil, offered)))
        #expect(try pair.shared.rows("anna").last?.key == "note/99")
        func cells() async throws -> [String] {
            let window = try await source.window(
                WindowRequest(query: RowQuery(), position: .index(index), count: 1))
            return window.rows[0].cells.map(\.text)
        }
        #expect(
            try await cells() == [
                "note/99", "key", "same now", "\"only there\"", "\"only there\"",
            ])
        let undo = try #require(applied.undo.first)
        _ = try await source.apply(try await source.preview(undo))
        #expect(
            try await cells() == [
                "note/99", "key", "not arrived", "\"only there\"", "deleted",
            ])
    }

    @Test func valueIsTakenOverWithoutTypingIt() async throws {
        let pair = try Pair()
        let other = try SharedPackage()
        try other.write("anna", ["note/99": "only there"])
        try pair.shared.write("anna", ["note/100": "only here"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: other.path)
        #expect(source.info.edits[.takeOver] == .available)
        let listed = try await source.window(WindowRequest(count: 100)).rows.map(\.id)
        func row(_ name: String) throws -> RowID {
            listed[try #require(rows.firstIndex { $0[0] == name })]
        }
        let taken = try [row("note/99"), row("note/100")]
        let preview = try await source.preview(.takeOver(taken))
        #expect(preview.rowCount == 2)
        #expect(preview.changes.map(\.subject) == ["note/99", "note/100"])
        let applied = try await source.apply(preview)
        #expect(applied.rows == taken && applied.skipped.isEmpty)
        let ends = try pair.shared.rows("anna").suffix(2)
        #expect(ends.map(\.key) == ["note/99", "note/100"])
        let now = try await source.window(WindowRequest(count: 100)).rows
        #expect(now.filter { $0.cells[2].text == "same now" }.count == 2)
        for edit in applied.undo { _ = try await source.apply(try await source.preview(edit)) }
        let restored = try await source.window(WindowRequest(count: 100)).rows
        #expect(!restored.contains { $0.cells[2].text == "same now" })
    }

    @Test func rowThatChangedAfterThePreviewIsSkipped() async throws {
        let pair = try Pair()
        let other = try SharedPackage()
        try other.write("anna", ["note/98": "a", "note/99": "b"])
        let (source, rows) = try await pair.listed(pair.shared.path, from: other.path)
        let listed = try await source.window(WindowRequest(count: 100)).rows.map(\.id)
        let taken = try ["note/98", "note/99"].map { name in
            listed[try #require(rows.firstIndex { $0[0] == name })]
        }
        let preview = try await source.preview(.takeOver(taken))
        _ = try await source.apply(try await source.preview(.takeOver([taken[1]])))
        let applied = try await source.apply(preview)
        #expect(applied.skipped.map(\.edit) == [.takeOver([taken[1]])])
        #expect(applied.rows == [taken[0]])
    }

    @Test func propertiesOfOneEntityAreTakenOverAndUndoneTogether() async throws {
        let pair = try Pair()
        let other = try await pair.changedEntity(
            from: ["title": "Moby-Dick", "stars": 3], to: ["stars": 5, "title": "Whale"])
        let session = try await PaneSession(pair.shared.path)
        let source = try await DifferencesSource(of: session.session, with: other, at: nil)
        func rows() async throws -> [Row] {
            try await source.window(WindowRequest(count: 100)).rows
        }
        let taken = try await rows().map(\.id)
        #expect(taken.count == 2)
        let applied = try await source.apply(try await source.preview(.takeOver(taken)))
        #expect(applied.skipped.isEmpty)
        #expect(applied.rows == taken)
        #expect(try await rows().map(\.cells[2].text) == ["same now", "same now"])

        let entities = try session.source(.entities)
        let undone = await entities.apply(
            try await entities.previews(of: applied.undo, typedOver: nil))
        #expect(undone.failure == nil)
        #expect(undone.applied.count == 2)
        #expect(try await rows().map(\.cells[2].text) == ["changed", "changed"])
        await session.close()
    }

    @Test func propertiesOfEntityThatChangedAfterThePreviewAreNotWritten() async throws {
        let pair = try Pair()
        let other = try await pair.changedEntity(
            from: ["pages": 1, "stars": 3], to: ["pages": 2, "stars": 5])
        let session = try await PaneSession(pair.shared.path)
        let source = try await DifferencesSource(of: session.session, with: other, at: nil)
        let taken = try await source.window(WindowRequest(count: 100)).rows.map(\.id)
        let preview = try await source.preview(.takeOver(taken))
        let entity = RowID("book-moby-dick")
        try await session.perform(
            .set(entity, field: FieldPath("stars"), TypedText(.integer, "9")), in: .entities)
        let error = await #expect(throws: EditError.self) { _ = try await source.apply(preview) }
        #expect(error?.code == .moved)
        let value = try await session.source(.entities)
            .editableValue(of: entity, field: FieldPath("stars"))
        #expect(value?.text == "9")
        await session.close()
    }

    @Test func itemsOfDifferentKindsAreNotTakenOverTogether() async throws {
        let pair = try Pair()
        let other = try SharedPackage()
        try other.write("anna", ["note/99": "only there"])
        try other.package.blobs.put(Data([1]), at: "a.bin")
        let (source, _) = try await pair.listed(pair.shared.path, from: other.path)
        let listed = try await source.window(WindowRequest(count: 100)).rows.map(\.id)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver(listed))
        }
        #expect(error?.code == .unsupported && error?.message.contains("one kind") == true)
    }

    @Test func propertiesHaveTheirTitlesAsInOtherLists() async throws {
        let pair = try Pair()
        let other = try await pair.changedEntity(
            from: ["title": "Moby-Dick", "stars": 3], to: ["stars": 5])
        let (_, rows) = try await pair.listed(pair.shared.path, from: other)
        #expect(rows == [["Moby-Dick › stars", "property", "changed", "3", "5"]])
    }

    @Test func placesInDocumentsAreNamedByTheirWorkspace() async throws {
        let package = try DocumentPackage()
        let copy = package.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        try package.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Journey"))
        }
        let (_, rows) = try await Pair().listed(package.path, from: copy)
        #expect(
            rows == [["Plans /title", "document", "changed", "\"Trip\"", "\"Journey\""]])
    }

    @Test func valuesInDocumentsAreCopied() async throws {
        let package = try DocumentPackage()
        let copy = package.folder.appending("Copy.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: copy)
        try package.write("ben") { document in
            try document.put(obj: .ROOT, key: "title", value: .String("Journey"))
            try document.put(obj: .ROOT, key: "a/b", value: .Int(-1))
            let day = Date(timeIntervalSince1970: 1_700_000_000)
            try document.put(obj: .ROOT, key: "day", value: .Timestamp(day))
            try document.put(obj: .ROOT, key: "none", value: .Null)
            try document.put(obj: .ROOT, key: "raw", value: .Bytes(Data([0, 255])))
        }
        let session = try await PaneSession(copy)
        let source = try await DifferencesSource(of: session.session, with: package.path, at: nil)
        func rows() async throws -> [Row] {
            try await source.window(WindowRequest(count: 10)).rows
        }
        #expect(source.info.edits[.set] == .available)
        var undo: [Edit] = []
        for row in try await rows() {
            let offered = try #require(try await source.editableValue(of: row.id, field: nil))
            let edit = Edit.set(row.id, field: nil, offered)
            undo += try await source.apply(try await source.preview(edit)).undo
        }
        #expect(
            try await rows().map { "\($0.cells[0].text) \($0.cells[2].text)" }.sorted()
                == ["a~1b", "day", "none", "raw", "title"].map { "Plans /\($0) same now" })
        #expect(try await rows().allSatisfy { $0.cells[3].text == $0.cells[4].text })
        let tree = try #require(
            try await session.source(.documents).open(RowID(package.plans.uuidString), at: nil))
        func values() async throws -> [String] {
            try await tree.window(WindowRequest(count: 99)).rows.map(\.cells[1].text)
        }
        let copied = try await values()
        #expect(copied.contains("\"Journey\"") && copied.contains("-1"))
        let types = try await tree.window(WindowRequest(count: 99)).rows.map(\.cells[2].text)
        #expect(["timestamp", "null", "bytes"].allSatisfy(types.contains), "\(types)")
        for edit in undo { _ = try await source.apply(try await source.preview(edit)) }
        let restored = try await values()
        #expect(restored.contains("\"Trip\"") && !restored.contains("-1"))
        await session.close()
    }

    @Test func rowsWithEqualLookingNamesStayDistinct() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.appending("old.db"), folder.appending("new.db"))
        // Tables without a row number are named by their key.
        let sql = "CREATE TABLE t (a TEXT, b TEXT, c TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;"
        try run(sql + "INSERT INTO t VALUES ('x y', 'z', '1'), ('x', 'y z', '2')", in: old)
        try run(sql + "INSERT INTO t VALUES ('x y', 'z', '3'), ('x', 'y z', '4')", in: new)
        let session = try StoreOpener(device: nil).open(new)
        let source = try await DifferencesSource(of: session, with: old, at: nil)
        let window = try await source.window(
            WindowRequest(query: RowQuery(), position: .index(0), count: 10))
        #expect(Set(window.rows.map(\.id)).count == 2)
        for row in window.rows {
            let detail = try #require(try await source.detail(of: row.id, at: nil))
            let lines = detail.sections.flatMap(\.lines).map(\.text)
            let digit = row.cells[4].text.filter(\.isNumber)
            #expect(lines.contains { $0.contains(digit) }, "\(lines)")
        }
        await session.close()
    }

    @Test func unreadableDevicesAreListed() async throws {
        let pair = try Pair()
        try Data("no database".utf8).write(
            to: URL(filePath: pair.copy + "/Devices/cleo/Logs.db"))
        let (_, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        let unreadable = rows.filter { $0[2] == "unreadable" }
        #expect(unreadable.map { $0[0] } == [pair.copy])
        #expect(unreadable.first?[3].hasPrefix("cleo: ") == true)
    }

    @Test func itemIsNotDeletedIfTheOtherStoreMayHaveIt() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/9": "added"])
        try Data("no database".utf8).write(
            to: URL(filePath: pair.copy + "/Devices/cleo/Logs.db"))
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        let place = try #require(rows.firstIndex { $0[0] == "note/9" && $0[2] == "added" })
        let row = try await source.window(WindowRequest(count: 100)).rows[place].id
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([row]))
        }
        #expect(error?.code == .unreadable)
        let preview = try await source.preview(.remove([row], field: nil))
        #expect(preview.changes.map(\.new) == [nil])
    }

    @Test func keyIsDeletedIfOnlyEntitiesOfTheOtherStoreAreUnreadable() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/9": "added"])
        try Data("bplist00".utf8).write(
            to: URL(filePath: pair.copy + "/Devices/cleo/.Entities.db.icloud"))
        let store = try await EntityStore.open(pair.shared.package, device: DeviceID("anna"))
        try await store.add([(.new("person", identifier: "eve"), ["name": "Eve"])])
        await store.close()
        let (source, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        #expect(rows.contains { $0[2] == "unreadable" && $0[3].hasPrefix("cleo: ") })
        let place = try #require(rows.firstIndex { $0[0] == "note/9" && $0[2] == "added" })
        let row = try await source.window(WindowRequest(count: 100)).rows[place].id
        let preview = try await source.preview(.takeOver([row]))
        #expect(preview.changes.map(\.new) == [nil])
    }

    @Test func inspectorShowsWhyATableIsNotCompared() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.appending("old.db"), folder.appending("new.db"))
        try run("CREATE TABLE t (a PRIMARY KEY)", in: old)
        try run("CREATE TABLE t (a, b PRIMARY KEY)", in: new)
        let session = try StoreOpener(device: nil).open(new)
        let source = try await DifferencesSource(of: session, with: old, at: nil)
        let rows = try await source.window(WindowRequest(count: 10)).rows
        let row = try #require(rows.first { $0.cells[2].text == "unreadable" })
        let detail = try #require(try await source.detail(of: row.id, at: nil))
        #expect(detail.title == new)
        #expect(
            detail.sections.flatMap(\.lines).map(\.text)
                == ["the rows of t are not compared: the primary keys differ"])
        await session.close()
    }

    private func run(_ sql: String, in path: String) throws {
        try runSQL(sql, at: path)
    }

    @Test func rowsOfTablesAreTakenOverButNotEditedHere() async throws {
        let folder = try TemporaryFolder()
        let (old, new) = (folder.appending("old.db"), folder.appending("new.db"))
        let sql = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
        try run(sql + "INSERT INTO person VALUES (1, 'Anna', 'Kyoto')", in: old)
        try run(sql + "INSERT INTO person VALUES (1, 'Anna', 'Osaka')", in: new)
        let session = try StoreOpener(device: nil).open(new)
        let source = try await DifferencesSource(of: session, with: old, at: nil)
        let window = try await source.window(
            WindowRequest(query: RowQuery(), position: .index(0), count: 10))
        let row = try #require(window.rows.first)
        #expect(
            row.cells.map(\.text) == [
                "person 1", "row", "changed", "city: \"Kyoto\"", "city: \"Osaka\"",
            ])
        #expect(try await source.editableValue(of: row.id, field: nil) == nil)
        #expect(row.refusedEdits[.set] != nil)
        await #expect(throws: EditError.self) {
            _ = try await source.preview(.remove([row.id], field: nil))
        }
        await session.close()
    }

    @Test func textAndNumberLookDifferent() async throws {
        let pair = try Pair()
        try pair.shared.write("anna", ["note/9": "5", "list": ["a", 1]])
        let (_, rows) = try await pair.listed(pair.shared.path, from: pair.copy)
        let shown = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[4]) })
        #expect(shown == ["note/9": "\"5\"", "list": #"["a",1]"#])
    }

    @Test func storesOfDifferentKindsAreRefused() async throws {
        let pair = try Pair()
        let database = pair.shared.folder.appending("other.db")
        try run("CREATE TABLE t (a)", in: database)
        let session = try StoreOpener(device: nil).open(pair.shared.path)
        await #expect(throws: CoreError.self) {
            _ = try await DifferencesSource(of: session, with: database, at: nil)
        }
        await session.close()
    }
}
