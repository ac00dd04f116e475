import Foundation
import GRDB
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Catalogs that are written while somebody looks, and catalogs that are none.
@Suite(.timeLimit(.minutes(2))) struct ServersLiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func alone() throws -> String {
        let path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
        return path
    }

    /// A package in which devices have catalogs.
    private func package(_ devices: String...) throws -> StorePackage {
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        for device in devices {
            let folder = try package.makeDeviceFolder(try DeviceID(device))
            try CatalogSamples.write(to: folder.path(of: .catalog))
        }
        return package
    }

    private func loads(_ room: RoomSession) async throws -> [String] {
        let germany = try #require(
            try await room.source(.servers).open(RowID("country DE"), at: nil))
        return try await germany.window(WindowRequest(count: 9)).rows.map { $0.cells[1].text }
    }

    /// Loads and servers as another program imports them.
    private func expectLiveImport(_ room: RoomSession, into file: String) async throws {
        #expect(try await loads(room) == ["maintenance", "░░░░░░░░ 9%", "██████░░ 80%"])
        let germany = try #require(
            try await room.source(.servers).open(RowID("country DE"), at: nil))
        _ = try await germany.window(WindowRequest(count: 9))
        let events = EventLog(room.session)
        let catalog = try CatalogDatabase.open(path: file)
        let status = LogicalStatus(load: 33, score: 1, status: 1)
        try catalog.update(
            loads: ["de-1", "de-2", "de-3"].map { ServerLoad(id: $0, status: status) })
        let event = try #require(await events.nextChange(of: .servers))
        #expect(event.summary == "the server catalog was written")
        #expect(try await loads(room) == Array(repeating: "██░░░░░░ 33%", count: 3))
        let rows = try await germany.window(WindowRequest(count: 9)).rows
        #expect(rows.map { $0.cells[1].text } == Array(repeating: "██░░░░░░ 33%", count: 3))
        _ = try catalog.delete(serversNotIn: ["ch-1"], maxTier: 2)
        while room.session.status.counts[.servers] != 1 {
            #expect(await events.nextChange(of: .servers) != nil)
        }
        #expect(try await room.names(.servers) == ["country CH"])
        #expect(try await germany.window(WindowRequest(count: 9)).rows.isEmpty)
        #expect(try await room.source(.servers).detail(of: RowID("country DE"), at: nil) == nil)
    }

    @Test func loadsOfAFileAreRefreshedWhenTheyAreImported() async throws {
        let path = try alone()
        let room = try await RoomSession(path, device: nil)
        try await expectLiveImport(room, into: path)
        await room.close()
    }

    @Test func loadsInAPackageAreRefreshedWhenTheyAreImported() async throws {
        let package = try package("anna")
        let room = try await RoomSession(package.path)
        #expect(room.session.rooms.contains { $0.id == .servers })
        let file = try package.device(DeviceID("anna")).path(of: .catalog)
        try await expectLiveImport(room, into: file)
        await room.close()
    }

    @Test func aFileThatIsReplacedIsReadAnew() async throws {
        let path = try alone()
        let room = try await RoomSession(path, device: nil)
        #expect(try await room.names(.servers).count == 5)
        let events = EventLog(room.session)
        let other = folder.appending("other.db")
        _ = try CatalogDatabase.open(path: other)
        #expect(rename(other, path) == 0)
        #expect(await events.nextChange(of: .servers) != nil)
        #expect(try await room.names(.servers).isEmpty)
        #expect(room.session.status.counts[.servers] == 0)
        await room.close()
    }

    @Test func theDevicesOwnCatalogIsShownOrElseTheFirst() async throws {
        let package = try package("anna", "ben")
        let ben = try package.device(DeviceID("ben")).path(of: .catalog)
        _ = try CatalogDatabase.open(path: ben).delete(serversNotIn: ["ch-1"], maxTier: 2)
        let own = try await RoomSession(package.path, device: "ben")
        #expect(try await own.names(.servers) == ["country CH"])
        #expect(own.session.status.problems.isEmpty)
        await own.close()
        let other = try await RoomSession(package.path, device: "desk")
        #expect(try await other.names(.servers).count == 5)
        #expect(
            other.session.status.problems
                == ["servers: anna's catalog is shown; name another device with --device: ben"])
        await other.close()
    }

    @Test func theOnlyCatalogIsShownAsItsDevicesAndNotAsOnesOwn() async throws {
        let package = try package("anna")
        let ben = try await RoomSession(package.path, device: "ben")
        #expect(try await ben.names(.servers).count == 5)
        #expect(
            ben.session.status.problems == ["servers: anna's catalog is shown; ben has none"])
        await ben.close()
        let viewer = try await RoomSession(package.path, device: nil)
        #expect(viewer.session.status.problems.isEmpty)
        await viewer.close()
    }

    private func makeNewer(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('the future')")
        }
        try queue.close()
    }

    /// Why nothing is listed, as the screen tells it.
    private func reason(_ room: RoomSession) async throws -> String {
        let error = await #expect(throws: CoreError.self) { _ = try await room.names(.servers) }
        return error?.description ?? ""
    }

    @Test func aNewerCatalogIsRefusedWithTheWayOutAndHealsWhenItIsTaken() async throws {
        let path = try alone()
        try makeNewer(path)
        let room = try await RoomSession(path, device: nil)
        let events = EventLog(room.session)
        await room.session.reload()
        let wayOut =
            "tideline servers create --rebuild \(path) "
            + "begins anew and keeps the old file beside it"
        #expect(try await reason(room).contains("newer version"))
        #expect(try await reason(room).hasSuffix("; " + wayOut))
        #expect(problems(room).count == 1)
        #expect(room.session.status.problems[0].hasSuffix(wayOut))
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path)
        try catalog.upsert(servers: CatalogSamples.servers)
        while !room.session.status.problems.isEmpty {
            #expect(await events.nextChange(of: .servers) != nil)
        }
        #expect(try await room.names(.servers).count == 5)
        #expect(FileManager.default.fileExists(atPath: kept))
        await room.close()
    }

    @Test func aCatalogThatBecomesUnreadableIsToldWithTheWayOut() async throws {
        let path = try alone()
        let room = try await RoomSession(path, device: nil)
        let events = EventLog(room.session)
        try makeNewer(path)
        let reason = await events.next { $0.kind == .status && !$0.summary.isEmpty }
        #expect(reason?.summary.hasPrefix("servers: the catalog was written by a newer") == true)
        let wayOut = await events.next { $0.kind == .status }
        #expect(wayOut?.summary.contains("tideline servers create --rebuild \(path) ") == true)
        #expect(room.session.status.phase == .live)
        await room.close()
    }

    @Test func whoListensFirstHearsWhatHasHappenedSinceTheOpening() async throws {
        let path = try alone()
        try makeNewer(path)
        let session = try StoreOpener(device: nil).open(path)
        while case .loading = session.status.phase { await Task.yield() }
        let events = EventLog(session)
        #expect(await events.next { $0.summary.contains("create --rebuild") } != nil)
        let catalog = try CatalogDatabase.rebuild(path: path).catalog
        #expect(try catalog.serverCount() == 0)
        #expect(await events.nextChange(of: .servers) != nil)
        await session.close()
    }

    /// What is wrong, without whose catalog is shown.
    private func problems(_ room: RoomSession) -> [String] {
        room.session.status.problems.filter { !$0.contains("is shown") }
    }

    @Test func aNewerCatalogInAPackageLeavesTheRestAlone() async throws {
        let package = try package("anna")
        try makeNewer(package.device(DeviceID("anna")).path(of: .catalog))
        let room = try await RoomSession(package.path)
        await room.session.reload()
        #expect(problems(room).count == 1)
        #expect(
            problems(room)[0].contains(
                "tideline servers create --rebuild \(package.path) "))
        try await room.perform(.add(name: "k", parent: nil, TypedText(.string, "v")))
        #expect(try await room.names(.keys) == ["k"])
        await room.close()
    }

    @Test func aDamagedOrEmptyCatalogSaysSo() async throws {
        let package = try package("anna")
        let path = try package.device(DeviceID("anna")).path(of: .catalog)
        let whole = try Data(contentsOf: URL(filePath: path))
        var damaged = whole
        damaged.replaceSubrange(
            4096..<whole.count, with: Data(repeating: 0x5A, count: whole.count - 4096))
        for content in [damaged, Data(), Data("a text".utf8), whole.prefix(5000)] {
            try content.write(to: URL(filePath: path))
            let room = try await RoomSession(package.path)
            await room.session.reload()
            #expect(problems(room).count == 1)
            #expect(room.session.status.counts[.servers] == nil)
            #expect(try await reason(room).isEmpty == false)
            #expect(try await room.rows(.keys).isEmpty)
            await room.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
        let alone = folder.appending("empty.db")
        try Data().write(to: URL(filePath: alone))
        let error = #expect(throws: CoreError.self) {
            _ = try StoreOpener(device: nil).open(alone)
        }
        #expect(error?.description == "the file is empty")
    }

    @Test func aCatalogThatGoesIsTold() async throws {
        let path = try alone()
        let room = try await RoomSession(path, device: nil)
        let events = EventLog(room.session)
        try FileManager.default.removeItem(atPath: path)
        while room.session.status.problems.isEmpty {
            #expect(await events.nextChange(of: .servers) != nil)
        }
        #expect(room.session.status.problems == ["servers: \(path) has gone"])
        await room.close()
    }
}
