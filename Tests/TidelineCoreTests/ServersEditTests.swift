import Foundation
import KeyValueStore
import Replication
import ServerCatalog
import ServerCatalogGRDB
import TestSupport
import Testing

@testable import TidelineCore

/// Changes of a catalog from its pane: imports, loads, pruning, rebuilding, and the choice between
/// devices' catalogs.
@Suite struct ServersEditTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.appending("logicals.json")
    }

    private func package(_ devices: String...) throws -> StorePackage {
        try CatalogSamples.package(at: folder.appending("Notes.store"), of: devices)
    }

    /// Writes a list without one server, with another load of one, and with a new one.
    private func writeList() throws {
        var servers = CatalogSamples.servers.filter { $0.id != "us-1" }
        servers[1].logical.status.load = 7
        servers.append(CatalogSamples.server("fr-1", "FR#1", "FR", .p2p, city: "Paris"))
        try LogicalsWriter.logicals(servers).write(to: URL(filePath: file))
    }

    private func servers(_ package: StorePackage, _ device: String = "desk") throws -> [VPNServer] {
        let path = try package.device(DeviceID(device)).path(of: .catalog)
        return try CatalogDatabase.openForReading(path: path).allServers()
    }

    private func run(_ command: ListCommand, _ argument: String = "") -> Edit {
        .run(command, argument: argument)
    }

    @Test func importIsPreviewedWrittenAndUndone() async throws {
        let package = try package("desk")
        try writeList()
        let before = try servers(package)
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let preview = try await source.preview(run(.importServers, file))
        #expect(preview.summary.hasSuffix(" logicals.json: 1 added, 1 changed"))
        #expect(preview.rowCount == 2)
        #expect(preview.device?.name == "desk")
        #expect(preview.file == "Devices/desk/Catalog.db")
        #expect(!preview.createsDevice)
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "FR#1", old: nil, new: "FR, Paris, tier 2, load 0%"),
                .init(subject: "DE#10", old: "load 80", new: "load 7"),
            ])
        #expect(try servers(package) == before)
        let applied = try await source.apply(preview)
        #expect(AppliedEdit.done(applied.summary).hasPrefix("imported servers from logicals.json"))
        #expect(try servers(package).map(\.id).contains("fr-1"))
        #expect(try await pane.names(.servers).contains("country FR"))
        // The change and its undo are those of the command.
        let undo = try #require(applied.undo.first)
        let undone = try await source.apply(try await source.preview(undo))
        #expect(try servers(package) == before)
        _ = try await source.apply(try await source.preview(try #require(undone.undo.first)))
        #expect(try servers(package).count == before.count + 1)
        await pane.close()
    }

    @Test func paneWritesTheSameServersAsTheCommand() async throws {
        let package = try package("desk")
        try writeList()
        let other = folder.appending("Catalog.db")
        try CatalogSamples.write(to: other)
        _ = try CatalogLocation(file: other).fill {
            try $0.importLogicals(ByteStream(Data(contentsOf: URL(filePath: file))))
        }
        let pane = try await PaneSession(package.path)
        try await pane.perform(run(.importServers, file), in: .servers)
        await pane.close()
        #expect(
            try servers(package) == CatalogDatabase.openForReading(path: other).allServers())
    }

    @Test func firstImportCreatesTheDevicesOwnCatalogAndShowsIt() async throws {
        let package = try package("anna")
        try writeList()
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        #expect(source.owner?.name == "anna")
        let preview = try await source.preview(run(.importServers, file))
        #expect(preview.createsDevice)
        #expect(preview.summary.hasSuffix(" logicals.json: 7 added"))
        for command in [ListCommand.refreshLoads, .pruneServers, .rebuildCatalog] {
            #expect(
                source.commands[command]?.availability
                    == .unavailable(
                        because: "this device has no catalog yet; "
                            + "create one with :import-servers"))
            await #expect(throws: EditError.self) {
                _ = try await source.preview(run(command, file))
            }
        }
        _ = try await source.apply(preview)
        #expect(source.owner == nil)
        #expect(source.commands[.refreshLoads]?.availability == .available)
        #expect(try await pane.names(.servers).contains("country FR"))
        #expect(try servers(package, "anna") == CatalogSamples.servers.sorted { $0.id < $1.id })
        await pane.close()
    }

    @Test func loadsAndPruningAreCounted() async throws {
        let package = try package("desk")
        try writeList()
        let loads = folder.appending("loads.json")
        var changed = CatalogSamples.servers
        changed[1].logical.status.load = 44
        changed.append(CatalogSamples.server("xx-1", "XX#1", "XX", []))
        try LogicalsWriter.loads(changed).write(to: URL(filePath: loads))
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let refresh = try await source.preview(run(.refreshLoads, loads))
        #expect(refresh.summary.hasSuffix(" loads.json: 1 changed"))
        #expect(refresh.warnings.count == 1)
        #expect(refresh.warnings.first?.hasPrefix("1 server ") == true)
        _ = try await source.apply(refresh)
        let prune = try await source.preview(run(.pruneServers, file))
        #expect(prune.summary.hasSuffix(" logicals.json: 1 deleted"))
        #expect(prune.changes.map(\.subject) == ["US-FREE#1"])
        // Only servers up to the tier are deleted.
        try LogicalsWriter.logicals([CatalogSamples.servers[0]]).write(to: URL(filePath: file))
        let free = try await source.preview(run(.pruneServers, "0 \(file)"))
        #expect(free.changes.map(\.subject) == ["US-FREE#1"])
        _ = try await source.apply(free)
        #expect(try servers(package).count == 6)
        await pane.close()
    }

    @Test func fileThatChangesNothingIsRefused() async throws {
        let package = try package("desk")
        try LogicalsWriter.logicals(CatalogSamples.servers).write(to: URL(filePath: file))
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        func code(_ argument: String) async -> EditError.Code? {
            do {
                _ = try await source.preview(run(.importServers, argument))
                return nil
            } catch {
                return (error as? EditError)?.code
            }
        }
        #expect(await code(file) == .unchanged)
        #expect(await code(file + ".none") == .notFound)
        #expect(await code(folder.path) == .invalid)
        #expect(await code("") == .invalid)
        try Data("[]".utf8).write(to: URL(filePath: file))
        #expect(await code(file) == .invalid)
        await pane.close()
    }

    @Test func previewThatIsOutdatedWritesNothing() async throws {
        let package = try package("desk")
        try writeList()
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let preview = try await source.preview(run(.importServers, file))
        let path = try package.device(DeviceID("desk")).path(of: .catalog)
        let status = LogicalStatus(load: 1, score: 1, status: 1)
        try CatalogDatabase.open(path: path).update(
            loads: [ServerLoad(id: "de-1", status: status)])
        let before = try servers(package)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.apply(preview)
        }
        #expect(error?.code == .moved)
        #expect(try servers(package) == before)
        // The same applies to undo.
        let applied = try await source.apply(
            try await source.preview(run(.importServers, file)))
        try CatalogDatabase.open(path: path).update(
            loads: [ServerLoad(id: "de-1", status: status)])
        let undo = await #expect(throws: EditError.self) {
            _ = try await source.preview(try #require(applied.undo.first))
        }
        #expect(undo?.code == .builtOn)
        await pane.close()
    }

    @Test func rebuiltCatalogIsKeptAndRestored() async throws {
        let package = try package("desk")
        let before = try servers(package)
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let preview = try await source.preview(run(.rebuildCatalog))
        #expect(
            preview.changes.map(\.asLines) == [
                .init(subject: "catalog", old: "7 servers", new: "0 servers")
            ])
        #expect(preview.rowCount == 7)
        let applied = try await source.apply(preview)
        #expect(try servers(package).isEmpty)
        #expect(try await pane.names(.servers).isEmpty)
        let undo = try #require(applied.undo.first)
        _ = try await source.apply(try await source.preview(undo))
        #expect(try servers(package) == before)
        await #expect(throws: EditError.self) { _ = try await source.preview(undo) }
        await pane.close()
    }

    @Test func catalogThatChangedSinceThePreviewIsNotRebuilt() async throws {
        let package = try package("desk")
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let preview = try await source.preview(run(.rebuildCatalog))
        let path = try package.device(DeviceID("desk")).path(of: .catalog)
        let server = CatalogSamples.server("fr-1", "FR#1", "FR", .p2p, city: "Paris")
        try CatalogDatabase.open(path: path).upsert(servers: [server])
        let error = await #expect(throws: EditError.self) { _ = try await source.apply(preview) }
        #expect(error?.code == .moved)
        #expect(try servers(package).count == 8)
        await pane.close()
    }

    @Test func damagedCatalogCanBeRebuilt() async throws {
        let package = try package("desk")
        let path = try package.device(DeviceID("desk")).path(of: .catalog)
        try Data("no catalog".utf8).write(to: URL(filePath: path))
        let pane = try await PaneSession(package.path)
        let source = try pane.source(.servers)
        let error = await #expect(throws: EditError.self) {
            _ = try await source.preview(run(.rebuildCatalog))
            try writeList()
            _ = try await source.preview(run(.importServers, file))
        }
        #expect(error?.code == .unreadable)
        try await pane.perform(run(.rebuildCatalog), in: .servers)
        try await pane.perform(run(.importServers, file), in: .servers)
        #expect(try servers(package).count == 7)
        await pane.close()
    }

    @Test func anotherDevicesCatalogIsChosenPreviewedAndReadOnly() async throws {
        let package = try package("desk", "anna")
        let anna = try package.device(DeviceID("anna")).path(of: .catalog)
        _ = try CatalogDatabase.open(path: anna).delete(serversNotIn: ["ch-1"], maxTier: 2)
        try package.setDeviceName("Anna's laptop", of: DeviceID("anna"))
        let pane = try await PaneSession(package.path, isWritable: false)
        let source = try pane.source(.servers)
        #expect(source.commands[.chooseCatalog] == CommandOffer(choices: ["anna"]))
        let preview = try await source.preview(run(.chooseCatalog, "anna"))
        #expect(preview.summary.contains("Anna's laptop"))
        #expect(preview.summary.hasSuffix(": 6 missing"))
        #expect(preview.file == nil)
        let events = EventLog(pane.session)
        _ = try await source.apply(preview)
        let event = await events.nextChange(of: .servers)
        #expect(event?.kind == .changed(.servers, rows: [:], isOwn: true))
        #expect(source.owner?.name == "anna")
        #expect(try await pane.names(.servers) == ["country CH"])
        #expect(
            source.commands[.importServers]?.availability
                == .unavailable(
                    because: "Anna's laptop's catalog is shown, and only Anna's laptop can change "
                        + "it; run :choose-catalog desk"))
        try await pane.perform(run(.chooseCatalog, "desk"), in: .servers)
        #expect(try await pane.names(.servers).count == 5)
        await #expect(throws: EditError.self) {
            _ = try await source.preview(run(.chooseCatalog, "ben"))
        }
        await pane.close()
    }

    @Test func singleCatalogIsChangedToo() async throws {
        let path = folder.appending("Catalog.db")
        try CatalogSamples.write(to: path)
        try writeList()
        let pane = try await PaneSession(path)
        let source = try pane.source(.servers)
        #expect(pane.session.status.ownDevice?.name == "desk")
        let preview = try await source.preview(run(.importServers, file))
        #expect(preview.file == path)
        _ = try await source.apply(preview)
        #expect(try await pane.names(.servers).contains("country FR"))
        #expect(try #require(source.commands[.chooseCatalog]).availability != .available)
        await pane.close()
        let viewer = try await PaneSession(path, device: nil)
        #expect(
            try viewer.source(.servers).commands[.importServers]?.availability
                == .unavailable(because: Availability.withoutDevice))
        await viewer.close()
    }
}
