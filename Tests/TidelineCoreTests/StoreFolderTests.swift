import Automerge
import DocumentStore
import Foundation
import KeyValueStore
import Replication
import TestSupport
import Testing

@testable import TidelineCore

/// A list of the stores in a folder.
@Suite(.timeLimit(.minutes(30))) struct StoreFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.appending(name), withIntermediateDirectories: true)
    }

    private func makePackage(_ name: String, _ devices: String...) throws {
        let package = try StorePackage(creating: folder.appending(name))
        for device in devices { _ = try package.makeDeviceFolder(try DeviceID(device)) }
    }

    private func makeDatabase(_ name: String) throws {
        try runSQL("CREATE TABLE t (a); INSERT INTO t VALUES (1)", at: folder.appending(name))
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.appending(name)))
    }

    /// Returns the names and kinds of the listed stores.
    private func listed(_ pane: PaneSession, _ query: RowQuery = RowQuery()) async throws
        -> [String]
    {
        try await pane.rows(.stores, query).map { "\($0.cells[0].text) \($0.cells[1].text)" }
    }

    @Test func storesAreInNaturalOrder() async throws {
        for name in ["s1.db", "s10.db", "s9.db"] { try makeDatabase(name) }
        let pane = try await PaneSession(folder.path)
        #expect(try await listed(pane) == ["s1.db tables", "s9.db tables", "s10.db tables"])
        await pane.close()
    }

    @Test func folderEntriesNameStoresAndFolders() throws {
        try makePackage("Notes.store", "desk")
        try makeFolder("work/deep")
        try makePackage("work/deep/Plans.store", "desk")
        try makeDatabase("any.db")
        try write("text", "notes.txt")
        try makeFolder(".hidden")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("link"), withDestinationPath: folder.appending("work"))
        #expect(
            StoreFolder(folder.path).entries.map { [$0.name, $0.kind] } == [
                ["Notes.store", "package"], ["any.db", "tables"], ["work", nil],
            ])
        for name in ["Notes.store", "any.db"] {
            let entry = StoreFolder.entry(at: folder.appending(name))
            #expect(entry?.name == name && entry?.byteCount != nil)
            #expect(StoreFolder(folder.path).entries.contains { $0 == entry })
        }
        for name in ["work", "notes.txt", "nowhere"] {
            #expect(StoreFolder.entry(at: folder.appending(name)) == nil)
        }
        #expect(StoreFolder(folder.appending("nowhere")).entries.isEmpty)
        #expect(StoreFolder(folder.appending("notes.txt")).entries.isEmpty)
    }

    /// The screen appears before a large folder has been searched.
    @Test func largeFolderOpensBeforeItsStoresAreFound() throws {
        try makeFolder("a")
        for number in 0..<StoreFolder.firstLimit { try write("", "a/\(number)") }
        #expect(StoreFolder(folder.path).mayHaveStores)
        try FileManager.default.removeItem(atPath: folder.appending("a/0"))
        #expect(StoreFolder(folder.path).mayHaveStores)
        try FileManager.default.removeItem(atPath: folder.appending("a/1"))
        #expect(!StoreFolder(folder.path).mayHaveStores)
    }

    @Test func storesOfEveryKindAndNoOtherFilesAreFound() async throws {
        try makePackage("Notes.store", "desk", "phone")
        try makeFolder("work/deep/deeper")
        try makePackage("work/deep/Plans.store", "desk")
        try makeDatabase("work/any.db")
        try makeDatabase("work/deep/deeper/without-an-ending")
        try AutomergeStore(creatingStorageFolder: folder.appending("work/amrg")).close()
        let document = Document()
        try document.put(obj: .ROOT, key: "a", value: .Int(1))
        try document.save().write(to: URL(filePath: folder.appending("one.automerge")))
        // None of these is a store of a listed kind.
        try write("text", "notes.txt")
        try write("", "empty")
        try makeFolder("Devices-of-mine")
        try makeFolder(".hidden")
        try makeDatabase(".hidden/any.db")
        try makeDatabase("Notes.store/Devices/desk/inside.db")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending("link"), withDestinationPath: folder.appending("work"))
        let pane = try await PaneSession(folder.path)
        #expect(
            try await listed(pane) == [
                "Notes.store package", "one.automerge automerge", "work/amrg documents",
                "work/any.db tables", "work/deep/Plans.store package",
                "work/deep/deeper/without-an-ending tables",
            ])
        let rows = try await pane.rows(.stores)
        #expect(rows[0].cells.last?.text == "desk, phone")
        #expect(rows.allSatisfy { $0.id.name == "\(folder.path)/\($0.cells[0].text)" })
        #expect(pane.session.status.counts == [.stores: 6])
        let filter = RowQuery(
            filter: "kind:tables", sort: .init(column: "store", isDescending: true))
        #expect(
            try await listed(pane, filter) == [
                "work/deep/deeper/without-an-ending tables", "work/any.db tables",
            ])
        let detail = try await pane.detail(.stores, "\(folder.path)/Notes.store")
        #expect(detail.lines("Devices") == ["desk", "phone"])
        await pane.close()
    }

    @Test func unreadableDatabaseIsListedWithTheReason() async throws {
        try makeDatabase("cut.db")
        try makeDatabase("whole.db")
        let cut = URL(filePath: folder.appending("cut.db"))
        let whole = try Data(contentsOf: cut)
        try whole.prefix(whole.count / 2).write(to: cut)
        let pane = try await PaneSession(folder.path)
        #expect(try await listed(pane) == ["cut.db unreadable", "whole.db tables"])
        let filter = RowQuery(filter: "kind:unreadable")
        #expect(try await listed(pane, filter) == ["cut.db unreadable"])
        let detail = try await pane.detail(.stores, "\(folder.path)/cut.db")
        let bytes = "\(Counted.grouped(whole.count / 2)) of \(Counted.grouped(whole.count)) bytes"
        #expect(detail.lines("Problem").first?.contains(bytes) == true, "\(detail)")
        let problems = pane.session.status.problems
        #expect(problems.count == 1 && problems[0].contains("cut.db is incomplete"), "\(problems)")
        await pane.close()
    }

    @Test func unreadableDatabaseIsReadAgain() throws {
        try makeDatabase("any.db")
        let file = URL(filePath: folder.appending("any.db"))
        let whole = try Data(contentsOf: file)
        // Both versions have the same size and date.
        func found(
            _ content: Data, after before: StoreFolder.Contents = .init()
        ) throws -> StoreFolder.Contents {
            try content.write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: file.path)
            return StoreFolder(folder.path).contents(after: before)
        }
        let damaged = whole.prefix(100) + Data(repeating: 0x55, count: whole.count - 100)
        let before = try found(damaged)
        #expect(before.stores.map(\.kind) == ["unreadable"])
        #expect(try found(whole, after: before).stores.map(\.kind) == ["tables"])
    }

    @Test func packageIsListedWithItsFormatAndTheNamesOfItsDevices() async throws {
        for (name, format) in [("New.store", LogFormat.tideline2), ("Old.store", .parstore1)] {
            var configuration = KeyValueStore.Configuration()
            configuration.format = format
            let store = try KeyValueStore(
                path: folder.appending(name), device: "desk", configuration: configuration)
            try await store.load()
            try store.createLog()
            try store.close()
        }
        let package = try StorePackage(opening: folder.appending("Old.store"))
        try package.setDeviceName("Anna's desk", of: DeviceID("desk"))
        let pane = try await PaneSession(folder.path)
        let cells = try await pane.rows(.stores).map { $0.cells.suffix(2).map(\.text) }
        #expect(cells == [["tideline-2", "desk"], ["parstore-1", "Anna's desk"]])
        await pane.close()
    }

    @Test func storesAreReportedDuringTheSearch() throws {
        for name in ["a.db", "b.db", "c.db"] { try makeDatabase(name) }
        var reports: [[String]] = []
        let contents = StoreFolder(folder.path).contents(every: .zero) {
            reports.append($0.map(\.name))
        }
        #expect(contents.stores.map(\.name) == ["a.db", "b.db", "c.db"])
        #expect(reports.map(\.count).max() == 2 && reports.allSatisfy { $0 == $0.sorted() })
    }

    @Test func folderWithoutStoresIsRejected() throws {
        try write("text", "notes.txt")
        let error = #expect(throws: ReplicationError.self) {
            _ = try StoreOpener(device: nil, listsFolders: true).open(folder.path)
        }
        #expect(error?.code == .notAPackage)
    }

    @Test func emptyFolderIsListedAndFills() async throws {
        try makeFolder("empty")
        let session = try StoreOpener(device: nil, listsFolders: true)
            .open(folder.appending("empty"))
        let events = EventLog(session)
        _ = try #require(await events.next { $0.kind == .loaded })
        #expect(session.status.counts == [.stores: 0])
        try makeDatabase("empty/any.db")
        while session.status.counts != [.stores: 1] {
            _ = try #require(await events.nextChange(of: .stores))
        }
        await session.close()
    }

    @Test func deletedFolderIsMissingUntilItIsBack() async throws {
        try makeDatabase("any.db")
        let (path, away) = (folder.appending("stores"), folder.appending("away"))
        try makeFolder("stores")
        try makeDatabase("stores/any.db")
        let session = try StoreOpener(device: nil, listsFolders: true).open(path)
        let events = EventLog(session)
        _ = try #require(await events.next { $0.kind == .loaded })
        try FileManager.default.moveItem(atPath: path, toPath: away)
        _ = try #require(await events.next { $0.kind == .deleted })
        #expect(session.status.phase == .missing)
        await #expect(throws: SessionFailure.self) { try await session.reload() }
        try FileManager.default.moveItem(atPath: away, toPath: path)
        _ = try #require(await events.next { $0.kind == .returned })
        #expect(session.status.phase == .live && session.status.counts == [.stores: 1])
        await session.close()
    }

    @Test func foldersAreListedOnlyOnRequest() throws {
        try makePackage("Notes.store", "desk")
        #expect(throws: ReplicationError.self) { try StoreOpener(device: nil).open(folder.path) }
    }

    @Test func addedChangedAndDeletedStoresAreReported() async throws {
        try makePackage("Notes.store", "desk")
        let pane = try await PaneSession(folder.path)
        let events = EventLog(pane.session)
        func next() async -> [RowID: RowMark] {
            guard case .changed(_, let rows, _)? = await events.nextChange(of: .stores)?.kind
            else { return [:] }
            return rows
        }
        let (notes, plans) = (
            RowID("\(folder.path)/Notes.store"), RowID("\(folder.path)/sub/Plans.store")
        )
        try makeFolder("sub")
        try makePackage("sub/Plans.store", "phone")
        var marks: [RowID: RowMark] = [:]
        while marks[plans] == nil { marks = await next() }
        #expect(marks[plans] == .new)
        let store = try KeyValueStore(
            package: StorePackage(opening: notes.name), device: DeviceID("desk"))
        try await store.load()
        try store.set("milk", forKey: "a")
        try await store.save()
        try store.close()
        marks = [:]
        while marks[notes] == nil { marks = await next() }
        #expect(marks[notes] == .changed)
        try FileManager.default.removeItem(atPath: plans.name)
        marks = [:]
        while marks[plans] != .deleted { marks = await next() }
        #expect(try await listed(pane) == ["Notes.store package"])
        await pane.close()
    }

    /// A file with the same size and time is not opened again. A file that becomes a store is.
    @Test func fileThatBecomesAStoreIsFound() async throws {
        try makePackage("Notes.store", "desk")
        try write("not yet a database, but soon", "later.db")
        let pane = try await PaneSession(folder.path)
        #expect(try await listed(pane) == ["Notes.store package"])
        try FileManager.default.removeItem(atPath: folder.appending("later.db"))
        try makeDatabase("later.db")
        try await pane.session.reload()
        #expect(try await listed(pane) == ["Notes.store package", "later.db tables"])
        await pane.close()
    }
}
