import Foundation
import GRDB
import Replication
import TestSupport
import Testing

@testable import EntityStore

/// Damage to every page of an entity log (data rule 4).
@Suite struct PageDamageTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let pageSize: Int
        let damage: PageDamage
        var testDescription: String { "\(pageSize) bytes, \(damage.rawValue)" }
    }

    static let cases: [Case] = [512, 4_096].flatMap { size in
        PageDamage.allCases.map { Case(pageSize: size, damage: $0) }
    }

    /// A package in which `anna`, `ben` and `cleo` wrote, each having seen the others' writes.
    private struct Scene {
        let folder: TemporaryFolder
        let package: StorePackage
        let clock = TestClock()
        let pageSize: Int
        private(set) var files: [String: Data] = [:]
        private(set) var whole: [EntityRecord] = []
        private(set) var withoutBen: [EntityRecord] = []

        init(_ scene: Case) async throws {
            folder = try TemporaryFolder()
            package = try StorePackage(creating: folder.appending("Notes.store"))
            pageSize = scene.pageSize
            for round in 0..<3 {
                for device in ["anna", "ben", "cleo"] {
                    clock.advance(microseconds: 1_000_000)
                    let store = try await open(device)
                    for number in 0..<5 {
                        let name = "\(device)-\(number)"
                        try await store.set([
                            (
                                EntityReference.identifier(name).orCreate("note"),
                                [
                                    "title": .string("\(name) round \(round), some text"),
                                    "shared": .string(device),
                                ]
                            )
                        ])
                    }
                    try await store.set([
                        (
                            EntityReference.identifier("all").orCreate("note"),
                            ["last": .string("\(device) \(round)")]
                        )
                    ])
                    await store.close()
                }
            }
            for device in ["anna", "ben", "cleo"] {
                let queue = try DatabaseQueue(path: url(device).path)
                try await queue.writeWithoutTransaction { [pageSize] in
                    try $0.execute(sql: "PRAGMA page_size = \(pageSize); VACUUM")
                }
                try queue.close()
                files[device] = try Data(contentsOf: url(device))
            }
            whole = try await records()
            try FileManager.default.removeItem(at: url("ben"))
            withoutBen = try await records()
            try heal()
        }

        func open(_ device: String?) async throws -> EntityStore {
            try await EntityStore.open(
                package, device: device.map { try DeviceID($0) },
                configuration: .init(clock: clock.hybrid))
        }

        func url(_ device: String) throws -> URL {
            URL(fileURLWithPath: try package.device(DeviceID(device)).path(of: .entities))
        }

        func records() async throws -> [EntityRecord] {
            let store = try await open(nil)
            let records = try await store.records()
            await store.close()
            return records
        }

        func heal() throws {
            for (device, file) in files { try file.write(to: url(device)) }
        }

        func damage(_ device: String, page: Int, _ damage: PageDamage) throws {
            var random = SeededRandom(seed: UInt64(page))
            try damage.applied(
                to: try #require(files[device]), page: page, of: pageSize, using: &random
            ).write(to: url(device))
        }

        func pages(of device: String, quick: Int) throws -> [Int] {
            PageDamage.pages(of: try #require(files[device]).count / pageSize, quick: quick)
        }
    }

    /// Checks that the other devices' rows are all there and that the damage to `ben` is reported.
    private func check(
        _ store: EntityStore, _ scene: Scene, _ page: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let status = try #require(await store.devices.first { $0.device.name == "ben" })
        let shown = try await store.records()
        if status.state == .ok {
            #expect(shown == scene.whole, "page \(page)", sourceLocation: sourceLocation)
        } else {
            #expect(
                status.problem?.isEmpty == false, "page \(page)", sourceLocation: sourceLocation)
            for record in scene.withoutBen {
                let found = shown.first { $0.identifier == record.identifier }
                #expect(
                    found == record
                        || found
                            == scene.whole.first(where: {
                                $0.identifier == record.identifier
                            })
                        || record.identifier == "all" && found != nil,
                    "\(record.identifier), page \(page)", sourceLocation: sourceLocation)
            }
        }
        #expect(
            await store.devices.filter { $0.device.name != "ben" }.allSatisfy {
                $0.state == .ok
            }, "page \(page)", sourceLocation: sourceLocation)
    }

    @Test(arguments: cases)
    func damagedForeignLogDoesNotHideOtherDevices(_ scene: Case) async throws {
        let world = try await Scene(scene)
        for page in try world.pages(of: "ben", quick: 12) {
            try world.damage("ben", page: page, scene.damage)
            let store = try await world.open("anna")
            try await check(store, world, page)
            world.clock.advance(microseconds: 1)
            let past = try await store.snapshot(at: world.clock.now)
            let names = Set(try await past.records().map(\.identifier))
            #expect(
                names.isSuperset(of: world.withoutBen.map(\.identifier)), "page \(page)")
            // Writes continue, and win once the log has healed.
            try await store.set([(.identifier("all"), ["last": "new"])])
            await store.close()
            try #require(world.files["ben"]).write(to: world.url("ben"))
            let healed = try await world.open(nil)
            #expect(try await healed.value("last", of: .identifier("all")) == "new")
            await healed.close()
            try world.heal()
        }
    }

    @Test(arguments: cases)
    func knownRowsStayWhileALogIsDamaged(_ scene: Case) async throws {
        let world = try await Scene(scene)
        for page in try world.pages(of: "ben", quick: 4) {
            let store = try await world.open("anna")
            #expect(try await store.records() == world.whole)
            try world.damage("ben", page: page, scene.damage)
            try await store.sync()
            #expect(try await store.records() == world.whole, "page \(page)")
            // A log is replaced by another one; the known rows of both stay.
            let queue = try DatabaseQueue(path: world.url("cleo").path)
            try await queue.write {
                try $0.execute(
                    sql: "UPDATE meta SET value = ? WHERE key = 'identity'",
                    arguments: [UUID().uuidString])
            }
            try queue.close()
            try await store.sync()
            #expect(try await store.records() == world.whole, "page \(page)")
            try await store.set([(.identifier("all"), ["last": "new"])])
            try #require(world.files["ben"]).write(to: world.url("ben"))
            try await store.sync()
            #expect(await store.devices.allSatisfy { $0.state == .ok }, "page \(page)")
            #expect(try await store.value("last", of: .identifier("all")) == "new")
            #expect(try await store.records() == world.records(), "page \(page)")
            await store.close()
            try world.heal()
        }
    }

    @Test(arguments: cases)
    func unreadableOwnLogRefusesAppends(_ scene: Case) async throws {
        let world = try await Scene(scene)
        for page in try world.pages(of: "ben", quick: 8) {
            try world.damage("ben", page: page, scene.damage)
            let before = try Data(contentsOf: world.url("ben"))
            let store = try await world.open("ben")
            try await check(store, world, page)
            do {
                try await store.set([(.identifier("all"), ["last": "new"])])
                let again = try await world.open(nil)
                let status = await again.devices.first { $0.device.name == "ben" }
                if status?.state == .ok {
                    #expect(
                        try await again.value("last", of: .identifier("all")) == "new",
                        "page \(page)")
                }
                await again.close()
            } catch {
                #expect(try Data(contentsOf: world.url("ben")) == before, "page \(page)")
            }
            await store.close()
            try world.heal()
        }
    }
}

@Suite struct EntityWritingOrderTests {
    @Test func appendFollowsRowsOfAnotherProcess() async throws {
        let folder = try TemporaryFolder()
        let package = try StorePackage(creating: folder.appending("Notes.store"))
        let (early, late) = (TestClock(), TestClock())
        late.advance(microseconds: 3_600_000_000)
        let anna = try DeviceID("anna")
        let first = try await EntityStore.open(
            package, device: anna, configuration: .init(clock: early.hybrid))
        let second = try await EntityStore.open(
            package, device: anna, configuration: .init(clock: late.hybrid))
        _ = try await second.make("t", "x")
        try await first.add([(.new("t", identifier: "y"), ["name": "y"])])
        let path = try package.device(anna).path(of: .entities)
        let times = try await DatabaseQueue(path: path).read { db in
            try Int64.fetchAll(db, sql: "SELECT DISTINCT timestamp FROM log ORDER BY id")
        }
        #expect(times.count == 2)
        #expect(times == times.sorted())
        #expect(await first.devices.first?.last?.microseconds == times.last)
        await first.close()
        await second.close()
    }
}
