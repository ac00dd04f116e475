import Foundation
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Copying servers from another catalog.
@Suite struct ServerTakeoverTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func servers(_ path: String) throws -> [VPNServer] {
        try CatalogDatabase.openForReading(path: path).allServers()
    }

    private func differences(
        _ session: PaneSession, from other: String
    ) async throws -> (source: DifferencesSource, rows: [Row]) {
        let source = try await DifferencesSource(of: session.session, with: other, at: nil)
        let rows = try await source.window(
            WindowRequest(query: RowQuery(filter: "kind:server"), count: 100)
        ).rows
        return (source, rows)
    }

    @Test func addingChangingAndDeletingServersIsUndone() async throws {
        let (other, open) = (folder.appending("other.db"), folder.appending("open.db"))
        try CatalogSamples.write(to: other)
        var changed = CatalogSamples.servers.filter { $0.id != "ch-1" }
        changed[0].logical.status.load = 33
        changed.append(CatalogSamples.server("new", "N#1", "NO", []))
        try CatalogDatabase.open(path: open).upsert(servers: changed)
        let before = try servers(open)

        let session = try await PaneSession(open)
        let (source, rows) = try await differences(session, from: other)
        #expect(source.info.edits[.takeOver] == .available)
        #expect(Set(rows.map(\.cells[2].text)) == ["removed", "changed", "added"])
        var undo: [Edit] = []
        for row in rows {
            let preview = try await source.preview(.takeOver([row.id]))
            undo += try await source.apply(preview).undo
        }
        #expect(try servers(open) == servers(other))
        let now = try await source.window(WindowRequest(count: 100)).rows
        #expect(Set(now.map(\.cells[2].text)) == ["same now"])
        for edit in undo.reversed() { try await session.perform(edit, in: .servers) }
        #expect(try servers(open) == before)
        await session.session.close()
    }

    @Test func severalServersAreTakenOverAndUndoneTogether() async throws {
        let (other, open) = (folder.appending("other.db"), folder.appending("open.db"))
        try CatalogSamples.write(to: other)
        var changed = CatalogSamples.servers.filter { $0.id != "ch-1" }
        changed[0].logical.status.load = 33
        try CatalogDatabase.open(path: open).upsert(servers: changed)
        let before = try servers(open)

        let session = try await PaneSession(open)
        let (source, rows) = try await differences(session, from: other)
        let preview = try await source.preview(.takeOver(rows.map(\.id)))
        #expect(preview.rowCount == 2)
        let applied = try await source.apply(preview)
        #expect(try servers(open) == servers(other))
        let counts = applied.undo.map { edit in
            if case .revert(let written) = edit { written.rowCount } else { 0 }
        }
        #expect(counts == [1, 1])

        let pane = try session.source(.servers)
        let undone = await pane.apply(try await pane.previews(of: applied.undo, typedOver: nil))
        #expect(undone.failure == nil)
        #expect(try servers(open) == before)
        await session.session.close()
    }

    @Test func serverOfALostCatalogIsNotDeleted() async throws {
        let (other, open) = (folder.appending("other.db"), folder.appending("open.db"))
        try CatalogSamples.write(to: other)
        var changed = CatalogSamples.servers
        changed[0].logical.status.load = 33
        try CatalogDatabase.open(path: open).upsert(servers: changed)
        let before = try servers(open)
        let session = try await PaneSession(open)
        let (source, rows) = try await differences(session, from: other)
        try FileManager.default.removeItem(atPath: other)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver(rows.map(\.id)))
        }
        #expect(error == EditError.goneFromOtherStore("the server \(changed[0].id)"))
        #expect(try servers(open) == before)
        await session.session.close()
    }

    @Test func serverOfAPackageIsDeletedAgainAfterUndo() async throws {
        let package = try StorePackage(creating: folder.appending("Open.store"))
        let catalog = try package.makeDeviceFolder(try DeviceID("desk")).path(of: .catalog)
        try CatalogSamples.write(to: catalog)
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: other)
        try CatalogDatabase.open(path: catalog)
            .upsert(servers: [CatalogSamples.server("s-desk", "s-desk", "NO", [])])
        let session = try await PaneSession(package.path)
        let (source, rows) = try await differences(session, from: other)
        func changes() async throws -> [String] {
            try await source.window(
                WindowRequest(query: RowQuery(filter: "kind:server"), count: 100)
            ).rows.map(\.cells[2].text)
        }
        #expect(try await changes() == ["added"])
        for _ in 1...2 {
            let preview = try await source.preview(.takeOver(rows.map(\.id)))
            let applied = try await source.apply(preview)
            #expect(try servers(catalog).allSatisfy { $0.id != "s-desk" })
            #expect(try await changes() == ["same now"])
            for edit in applied.undo { try await session.perform(edit, in: .servers) }
            #expect(try servers(catalog).contains { $0.id == "s-desk" })
            #expect(try await changes() == ["added"])
        }
        await session.session.close()
    }

    @Test func onlyTheDevicesOwnCatalogIsChanged() async throws {
        let package = try CatalogSamples.package(
            at: folder.appending("Open.store"), of: ["ben", "desk"])
        let other = folder.appending("Other.store")
        try FileManager.default.copyItem(atPath: package.path, toPath: other)
        for (name, id) in [("ben", "s-ben"), ("desk", "s-desk")] {
            let path = try StorePackage(opening: other).device(DeviceID(name)).path(of: .catalog)
            try CatalogDatabase.open(path: path)
                .upsert(servers: [CatalogSamples.server(id, id, "NO", [])])
        }
        let session = try await PaneSession(package.path)
        let (source, rows) = try await differences(session, from: other)
        let ben = try #require(rows.first { $0.cells[0].text == "s-ben" })
        let desk = try #require(rows.first { $0.cells[0].text == "s-desk" })
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(.takeOver([ben.id]))
        }
        #expect(error?.code == .readOnly && error?.message.contains("ben") == true)
        _ = try await source.apply(try await source.preview(.takeOver([desk.id])))
        let path = try package.device(DeviceID("desk")).path(of: .catalog)
        #expect(try servers(path).contains { $0.id == "s-desk" })
        await session.session.close()
    }
}
