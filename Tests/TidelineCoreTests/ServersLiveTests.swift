import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Writes to open catalogs, and invalid catalogs.
@Suite(.timeLimit(.minutes(30))) struct ServersLiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func alone() throws -> String {
        let path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
        return path
    }

    private func package(_ devices: String...) throws -> StorePackage {
        try CatalogSamples.package(at: folder.appending("Notes.store"), of: devices)
    }

    private func loads(_ pane: PaneSession) async throws -> [String] {
        let germany = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        return try await germany.window(WindowRequest(count: 9)).rows.map { $0.cells[1].text }
    }

    /// Imports loads and servers as another program, and expects updates.
    private func expectLiveImport(_ pane: PaneSession, into file: String) async throws {
        #expect(try await loads(pane) == ["maintenance", "░░░░░░░░ 9%", "██████░░ 80%"])
        let germany = try #require(
            try await pane.source(.servers).open(RowID("country DE"), at: nil))
        _ = try await germany.window(WindowRequest(count: 9))
        let events = EventLog(pane.session)
        let catalog = try CatalogDatabase.open(path: file)
        let status = LogicalStatus(load: 33, score: 1, status: 1)
        try catalog.update(
            loads: ["de-1", "de-2", "de-3"].map { ServerLoad(id: $0, status: status) })
        let event = try #require(await events.nextChange(of: .servers))
        #expect(event.summary == "server catalog updated")
        #expect(try await loads(pane) == Array(repeating: "██░░░░░░ 33%", count: 3))
        let rows = try await germany.window(WindowRequest(count: 9)).rows
        #expect(rows.map { $0.cells[1].text } == Array(repeating: "██░░░░░░ 33%", count: 3))
        _ = try catalog.delete(serversNotIn: ["ch-1"], maxTier: 2)
        while pane.session.status.counts[.servers] != 1 {
            #expect(await events.nextChange(of: .servers) != nil)
        }
        #expect(try await pane.names(.servers) == ["country CH"])
        #expect(try await germany.window(WindowRequest(count: 9)).rows.isEmpty)
        #expect(try await pane.source(.servers).detail(of: RowID("country DE"), at: nil) == nil)
    }

    @Test func importedLoadsUpdateACatalogFile() async throws {
        let path = try alone()
        let pane = try await PaneSession(path, device: nil)
        try await expectLiveImport(pane, into: path)
        await pane.close()
    }

    @Test func importedLoadsUpdateACatalogInAPackage() async throws {
        let package = try package("anna")
        let pane = try await PaneSession(package.path)
        #expect(pane.session.panes.contains { $0.id == .servers })
        let file = try package.device(DeviceID("anna")).path(of: .catalog)
        try await expectLiveImport(pane, into: file)
        await pane.close()
    }

    @Test func writeReportsChangedServersAndGroups() async throws {
        let path = try alone()
        let pane = try await PaneSession(path, device: nil)
        let events = EventLog(pane.session)
        let catalog = try CatalogDatabase.open(path: path)
        // Writes before the servers are first loaded are reported without names.
        var event: SessionEvent
        var load = 1
        repeat {
            load += 1
            let status = LogicalStatus(load: load, score: 1, status: 1)
            try catalog.update(loads: [ServerLoad(id: "de-1", status: status)])
            event = try #require(await events.nextChange(of: .servers))
        } while event.kind == .changed(.servers, rows: [:], isOwn: false) && load < 50
        #expect(
            event.kind
                == .changed(
                    .servers, rows: [RowID("de-1"): .changed, RowID("country DE"): .changed],
                    isOwn: false))
        _ = try catalog.delete(serversNotIn: ["ch-1", "de-1", "de-2", "de-3"], maxTier: 0)
        for _ in 0..<50 {
            event = try #require(await events.nextChange(of: .servers))
            if event.kind != .changed(.servers, rows: [:], isOwn: false) { break }
        }
        #expect(
            event.kind
                == .changed(
                    .servers, rows: [RowID("us-1"): .deleted, RowID("country US"): .changed],
                    isOwn: false))
        await pane.close()
    }

    @Test func replacedCatalogIsReloaded() async throws {
        let path = try alone()
        let pane = try await PaneSession(path, device: nil)
        #expect(try await pane.names(.servers).count == 5)
        let events = EventLog(pane.session)
        let other = folder.appending("other.db")
        _ = try CatalogDatabase.open(path: other)
        #expect(rename(other, path) == 0)
        #expect(await events.nextChange(of: .servers) != nil)
        #expect(try await pane.names(.servers).isEmpty)
        #expect(pane.session.status.counts[.servers] == 0)
        await pane.close()
    }

    @Test func ownCatalogIsPreferredToOtherDevicesCatalogs() async throws {
        let package = try package("anna", "ben")
        let ben = try package.device(DeviceID("ben")).path(of: .catalog)
        _ = try CatalogDatabase.open(path: ben).delete(serversNotIn: ["ch-1"], maxTier: 2)
        let own = try await PaneSession(package.path, device: "ben")
        #expect(try await own.names(.servers) == ["country CH"])
        #expect(own.session.status.problems.isEmpty)
        #expect(try own.source(.servers).owner == nil)
        await own.close()
        let other = try await PaneSession(package.path, device: "desk")
        #expect(try await other.names(.servers).count == 5)
        #expect(other.session.status.problems.isEmpty)
        #expect(try other.source(.servers).owner?.name == "anna")
        await other.close()
    }

    @Test func ownerOfTheShownCatalogIsReportedOnOpening() async throws {
        let package = try package("anna", "ben")
        let session = try StoreOpener(device: DeviceID("desk")).open(package.path)
        let reported = await EventLog(session).next { $0.summary.hasPrefix("servers: showing") }
        #expect(reported?.summary.contains("anna's catalog") == true)
        #expect(reported?.summary.hasSuffix("to show another one: :choose-catalog ben") == true)
        await session.close()
    }

    @Test func onlyCatalogIsAttributedToItsDevice() async throws {
        let package = try package("anna")
        let ben = try await PaneSession(package.path, device: "ben")
        #expect(try await ben.names(.servers).count == 5)
        #expect(ben.session.status.problems.isEmpty)
        #expect(try ben.source(.servers).owner?.name == "anna")
        await ben.close()
        let viewer = try await PaneSession(package.path, device: nil)
        #expect(viewer.session.status.problems.isEmpty)
        await viewer.close()
    }

    private func makeNewer(_ path: String) throws {
        try runSQL("INSERT INTO grdb_migrations VALUES ('the future')", at: path)
    }

    /// Returns the reason for an empty list, as the screen shows it.
    private func reason(_ pane: PaneSession) async throws -> String {
        let error = await #expect(throws: CoreError.self) { _ = try await pane.names(.servers) }
        return error?.description ?? ""
    }

    @Test func newerCatalogIsRejectedUntilTheSuggestionIsFollowed() async throws {
        let path = try alone()
        try makeNewer(path)
        let pane = try await PaneSession(path, device: nil)
        let events = EventLog(pane.session)
        await #expect(throws: SessionFailure.self) { try await pane.session.reload() }
        let suggestion =
            "tideline servers create --rebuild \(path) "
            + "creates a new one and keeps the old file"
        #expect(try await reason(pane).contains("newer version"))
        #expect(try await reason(pane).hasSuffix("; " + suggestion))
        #expect(problems(pane).count == 1)
        #expect(pane.session.status.problems[0].hasSuffix(suggestion))
        let (catalog, kept) = try CatalogDatabase.rebuild(path: path)
        try catalog.upsert(servers: CatalogSamples.servers)
        while !pane.session.status.problems.isEmpty {
            #expect(await events.nextChange(of: .servers) != nil)
        }
        #expect(try await pane.names(.servers).count == 5)
        #expect(FileManager.default.fileExists(atPath: kept))
        await pane.close()
    }

    @Test func unreadableCatalogIsReportedWithASuggestion() async throws {
        let path = try alone()
        let pane = try await PaneSession(path, device: nil)
        let events = EventLog(pane.session)
        try makeNewer(path)
        let reason = await events.next { $0.kind == .status && !$0.summary.isEmpty }
        #expect(reason?.summary.hasPrefix("servers: ") == true)
        let suggestion = await events.next { $0.kind == .status }
        #expect(suggestion?.summary.contains("tideline servers create --rebuild \(path) ") == true)
        #expect(pane.session.status.phase == .live)
        await pane.close()
    }

    @Test func firstSubscriberReceivesEventsSinceOpening() async throws {
        let path = try alone()
        try makeNewer(path)
        let session = try StoreOpener(device: nil).open(path)
        try await wait { if case .loading = session.status.phase { false } else { true } }
        let events = EventLog(session)
        #expect(await events.next { $0.summary.contains("create --rebuild") } != nil)
        let catalog = try CatalogDatabase.rebuild(path: path).catalog
        #expect(try catalog.serverCount() == 0)
        #expect(await events.nextChange(of: .servers) != nil)
        await session.close()
    }

    private func problems(_ pane: PaneSession) -> [String] { pane.session.status.problems }

    @Test func newerCatalogInAPackageDoesNotAffectOtherData() async throws {
        let package = try package("anna")
        try makeNewer(package.device(DeviceID("anna")).path(of: .catalog))
        let pane = try await PaneSession(package.path)
        try await pane.session.reload()
        #expect(problems(pane).count == 1)
        #expect(
            problems(pane)[0].contains(
                "tideline servers create --rebuild \(package.path) "))
        try await pane.perform(.add(name: "k", parent: nil, TypedText(.string, "v")))
        #expect(try await pane.names(.keys) == ["k"])
        await pane.close()
    }

    @Test func damagedOrEmptyCatalogFailsWithAReason() async throws {
        let package = try package("anna")
        let path = try package.device(DeviceID("anna")).path(of: .catalog)
        let whole = try Data(contentsOf: URL(filePath: path))
        var damaged = whole
        damaged.replaceSubrange(
            4096..<whole.count, with: Data(repeating: 0x5A, count: whole.count - 4096))
        for content in [damaged, Data(), Data("a text".utf8), whole.prefix(5000)] {
            try content.write(to: URL(filePath: path))
            let pane = try await PaneSession(package.path)
            try await pane.session.reload()
            #expect(problems(pane).count == 1)
            #expect(pane.session.status.counts[.servers] == nil)
            #expect(try await reason(pane).isEmpty == false)
            #expect(try await pane.rows(.keys).isEmpty)
            await pane.close()
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
        let alone = folder.appending("empty.db")
        try Data().write(to: URL(filePath: alone))
        let error = #expect(throws: CoreError.self) {
            _ = try StoreOpener(device: nil).open(alone)
        }
        #expect(error?.code == .badData && error?.message.contains("empty") == true)
    }

    @Test func missingCatalogIsReported() async throws {
        let path = try alone()
        let pane = try await PaneSession(path, device: nil)
        let events = EventLog(pane.session)
        try FileManager.default.removeItem(atPath: path)
        _ = try #require(await events.next { $0.kind == .deleted })
        #expect(pane.session.status.phase == .missing)
        #expect(pane.session.status.problems == ["servers: \(path) is missing"])
        await pane.close()
    }
}
